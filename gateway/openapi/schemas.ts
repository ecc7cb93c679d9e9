/** Zod schemas of answers as JSON Schema, and their named parts as components. */
import { type ZodType, z } from 'zod'
import type { JsonSchema } from '../params/parameter.ts'

const DEFS = '#/$defs/'

/**
 * The schema of `answer`; every schema within it that has an `id` goes into `components`, and is referred to there.
 * Throws where two schemas have one id.
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

/** Takes out what zod says for itself and no reader of the document needs. */
function soften({ jsonSchema: schema }: { jsonSchema: Record<string, unknown> }): void {
  // The whole calendar as a pattern: `format` says it. What remains is that times are in UTC (API 2.1).
  if (schema.format === 'date-time') schema.pattern = 'Z$'
  if (schema.format === 'date') delete schema.pattern
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
