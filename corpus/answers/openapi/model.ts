/** Types of the parts of an OpenAPI 3.1 document that the API uses. */
import type { JsonSchema } from '../parameters/parameter.ts'

export interface Ref {
  $ref: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  description: string
  required: boolean
  schema: JsonSchema
  style?: 'form'
  explode?: boolean
  allowEmptyValue?: boolean
  example?: unknown
}

export interface Header {
  description: string
  schema: JsonSchema
}

export interface Response {
  description: string
  headers: Record<string, Ref>
  content?: { 'application/json': { schema: JsonSchema; example?: unknown } }
}

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters: (Parameter | Ref)[]
  /** By status. Shared responses are references to components. */
  responses: Record<string, Response | Ref>
  /** An example request, as many viewers of OpenAPI show it. */
  'x-codeSamples': { lang: string; source: string }[]
}

export interface Tag {
  name: string
  description: string
}

export interface Components {
  schemas: Record<string, JsonSchema>
  parameters: Record<string, Parameter>
  headers: Record<string, Header>
  responses: Record<string, Response>
  securitySchemes: Record<string, Record<string, string>>
}

export interface OpenapiDocument {
  openapi: '3.1.0'
  info: { title: string; version: string; summary: string; description: string }
  servers: { url: string; description: string }[]
  security: Record<string, string[]>[]
  tags: Tag[]
  /** By path, with `{name}` for each path parameter. */
  paths: Record<string, { get: Operation }>
  components: Components
}

/** Returns the component of `kind` that a reference names, or the given component itself. */
export function resolve<K extends Exclude<keyof Components, 'securitySchemes'>>(
  document: OpenapiDocument,
  kind: K,
  thing: Components[K][string] | Ref,
): Components[K][string] {
  if (!('$ref' in thing) || typeof thing.$ref !== 'string') return thing as Components[K][string]
  const found = document.components[kind][thing.$ref.slice(`#/components/${kind}/`.length)]
  if (found === undefined) throw new TypeError(`${thing.$ref} leads nowhere`)
  return found as Components[K][string]
}

export const refTo = (kind: keyof Components, name: string): Ref => ({ $ref: `#/components/${kind}/${name}` })
