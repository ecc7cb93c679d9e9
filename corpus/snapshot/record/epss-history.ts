/** The EPSS history of an id block: a member with a segment for each quarter. SPEC.md, "EPSS history". */
import { type EpssPoint, pointsIn } from '../../model/epss/history.ts'
import { type CveId, cveBlock, firstOfBlock, parseCveId } from '../../model/ids/cve-id.ts'
import { shortHash } from '../../runtime/digest.ts'
import { plainBytes } from '../codec/segment-bytes.ts'
import { SnapshotError } from '../error.ts'
import type { FileEntry, Manifest } from '../files/manifest.ts'
import { decodeMemberHead, encodeMember } from './member.ts'
import { contentDigest, type LocatedMember, type SegmentContent } from './shard.ts'

export const HISTORY_KIND = 68

/** The points of one quarter: texts of `editionText`, joined by commas. */
export interface HistorySegment {
  points: number
  text: string
}

export interface EncodedHistory {
  content: string
  /** Compresses the member. Its bytes are in an ArrayBuffer of their own, which can be transferred to another thread. */
  encode(): { bytes: Buffer; members: LocatedMember[] }
}

/** Returns the file of a block. `segments` are in the order of their quarters. */
export function encodeHistory(block: string, segments: readonly HistorySegment[]): EncodedHistory {
  const parts = segments.map(({ points, text }) => ({ kind: HISTORY_KIND, count: points, plain: Buffer.from(text) }))
  const digest = contentDigest()
  digest.add({
    key: block,
    segments: parts.map(
      ({ plain, ...part }): SegmentContent => ({ ...part, plainLength: plain.length, hash: shortHash(plain) }),
    ),
  })
  return {
    content: digest.hex(),
    encode() {
      const glued = parts.flatMap((part, i) => [Buffer.from(i === 0 ? '{"editions":[' : ','), part])
      const { bytes, ...head } = encodeMember(block, [...glued, Buffer.from(']}\n')])
      const own = Buffer.from(new ArrayBuffer(bytes.length))
      own.set(bytes)
      return { bytes: own, members: [{ ...head, at: 0 }] }
    },
  }
}

/** Whether a key is the name of an id block. */
export function isHistoryKey(key: string): boolean {
  const id = parseCveId(firstOfBlock(key))
  return id !== null && cveBlock(id) === key
}

/** Returns the files of the history by id block. */
export const historyFiles = ({ files }: Manifest): Map<string, FileEntry> =>
  new Map(files.flatMap((file) => (file.role === 'epss-history' ? [[file.name, file]] : [])))

/**
 * Returns the block of a file, and the texts of its quarters.
 * @throws SnapshotError
 */
export function historyTexts(file: Buffer): { key: string; texts: string[] } {
  const { key, segments } = decodeMemberHead(file)
  return { key, texts: segments.map((segment) => plainBytes(file, segment).toString()) }
}

/**
 * Returns the points of an id in the file of its block, oldest first.
 * @throws SnapshotError
 */
export function historyIn(file: Buffer, id: CveId): EpssPoint[] {
  const { key, texts } = historyTexts(file)
  if (key !== cveBlock(id)) throw new SnapshotError('malformed', `the EPSS history of ${id} is that of ${key}`)
  const points = pointsIn(texts, Number(id.slice(-3)))
  if (points === null) throw new SnapshotError('malformed', `the EPSS history of ${key} cannot be read`)
  return points
}
