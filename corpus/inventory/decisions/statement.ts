/** Decisions about findings: entries of `vulnshelf.ignore.json` and statements of VEX documents, in one form. */
import type { PackagePattern } from './package-pattern.ts'

/** The status labels of VEX (OpenVEX 0.2.0, "Status Labels"). */
export const VEX_STATUSES = ['not_affected', 'affected', 'fixed', 'under_investigation'] as const
export type VexStatus = (typeof VEX_STATUSES)[number]

export interface Statement {
  /** What reports call the file. */
  file: string
  /** Number of the line where the statement begins, from 1. */
  line: number | null
  /** `ignored`: an entry of an ignore file. */
  status: VexStatus | 'ignored'
  /** The id of the vulnerability and its aliases, as stated. */
  ids: readonly string[]
  /** Null: every package. */
  packages: readonly PackagePattern[] | null
  /** Products that the statement names in a way that cannot be compared with packages, in words. */
  notCompared: readonly string[]
  /** A label, such as `component_not_present`. */
  justification: string | null
  /** In words. */
  reason: string | null
  /** The last day on which the statement counts, `YYYY-MM-DD`. */
  until: string | null
  /** When it was made: ISO 8601 in UTC. The latest one counts. */
  statedAt: string | null
}

/** Whether a statement suppresses the findings that it matches. The others annotate them. */
export const isSuppressing = ({ status }: Pick<Statement, 'status'>): boolean =>
  status === 'ignored' || status === 'not_affected' || status === 'fixed'
