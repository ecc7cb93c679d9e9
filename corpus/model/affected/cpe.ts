/** CPE 2.3 names as formatted strings (NISTIR 7695 section 6.2): `cpe:2.3:a:apache:http_server:2.4.1:*:…`. */

export const CPE_ATTRIBUTES = [
  'part',
  'vendor',
  'product',
  'version',
  'update',
  'edition',
  'language',
  'swEdition',
  'targetSw',
  'targetHw',
  'other',
] as const

export type CpeAttribute = (typeof CPE_ATTRIBUTES)[number]

/** Raw attributes: `*` is any, `-` is not applicable, other text is escaped with `\`. */
export type Cpe = Record<CpeAttribute, string>

const PREFIX = 'cpe:2.3:'
/** Text up to an unescaped colon. */
const VALUE = /(?:[^:\\]|\\.)+/gs

/** Returns the attributes of a name, or null if it does not have exactly eleven. */
export function parseCpe(name: string): Cpe | null {
  const values = name.startsWith(PREFIX) ? name.slice(PREFIX.length).match(VALUE) : null
  if (values?.length !== CPE_ATTRIBUTES.length) return null
  return Object.fromEntries(CPE_ATTRIBUTES.map((attribute, i) => [attribute, values[i]!])) as Cpe
}

/** Returns an attribute as plain text, or null for any and not applicable. */
export function cpeText(value: string): string | null {
  return value === '*' || value === '-' ? null : value.replace(/\\(.)/gs, '$1')
}
