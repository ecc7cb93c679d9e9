/** Common value schemas, and the envelope of a list. */
import { type ZodObject, type ZodRawShape, type ZodType, z } from 'zod'
import type { CveId } from '../../model/ids/cve-id.ts'

/** The fields of a schema for `X`. `{ … } satisfies ShapeOf<X>` rejects missing and unknown fields, and other types. */
export type ShapeOf<X> = { [K in keyof X as K]-?: ZodType<X[K]> }

export const timestamp = z.iso.datetime()
export const day = z.iso.date()
export const count = z.int().nonnegative()
export const text = z.string().nullable()
export const texts = z.array(z.string())
/** A probability or percentile: 0 to 1. */
export const fraction = z.number().min(0).max(1)
export const baseScore = z.number().min(0).max(10)

export const cveId = z
  .string()
  .regex(/^CVE-\d{4}-\d{4,19}$/)
  .describe('CVE id, in upper case') as ZodType<CveId>
export const cweSlug = z.string().regex(/^cwe-\d+$/)
export const snapshotId = z.string().regex(/^[0-9a-f]{64}$/)

const pagination = z
  .strictObject({
    limit: z.int().min(1).max(100).describe('Maximum number of rows per page'),
    next_cursor: z
      .string()
      .max(512)
      .nullable()
      .describe('Pass it as `cursor` to get the next page. Null on the last page'),
    total: count.optional().describe('Number of rows of all pages. Only with `count=true`'),
  })
  .meta({ id: 'Pagination', description: 'Position of a page in its list' })

/** Returns the fields of a page of `row`s: `z.strictObject({ ...pageOf(row), … })`. */
export function pageOf<R extends ZodType>(row: R) {
  return { data: z.array(row).describe('Rows of this page. Empty if nothing matches'), pagination }
}

/** The same for rows of which `fields` selects fields. `name` is that of the selection. */
export const selectablePageOf = <S extends ZodRawShape>(row: ZodObject<S>, name: string) =>
  pageOf(z.union([row, row.partial().meta({ id: name, description: 'Requested `fields` of a row' })]))
