/** The subset of JSON Schema draft-07 in the CVE Record Format, so that upstream's schema can validate the sample. */

type Schema = { readonly [keyword: string]: unknown } | boolean
type Check = (
  limit: never,
  value: never,
  schema: Record<string, Schema>,
  judge: (schema: Schema, value: unknown, at: string) => string[],
  at: string,
) => string[]

const TYPES: Record<string, (value: unknown) => boolean> = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
}

const unless = (holds: boolean, text: string, at: string) => (holds ? [] : [`${at}: ${text}`])

/** Keywords for values of any type. */
const GENERAL: Record<string, Check> = {
  type: (limit: string | string[], value: unknown, _s, _j, at) =>
    unless(
      [limit].flat().some((type) => TYPES[type]!(value)),
      `is no ${limit}`,
      at,
    ),
  enum: (limit: unknown[], value: unknown, _s, _j, at) =>
    unless(limit.includes(value), `${value} is not one of ${limit}`, at),
  const: (limit: unknown, value: unknown, _s, _j, at) => unless(value === limit, `is not ${limit}`, at),
  allOf: (limit: Schema[], value: unknown, _s, judge, at) => limit.flatMap((one) => judge(one, value, at)),
  anyOf: (limit: Schema[], value: unknown, _s, judge, at) => {
    const found = limit.map((one) => judge(one, value, at))
    return found.some((one) => one.length === 0) ? [] : [`${at}: fits none of anyOf`, ...found.flat()]
  },
  oneOf: (limit: Schema[], value: unknown, _s, judge, at) => {
    const found = limit.map((one) => judge(one, value, at))
    const fitting = found.filter((one) => one.length === 0).length
    return fitting === 1 ? [] : [`${at}: fits ${fitting} of oneOf`, ...found.flat()]
  },
}
const TEXT: Record<string, Check> = {
  pattern: (limit: string, value: string, _s, _j, at) =>
    unless(new RegExp(limit, 'u').test(value), `does not match ${limit}`, at),
  minLength: (limit: number, value: string, _s, _j, at) => unless([...value].length >= limit, 'is too short', at),
  maxLength: (limit: number, value: string, _s, _j, at) => unless([...value].length <= limit, 'is too long', at),
}
const NUMBER: Record<string, Check> = {
  minimum: (limit: number, value: number, _s, _j, at) => unless(value >= limit, 'is too small', at),
  maximum: (limit: number, value: number, _s, _j, at) => unless(value <= limit, 'is too large', at),
}
const LIST: Record<string, Check> = {
  items: (limit: Schema, value: unknown[], _s, judge, at) => value.flatMap((one, i) => judge(limit, one, `${at}/${i}`)),
  contains: (limit: Schema, value: unknown[], _s, judge, at) =>
    unless(
      value.some((one) => judge(limit, one, at).length === 0),
      'contains none',
      at,
    ),
  minItems: (limit: number, value: unknown[], _s, _j, at) => unless(value.length >= limit, 'has too few', at),
  maxItems: (limit: number, value: unknown[], _s, _j, at) => unless(value.length <= limit, 'has too many', at),
  uniqueItems: (_limit: boolean, value: unknown[], _s, _j, at) =>
    unless(new Set(value.map((one) => JSON.stringify(one))).size === value.length, 'repeats', at),
}
const OBJECT: Record<string, Check> = {
  required: (limit: string[], value: object, _s, _j, at) =>
    limit.flatMap((key) => unless(key in value, `lacks ${key}`, at)),
  minProperties: (limit: number, value: object, _s, _j, at) =>
    unless(Object.keys(value).length >= limit, 'has too few', at),
  maxProperties: (limit: number, value: object, _s, _j, at) =>
    unless(Object.keys(value).length <= limit, 'has too many', at),
  properties: (limit: Record<string, Schema>, value: Record<string, unknown>, _s, judge, at) =>
    Object.keys(value).flatMap((key) =>
      limit[key] === undefined ? [] : judge(limit[key], value[key], `${at}/${key}`),
    ),
  additionalProperties: (limit: Schema, value: Record<string, unknown>, schema, judge, at) => {
    const patterns = Object.keys((schema.patternProperties as object) ?? {}).map((one) => new RegExp(one, 'u'))
    const known = (schema.properties as object) ?? {}
    const others = Object.keys(value).filter((key) => !(key in known) && !patterns.some((one) => one.test(key)))
    return others.flatMap((key) => judge(limit, value[key], `${at}/${key}`))
  },
}

/** Returns one line for each fault of `value`; none if it is valid. Does not check formats. */
export function schemaFaults(root: object, value: unknown): string[] {
  const judge = (schema: Schema, one: unknown, at: string): string[] => {
    if (typeof schema === 'boolean') return unless(schema, 'is not allowed', at)
    if (typeof schema.$ref === 'string') return judge(resolve(root, schema.$ref), one, at)
    const tables = [GENERAL]
    if (typeof one === 'string') tables.push(TEXT)
    if (typeof one === 'number') tables.push(NUMBER)
    if (Array.isArray(one)) tables.push(LIST)
    else if (TYPES.object!(one)) tables.push(OBJECT)
    return tables.flatMap((table) =>
      Object.keys(table).flatMap((keyword) =>
        schema[keyword] === undefined
          ? []
          : table[keyword]!(schema[keyword] as never, one as never, schema as Record<string, Schema>, judge, at),
      ),
    )
  }
  return judge(root as Schema, value, '')
}

function resolve(root: object, ref: string): Schema {
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key.replaceAll('~1', '/')], root) as Schema
}
