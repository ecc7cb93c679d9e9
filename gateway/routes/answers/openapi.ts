/** The description of the API: whoever reads it has a schema of OpenAPI at hand, so no more is said here. */
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
