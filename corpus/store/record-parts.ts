/** The parts of a record as one text: the JSON of each, one per line. JSON has no line breaks outside of strings. */
import { hash } from 'node:crypto'
import { PART_NAMES, type PartName } from '../model/record.ts'
import { type PackedText, packText, unpackText } from './packed-text.ts'

/** The JSON of each part. */
export type PartTexts = Record<PartName, string>

const textOf = (parts: PartTexts): string => PART_NAMES.map((name) => parts[name]).join('\n')

export const packParts = (parts: PartTexts): PackedText => packText(textOf(parts))

export function unpackParts(packed: PackedText): PartTexts {
  const lines = unpackText(packed).split('\n')
  return Object.fromEntries(PART_NAMES.map((name, i) => [name, lines[i]!])) as PartTexts
}

/** Returns the digest of a record: 16 bytes of SHA-256 over the text of its parts. */
export const recordDigest = (parts: PartTexts): Uint8Array => hash('sha256', textOf(parts), 'buffer').subarray(0, 16)
