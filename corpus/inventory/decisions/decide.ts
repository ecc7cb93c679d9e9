/** Applies decisions to findings. Uses no API of Node. */
import type { AffectedRow } from '../../model/packages/affected-row.ts'
import { packageKey } from '../../model/packages/name.ts'
import { compareText } from '../../model/sources.ts'
import type { Component } from '../inventory.ts'
import { isPackage, patternText } from './package-pattern.ts'
import type { ReadDecisions } from './read.ts'
import { isSuppressing, type Statement } from './statement.ts'

/** What was decided about a finding. */
export interface Decision extends Pick<Statement, 'file' | 'line' | 'status' | 'justification' | 'reason' | 'until'> {
  /** Whether the finding does not fail. */
  suppresses: boolean
  /** When it was stated: ISO 8601 in UTC. Null if unknown. */
  statedAt: string | null
}

/** Why a statement has no effect. */
export type UnusedReason =
  | 'expired'
  | 'unknown_id' // the snapshot has no vulnerability with the id
  | 'matched_nothing'
  | 'not_compared' // it names no package by a purl

/** A statement without effect: the statements of one line together. */
export interface UnusedDecision {
  file: string
  line: number | null
  /** As the statement names it. */
  id: string
  /** `npm/lodash` or a purl; null for every package. */
  package: string | null
  why: UnusedReason
  /** The last day of an expired entry. */
  until: string | null
}

export interface DecisionFile extends ReadDecisions {
  /** Whether the file counts for the packages of another file, by the name that reports call it. */
  isFor(file: string): boolean
}

export interface Decider {
  /** Returns the decision that counts. Null without one. */
  decisionOn(component: Component & { file: string }, advisory: AffectedRow): Decision | null
  /** Returns the statements that had no effect so far, by file and line. */
  unused(): UnusedDecision[]
}

/**
 * Returns the unknown ids of entries of ignore files: they are likely misspelled. VEX documents name many products.
 * @param isKnown whether the snapshot has a vulnerability with the id
 */
export async function unknownIds(
  unused: readonly UnusedDecision[],
  ignoreFiles: ReadonlySet<string>,
  isKnown: (id: string) => Promise<boolean>,
): Promise<ReadonlySet<string>> {
  const unknown = new Set<string>()
  const asked = unused.filter(({ why, file }) => why === 'matched_nothing' && ignoreFiles.has(file))
  for (const id of new Set(asked.map(({ id }) => id))) if (!(await isKnown(id))) unknown.add(id)
  return unknown
}

/** States that these ids of ignore files are unknown. */
export const withUnknownIds = (
  unused: readonly UnusedDecision[],
  ignoreFiles: ReadonlySet<string>,
  unknown: ReadonlySet<string>,
): UnusedDecision[] =>
  unused.map((one) =>
    one.why === 'matched_nothing' && ignoreFiles.has(one.file) && unknown.has(one.id)
      ? { ...one, why: 'unknown_id' }
      : one,
  )

/**
 * An entry of an ignore file precedes statements of VEX. The latest statement counts; among equally old ones, one that does
 * not suppress precedes.
 * @param today `YYYY-MM-DD`, by which entries expire
 */
export function decider(files: readonly DecisionFile[], today: string): Decider {
  /** By id and package: a document can have a statement for each of many products. */
  const index = new Map<string, { statement: Statement; isFor: DecisionFile['isFor'] }[]>()
  const used = new Set<string>()
  for (const { statements, isFor } of files) {
    for (const statement of statements) {
      if (isExpired(statement, today)) continue
      for (const key of keysOf(statement)) {
        const others = index.get(key) ?? []
        if (others.length === 0) index.set(key, others)
        others.push({ statement, isFor })
      }
    }
  }
  return {
    decisionOn(component, advisory) {
      if (component.ecosystem === null) return null
      const named = packageKey(component.ecosystem, component.name)
      const ids = new Set([advisory.advisory_id, ...advisory.aliases, ...advisory.cve_ids].map(foldId))
      const candidates = [...ids]
        .flatMap((id) => [keyOf(id, null), keyOf(id, named)])
        .flatMap((key) => index.get(key) ?? [])
      const matching = candidates
        .filter(({ statement, isFor }) => isFor(component.file) && isAbout(statement, component))
        .map(({ statement }) => statement)
      for (const statement of matching) used.add(positionOf(statement))
      const [first] = matching.sort(compareStatements)
      if (first === undefined) return null
      const { file, line, status, justification, reason, until, statedAt } = first
      return { file, line, status, suppresses: isSuppressing(first), justification, reason, until, statedAt }
    },
    unused() {
      const seen = new Set(used)
      return files.flatMap(({ statements }) =>
        statements.flatMap((statement) => {
          const position = positionOf(statement)
          if (seen.has(position)) return []
          seen.add(position)
          return [unusedDecision(statement, isExpired(statement, today))]
        }),
      )
    },
  }
}

const keyOf = (id: string, named: string | null) => JSON.stringify([id, named])

function keysOf({ ids, packages }: Statement): Set<string> {
  const names = packages?.map(({ ecosystem, name }) => packageKey(ecosystem, name)) ?? [null]
  return new Set(ids.flatMap((id) => names.map((named) => keyOf(foldId(id), named))))
}

/** Ids differ in case between databases. */
const foldId = (id: string) => id.trim().toLowerCase()

const isExpired = ({ until }: Statement, today: string) => until !== null && until < today

const positionOf = ({ file, line }: Statement) => JSON.stringify([file, line])

const isAbout = ({ packages }: Statement, component: Component) =>
  packages === null || packages.some((pattern) => isPackage(pattern, component))

const compareStatements = (a: Statement, b: Statement) =>
  Number(b.status === 'ignored') - Number(a.status === 'ignored') ||
  compareText(b.statedAt ?? '', a.statedAt ?? '') ||
  Number(isSuppressing(a)) - Number(isSuppressing(b))

function unusedDecision({ file, line, ids, packages, until }: Statement, expired: boolean): UnusedDecision {
  const [first] = packages ?? []
  const why = expired ? 'expired' : packages?.length === 0 ? 'not_compared' : 'matched_nothing'
  return {
    file,
    line,
    id: ids[0] ?? '',
    package: first ? patternText(first) : null,
    why,
    until: expired ? until : null,
  }
}
