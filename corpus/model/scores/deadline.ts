/** Remediation deadlines by CISA's Binding Operational Directive 26-04 (rule 32). */
import type { Ssvc } from '../record.ts'
import { DAY_MS } from '../values/date.ts'

/** The inputs that can be unknown. */
export const DEADLINE_INPUTS = ['automatable', 'technical_impact'] as const
export type DeadlineInput = (typeof DEADLINE_INPUTS)[number]

/** The deadline on one kind of assets. Null where it depends on a missing input. */
export interface AssetDeadline {
  /** Calendar days. Null also if the next upgrade of the system is soon enough. */
  days: number | null
  on_system_upgrade: boolean | null
  forensic_investigation: boolean | null
  /** The day from which the days count: that of the KEV listing. Null if the CVE is not listed, or without its date. */
  counted_from: string | null
  /** `counted_from` plus `days`. */
  due_date: string | null
  /** Unknown inputs on which a null depends. */
  missing_inputs: DeadlineInput[]
}

export interface Deadline {
  exposed: AssetDeadline
  not_exposed: AssetDeadline
}

interface Row {
  /** Null: fix on system upgrade. */
  days: number | null
  forensic: boolean
}

interface Inputs {
  kev: boolean
  exposed: boolean
  automatable: boolean
  total: boolean
}

/** Returns the row of the table. All inputs together have 16 combinations. */
function rowOf({ kev, exposed, automatable, total }: Inputs): Row {
  const without = { forensic: false }
  if (!kev) {
    if (!exposed) return { days: automatable ? 60 : null, ...without }
    if (automatable) return { days: total ? 3 : 14, ...without }
    return { days: total ? 14 : 60, ...without }
  }
  if (total && (exposed || automatable)) return { days: 3, forensic: true }
  return { days: exposed && automatable ? 3 : 14, ...without }
}

type Assessment = Pick<Ssvc, DeadlineInput>

/** Returns the deadlines on assets that are reachable from the internet, and on others. */
export function deadlineOf(kev: { listed: boolean; date_added: string | null }, ssvc: Assessment): Deadline {
  return { exposed: assetDeadline(kev, ssvc, true), not_exposed: assetDeadline(kev, ssvc, false) }
}

function assetDeadline(
  { listed, date_added }: { listed: boolean; date_added: string | null },
  { automatable, technical_impact }: Assessment,
  exposed: boolean,
): AssetDeadline {
  const automatables = automatable === null ? [false, true] : [automatable === 'yes']
  const totals = technical_impact === null ? [false, true] : [technical_impact === 'total']
  const row = (isAutomatable: boolean, total: boolean) =>
    rowOf({ kev: listed, exposed, automatable: isAutomatable, total })
  const rows = automatables.flatMap((one) => totals.map((total) => row(one, total)))
  const { days, forensic } = rows[0]!
  const isTime = rows.every((one) => one.days === days)
  const missing_inputs = DEADLINE_INPUTS.filter((input) =>
    input === 'automatable'
      ? automatable === null && totals.some((total) => !isSame(row(false, total), row(true, total)))
      : technical_impact === null && automatables.some((one) => !isSame(row(one, false), row(one, true))),
  )
  const counted_from = listed ? date_added : null
  return {
    days: isTime ? days : null,
    on_system_upgrade: isTime ? days === null : null,
    forensic_investigation: rows.every((one) => one.forensic === forensic) ? forensic : null,
    counted_from,
    due_date: isTime && days !== null && counted_from !== null ? addDays(counted_from, days) : null,
    missing_inputs,
  }
}

const isSame = (a: Row, b: Row) => a.days === b.days && a.forensic === b.forensic

const addDays = (date: string, days: number) => new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)
