/** Renders JSON Schemas as types, constraints and field tables. */
import type { JsonSchema } from '../params/parameter.ts'
import { type Html, html, inline, joined } from './html.ts'

const COMPONENT = '#/components/schemas/'

export const anchorOf = (name: string) => `schema-${name}`

/** Returns for example `array of CveSummary`, with links. */
export function typeOf(schema: JsonSchema): Html {
  if (typeof schema.$ref === 'string') return linkTo(schema.$ref.slice(COMPONENT.length))
  const choices = schemasIn(schema.anyOf ?? schema.oneOf)
  // Choices without a type only constrain one, such as the formats of a date.
  if (choices.length > 0 && schema.type === undefined) return joined(choices.map(typeOf), ' or ')
  if (Array.isArray(schema.type)) return joined(schema.type.map(String).map(word), ' or ')
  if (schema.type === 'array') return html`array of ${isSchema(schema.items) ? typeOf(schema.items) : 'anything'}`
  if (schema.type === 'object' && isSchema(schema.additionalProperties)) {
    return html`object of ${typeOf(schema.additionalProperties)} by name`
  }
  return html`${typeof schema.type === 'string' ? schema.type : 'anything'}`
}

/** Returns null without constraints. */
export function boundsOf(schema: JsonSchema): Html | null {
  const bounds: Html[] = []
  const choices = schemasIn(schema.anyOf ?? schema.oneOf)
  const formats = choices.flatMap(({ type, format }) => (type === undefined && format !== undefined ? [format] : []))
  if (formats.length > 0) bounds.push(html`${formats.join(' or ')}`)
  if (typeof schema.format === 'string') bounds.push(html`${schema.format}`)
  if (Array.isArray(schema.enum)) bounds.push(html`one of ${joined(schema.enum.map(code), ', ')}`)
  const range = rangeOf(schema.minimum, schema.maximum, '')
  if (range !== null) bounds.push(range)
  const length = rangeOf(schema.minLength, schema.maxLength, ' characters')
  if (length !== null) bounds.push(length)
  const items = rangeOf(schema.minItems, schema.maxItems, ' items')
  if (items !== null) bounds.push(items)
  if (typeof schema.pattern === 'string') bounds.push(html`matches ${code(schema.pattern)}`)
  if (schema.default !== undefined) bounds.push(html`default ${code(plain(schema.default))}`)
  const within = [...choices, schema.items].filter(isSchema).map(boundsOf)
  // Constraints of a reference are at its own anchor, and formats are listed already.
  for (const inner of formats.length > 0 ? [] : within) if (inner !== null) bounds.push(inner)
  return bounds.length === 0 ? null : joined(bounds, '; ')
}

/** Returns a table of an object's fields and of the unnamed objects in it, or null if the type is no object. */
export function fieldsOf(schema: JsonSchema): Html | null {
  const rows = rowsOf(schema, '')
  if (rows.length === 0) return null
  return html`<table>
<thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead>
<tbody>
${rows}
</tbody>
</table>`
}

function rowsOf({ properties, required }: JsonSchema, prefix: string): Html[] {
  if (!isSchema(properties)) return []
  const always = Array.isArray(required) ? required : []
  return Object.entries(properties).flatMap(([name, field]) => {
    if (!isSchema(field)) return []
    const description = typeof field.description === 'string' ? field.description : ''
    const bounds = boundsOf(field)
    const row = html`<tr><td><code>${prefix}${name}</code>${always.includes(name) ? null : html` <em>may be missing</em>`}</td><td>${typeOf(field)}</td><td>${inline(description)}${bounds === null ? null : html`<small>${bounds}</small>`}</td></tr>`
    const { inner, mark } = unwrapped(field)
    return [row, ...rowsOf(inner, `${prefix}${name}${mark}.`)]
  })
}

function unwrapped(schema: JsonSchema): { inner: JsonSchema; mark: string } {
  if (isSchema(schema.items)) return { inner: unwrapped(schema.items).inner, mark: '[]' }
  const choice = schemasIn(schema.anyOf).find(({ type }) => type !== 'null')
  return choice === undefined ? { inner: schema, mark: '' } : unwrapped(choice)
}

function rangeOf(least: unknown, most: unknown, unit: string): Html | null {
  if (least !== undefined && most !== undefined) return html`${plain(least)} to ${plain(most)}${unit}`
  // Empty parameters are always rejected (rule 2), so a minimum of 1 is not shown.
  if (least !== undefined) return unit !== '' && least === 1 ? null : html`at least ${plain(least)}${unit}`
  return most === undefined ? null : html`at most ${plain(most)}${unit}`
}

const linkTo = (name: string) => html`<a href="#${anchorOf(name)}">${name}</a>`
const word = (text: string) => html`${text}`
const code = (value: unknown) => html`<code>${plain(value)}</code>`

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const schemasIn = (value: unknown): JsonSchema[] => (Array.isArray(value) ? value.filter(isSchema) : [])
