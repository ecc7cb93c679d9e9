/** Dates as parameters: a calendar day, or an instant for those who poll (rule 4). */
import { DATE_BOUND_FORM, type DateBound, parseDateBound } from '../../corpus/model/date-bound.ts'
import { type Kind, kind, refuse } from './kind.ts'

export function date(): Kind<DateBound, 'optional'> {
  return kind({ type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }] }, (text, name) => {
    const bound = parseDateBound(text)
    if (bound !== null) return bound
    // An offset's plus sign that was not encoded arrives as a space.
    const hint = / \d\d:\d\d$/.test(text) ? " ('+' in a query means a space: write %2B)" : ''
    throw refuse(name, text, `${DATE_BOUND_FORM}${hint}`)
  })
}
