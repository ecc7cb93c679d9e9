/** The values that answers are made of, and the envelope of a list. */
import { type ZodType, z } from 'zod'

export const timestamp = z.iso.datetime()
export const day = z.iso.date()
export const count = z.int().nonnegative()
export const text = z.string().nullable()
export const texts = z.array(z.string())
/** A probability or a rank among all: 0 to 1. */
export const fraction = z.number().min(0).max(1)
export const baseScore = z.number().min(0).max(10)

export const cveId = z
  .string()
  .regex(/^CVE-\d{4}-\d{4,19}$/)
  .describe('The CVE id, in upper case')
export const cweSlug = z.string().regex(/^cwe-\d+$/)
export const snapshotId = z.string().regex(/^[0-9a-f]{64}$/)

const pagination = z
  .strictObject({
    limit: z.int().min(1).max(100).describe('The number of rows on a full page'),
    next_cursor: z
      .string()
      .max(512)
      .nullable()
      .describe('Sent back as `cursor` it gives the next page; null where nothing follows'),
  })
  .meta({ id: 'Pagination', description: 'Where a page stands in its list' })

/** The fields of a page of `row`s: `z.strictObject({ ...pageOf(row), … })`. */
export function pageOf<R extends ZodType>(row: R) {
  return { data: z.array(row).describe('The rows of this page, empty where nothing matches'), pagination }
}
