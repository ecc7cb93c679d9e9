/** CPE 2.3 names in their formatted-string form (NISTIR 7695 section 6.2): `cpe:2.3:a:apache:http_server:2.4.1:*:…`. */

const ATTRIBUTES = [
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

/** Attributes as they are written: `*` is any, `-` is not applicable, other text is escaped with `\`. */
export type Cpe = Record<(typeof ATTRIBUTES)[number], string>

const PREFIX = 'cpe:2.3:'
/** Text up to a colon that no backslash escapes. */
const VALUE = /(?:[^:\\]|\\.)+/gs

/** The attributes of a name, or null where it does not have all eleven of them. */
export function parseCpe(name: string): Cpe | null {
  const values = name.startsWith(PREFIX) ? name.slice(PREFIX.length).match(VALUE) : null
  if (values?.length !== ATTRIBUTES.length) return null
  return Object.fromEntries(ATTRIBUTES.map((attribute, i) => [attribute, values[i]!])) as Cpe
}

/** What an attribute says in plain text; null where it is any or not applicable. */
export function cpeText(value: string): string | null {
  return value === '*' || value === '-' ? null : value.replace(/\\(.)/gs, '$1')
}
