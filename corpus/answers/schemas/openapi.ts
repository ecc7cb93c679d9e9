/** The OpenAPI document of the API. Readers have OpenAPI's own schema, so this one is minimal. */
import { z } from 'zod'

export const openapi = z
  .looseObject({
    openapi: z
      .string()
      .regex(/^3\.1\.\d+$/)
      .describe('Version of the OpenAPI specification'),
    paths: z.record(z.string(), z.looseObject({})).describe('Operations, by path'),
  })
  .meta({ id: 'Openapi', description: 'OpenAPI 3.1 document' })
