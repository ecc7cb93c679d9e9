/** The fields of two states of a record that differ, as texts. */

export interface FieldChange {
  /** As in the API, with spaces: `epss score`. */
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
    changes.push({ field, old: first, now: first === second ? `${second}, not the same` : second })
  }
  return changes
}

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
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
}
