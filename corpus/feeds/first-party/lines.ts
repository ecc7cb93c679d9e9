/** Validates the operator's lines one by one. Skips an invalid line and names its file and line number. */
import type { z } from 'zod'
import type { RecordNote } from '../../model/claim.ts'
import type { CveId } from '../../model/ids/cve-id.ts'
import { isObject } from '../../model/values/json-value.ts'
import { FeedError } from '../error.ts'
import { claimText, type FeedFile, type FeedItem, isSameDigest, itemDigest, type ReadOptions, skipOf } from '../feed.ts'
import { type JsonLine, jsonLines, parseJsonLine } from '../files/json-lines.ts'
import { assertNesting } from '../json.ts'

const MAX_LINE_BYTES = 8 << 20

export interface LineClaim {
  cveIds: readonly CveId[]
  /** ISO 8601 in UTC. */
  statedAt: string | null
  claim: object
  /** Characters of its JSON. Default: those of any claim. */
  maxLength?: number
  notes: readonly RecordNote[]
}

export interface LineFormat<Schema extends z.ZodType = z.ZodType, Identity extends z.ZodType = z.ZodType> {
  /** Increase it when the same line is read differently. */
  adapter: number
  schema: Schema
  /** The fields that identify a line. When the rest is invalid, the corpus keeps its previous claim for this key. */
  identity: Identity
  /** Returns the key of the item, by which a later line replaces it; null when fields of it are missing. */
  keyOf(identity: z.output<Identity>): string | null
  claimOf(line: z.output<Schema>): LineClaim
}

export async function* readLines<Schema extends z.ZodType, Identity extends z.ZodType>(
  file: FeedFile,
  options: ReadOptions,
  format: LineFormat<Schema, Identity>,
): AsyncIterable<FeedItem> {
  for await (const line of jsonLines(file, MAX_LINE_BYTES)) {
    yield readLine(line, `${file.name}:${line.number}`, options, format)
  }
}

function readLine<Schema extends z.ZodType, Identity extends z.ZodType>(
  line: JsonLine,
  place: string,
  options: ReadOptions,
  { adapter, schema, identity, keyOf, claimOf }: LineFormat<Schema, Identity>,
): FeedItem {
  let key = place
  try {
    const json = parseJsonLine(line, MAX_LINE_BYTES)
    const identified = identity.safeParse(json)
    if (identified.success) key = keyOf(identified.data) ?? place
    assertNesting(json)
    const parsed = schema.safeParse(json)
    if (!parsed.success) throw new FeedError('item_invalid', explain(parsed.error, json))
    const digest = itemDigest(adapter, line.bytes!)
    if (isSameDigest(options.digestOf(key), digest)) return { kind: 'known', key, digest }
    const { claim, maxLength, ...about } = claimOf(parsed.data)
    return { kind: 'claim', key, digest, ...about, body: claimText(claim, maxLength), facets: null }
  } catch (cause) {
    const skip = skipOf(key, cause)
    return key === place ? skip : { ...skip, detail: `${place}: ${skip.detail}` }
  }
}

/** Returns all faults of a line with their field paths: `created_at must be a time (RFC 3339) …, not "yesterday"`. */
function explain(error: z.ZodError, json: unknown): string {
  if (!isObject(json)) return 'it is not a JSON object'
  return error.issues.map(({ path, message }) => [path.join('.') || 'it', message].join(' ')).join('; ')
}
