/** What a check found, with the decisions of files and of the user. */
import {
  applyDecisions,
  type DecidedFinding,
  type DecidedFindings,
  isSuppressed,
} from '../../../../inventory/decisions/apply.ts'
import {
  type Decision,
  type DecisionFile,
  decider,
  type UnusedDecision,
  withUnknownIds,
} from '../../../../inventory/decisions/decide.ts'
import { statementOf } from '../../../../inventory/decisions/fields.ts'
import {
  entryKey,
  entryOf,
  IGNORE_FILE_NAME,
  type IgnoreEntry,
  ignoreEntries,
  ignoreFileText,
} from '../../../../inventory/decisions/ignore-file.ts'
import { packageText } from '../../../../inventory/decisions/package-pattern.ts'
import type { ReadDocument } from '../../../../inventory/document.ts'
import type { Finding, Findings } from '../../../../inventory/findings.ts'
import { dayOf } from '../../../../model/values/date.ts'

export interface Checked {
  /** `packages`: number of packages, and of entries that cannot be checked. */
  files: readonly { file: string; format: string; packages: number }[]
  snapshot: { id: string; createdAt: string } | null
  found: Findings
}

export type DecisionsFile = NonNullable<ReadDocument['decisions']>

/** The decisions of the page. They count for all files. */
export interface PageDecisions {
  files: readonly DecisionsFile[]
  /** Those that the user made on the page. */
  own: readonly IgnoreEntry[]
}

/** What reports call the decisions that the user made on the page. */
export const OWN_FILE = 'decisions on this page'

/** The day by which decisions expire, in UTC. */
export const today = (): string => dayOf(new Date().toISOString())

/** Returns the decisions in the form in which the command applies them. */
export function decisionFiles({ files, own }: PageDecisions): DecisionFile[] {
  const lines = new Map<object, number>(own.map((entry, i) => [entry, i + 1]))
  const stated = ignoreEntries({ root: { ignore: own }, lineOf: (entry) => lines.get(entry) ?? null })
  const statements = stated.map((one) => statementOf(OWN_FILE, one))
  return [{ file: OWN_FILE, format: IGNORE_FILE_NAME, statements }, ...files].map((one) => ({
    ...one,
    isFor: () => true,
  }))
}

export const ignoreFilesOf = ({ files }: PageDecisions): ReadonlySet<string> =>
  new Set(files.flatMap(({ role, file }) => (role === 'ignore' ? file : [])))

export interface CheckResult extends DecidedFindings, Pick<Checked, 'files' | 'snapshot'> {
  /** Messages about files that cannot be read. */
  unreadable: readonly string[]
  decisions: {
    files: readonly { file: string; format: string; statements: number }[]
    /** Those without effect. */
    unused: readonly UnusedDecision[]
  }
}

/** Applies the decisions. @param unknown ids of ignore files that the snapshot does not know */
export function resultOf(
  { files, snapshot, found }: Checked,
  decisions: PageDecisions,
  unknown: ReadonlySet<string>,
  unreadable: readonly string[],
): CheckResult {
  const decide = decider(decisionFiles(decisions), today())
  const decided = applyDecisions(found, decide)
  return {
    ...decided,
    ...{ files, snapshot, unreadable },
    decisions: {
      files: decisions.files.map(({ file, format, statements }) => ({ file, format, statements: statements.length })),
      unused: withUnknownIds(decide.unused(), ignoreFilesOf(decisions), unknown),
    },
  }
}

export interface DecidedByStatus {
  open: DecidedFinding[]
  suppressed: DecidedFinding[]
}

export function byStatus(findings: readonly DecidedFinding[]): DecidedByStatus {
  const { open = [], suppressed = [] } = Object.groupBy(findings, (one) => (isSuppressed(one) ? 'suppressed' : 'open'))
  return { open, suppressed }
}

/** Returns the entry that suppresses a finding in every version of its package. Null if no entry can name the package. */
export function entryFor(finding: Finding, reason: string, until: string): IgnoreEntry | null {
  const named = packageText(finding)
  if (named === null) return null
  return { id: finding.advisory.advisory_id, package: named, reason, ...(until === '' ? {} : { until }) }
}

/** Returns the index of the entry that the user made on the page. Null for a decision of a file. */
export const ownIndex = ({ file, line }: Pick<Decision, 'file' | 'line'>): number | null =>
  file === OWN_FILE && line !== null ? line - 1 : null

/** Returns the entries with another one, which replaces one about the same id and package. */
export const withEntry = (entries: readonly IgnoreEntry[], entry: IgnoreEntry): IgnoreEntry[] => [
  ...entries.filter((one) => entryKey(one) !== entryKey(entry)),
  entry,
]

/** Returns the decisions with other files. A file replaces one of its name, and its entries those made on the page. */
export function withFiles({ files, own }: PageDecisions, added: readonly DecisionsFile[]): PageDecisions {
  const names = new Set(added.map(({ file }) => file))
  const stated = new Set(entriesOf(added).map(entryKey))
  return {
    files: [...files.filter(({ file }) => !names.has(file)), ...added],
    own: own.filter((entry) => !stated.has(entryKey(entry))),
  }
}

/** Returns `vulnshelf.ignore.json`: the entries of all ignore files, and those made on the page, which replace them. */
export function savedFile({ files, own }: PageDecisions): string {
  const replaced = new Set(own.map(entryKey))
  return ignoreFileText([...entriesOf(files).filter((entry) => !replaced.has(entryKey(entry))), ...own])
}

const entriesOf = (files: readonly DecisionsFile[]): IgnoreEntry[] =>
  files.flatMap(({ role, statements }) => (role === 'ignore' ? statements.map(entryOf) : []))
