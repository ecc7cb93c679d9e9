/** The description of the API: whoever reads it has a schema of OpenAPI at hand, so no more is said here. */
import { z } from 'zod'

export const openapi = z
  .looseObject({
    openapi: z
      .string()
      .regex(/^3\.1\.\d+$/)
      .describe('The version of OpenAPI'),
    paths: z.record(z.string(), z.looseObject({})).describe('The endpoints, by path'),
  })
  .meta({ id: 'Openapi', description: 'A document as OpenAPI 3.1 lays it down' })
