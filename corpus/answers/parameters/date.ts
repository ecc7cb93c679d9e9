/** Date parameters: a calendar day, or an instant for polling clients (rule 4). */
import { DATE_BOUND_FORM, type DateBound, parseDateBound } from '../../model/values/date-bound.ts'
import { type ParameterType, parameterType, refuse } from './parameter.ts'

export function date(): ParameterType<DateBound, 'optional'> {
  return parameterType({ type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }] }, (text, name) => {
    const bound = parseDateBound(text)
    if (bound !== null) return bound
    // The plus sign of an offset arrives as a space if it was not encoded.
    const hint = / \d\d:\d\d$/.test(text) ? " (write %2B for '+': in a query, '+' is a space)" : ''
    throw refuse(name, text, `${DATE_BOUND_FORM}${hint}`)
  })
}
