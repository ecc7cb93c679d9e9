/** The fields of two states of a record that differ, as texts. */
import { formatDay, formatTime, isTime } from '../../parts/format.ts'

export interface FieldChange {
  /** The name of the API in words: `EPSS score`. */
  field: string
  old: string
  now: string
}

/** Returns the fields that differ, in the order of the later state. Members of objects are fields of their own. */
export function fieldChanges(old: object, now: object): FieldChange[] {
  const [before, after] = [flat(old), flat(now)]
  const fields = new Set([...after.keys(), ...before.keys()])
  const changes: FieldChange[] = []
  for (const field of fields) {
    const [was, is] = [before.get(field), after.get(field)]
    if (JSON.stringify(was) === JSON.stringify(is)) continue
    const [first, second] = [shown(was), shown(is)]
    changes.push({ field: titled(field), old: first, now: first === second ? `${second}, not the same` : second })
  }
  return changes
}

const ABBREVIATIONS = /\b(?:cna|cpe|cve|cvss|cwe|epss|kev|ssvc|url)\b/g

/** `epss score` → `EPSS score`; `affected` → `Affected` */
function titled(field: string): string {
  const name = field.replace(ABBREVIATIONS, (word) => word.toUpperCase())
  return name.charAt(0).toUpperCase() + name.slice(1)
}

const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

function flat(record: object, prefix = ''): Map<string, unknown> {
  const fields = new Map<string, unknown>()
  for (const [name, value] of Object.entries(record)) {
    const field = prefix + name.replaceAll('_', ' ')
    if (typeof value !== 'object' || value === null || Array.isArray(value)) fields.set(field, value)
    else for (const [inner, one] of flat(value, `${field} `)) fields.set(inner, one)
  }
  return fields
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'unknown'
  if (Array.isArray(value)) return value.length === 1 ? '1 entry' : `${value.length} entries`
  if (typeof value === 'string' && isTime(value)) {
    if (DAY.test(value)) return formatDay(value)
    if (TIME.test(value)) return formatTime(value)
  }
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
}
