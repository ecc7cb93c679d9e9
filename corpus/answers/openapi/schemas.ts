/** Zod schemas of answers as JSON Schema, and their named parts as components. */
import { type ZodType, z } from 'zod'
import type { JsonSchema } from '../parameters/parameter.ts'

const DEFS = '#/$defs/'

/**
 * Returns the schema of `answer`. Adds its parts with an `id` to `components` and refers to them there.
 * @throws TypeError if two different schemas have the same id
 */
export function schemaOf(answer: ZodType, components: Record<string, JsonSchema>): JsonSchema {
  const { $schema: _, $defs = {}, ...schema } = z.toJSONSchema(answer, { target: 'draft-2020-12', override: soften })
  for (const [name, part] of Object.entries($defs)) {
    const component = toComponents(part) as JsonSchema
    const known = components[name] ?? component
    if (JSON.stringify(known) !== JSON.stringify(component)) throw new TypeError(`two schemas are called ${name}`)
    components[name] = known
  }
  return toComponents(schema) as JsonSchema
}

/** Removes details of zod that clients do not need. */
function soften({ jsonSchema: schema }: { jsonSchema: Record<string, unknown> }): void {
  // `format` states the calendar. Times are always in UTC (API 2.1).
  if (schema.format === 'date-time') schema.pattern = 'Z$'
  if (schema.format === 'date') delete schema.pattern
  // The pattern says the same.
  if (schema.format === 'starts_with') delete schema.format
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  // Names are strings anyway.
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames
}

/** Every `$ref` into `$defs` as one into the components. */
function toComponents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toComponents)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    key === '$ref' && typeof inner === 'string' ? inner.replace(DEFS, '#/components/schemas/') : toComponents(inner),
  ])
  return Object.fromEntries(entries)
}
