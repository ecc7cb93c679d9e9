/**
 * Whether a snapshot is what it says it is: named steps over every file, every member, every count. It reads
 * everything, inflates everything, and trusts nothing.
 */

import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { decodeAbout } from './about.ts'
import { CVE_PARTS } from './cve-member.ts'
import { gunzipFile } from './deflate.ts'
import { decodeColumns } from './derive/columns.ts'
import { FLAGS, gatherShard } from './derive/gather.ts'
import { decodeIndex, type Index, idAt } from './derive/index-table.ts'
import { decodeOrders } from './derive/orders.ts'
import { ROWS_KIND } from './derive/pages.ts'
import { queryDigest } from './derive/query.ts'
import { sha256, shortHash } from './digest.ts'
import { decodeEpss } from './epss.ts'
import { SnapshotError } from './error.ts'
import { describe, fileOf, objectPath, readCurrent, readObject } from './layout.ts'
import type { FileEntry, Manifest } from './manifest.ts'
import { plainBytes } from './member.ts'
import { CVE_SORTS } from './order.ts'
import { contentDigest, membersOf, type PlacedMember } from './shard.ts'

export interface VerifyReport {
  snapshot: string
  version: number
  files: number
  bytes: number
  members: number
  segments: number
  cves: number
  /** What is wrong, one line each; empty where all is well. */
  faults: string[]
}

const MAX_PLAIN_FILE = 4 * 1024 * 1024 * 1024 - 1

/** Looks through the current snapshot of `dist`. Faults are collected; only what makes looking on senseless is thrown. */
export function verify(dist: string, onProgress: (done: number, total: number) => void = () => {}): VerifyReport {
  const { pointer, manifest } = readCurrent(dist)
  const report: VerifyReport = {
    snapshot: manifest.snapshot,
    version: pointer.version,
    files: manifest.files.length,
    bytes: 0,
    members: 0,
    segments: 0,
    cves: 0,
    faults: [],
  }
  let done = 0
  for (const file of manifest.files) {
    attempt(report, describe(file), () => verifyFile(dist, file, report))
    onProgress(++done, manifest.files.length)
  }
  if (report.faults.length === 0) attempt(report, 'the files together', () => verifyTogether(dist, manifest, report))
  return report
}

function attempt(report: VerifyReport, what: string, step: () => void): void {
  try {
    step()
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error
    report.faults.push(error.message.includes(what) ? error.message : `${what}: ${error.message}`)
  }
}

function fault(message: string): never {
  throw new SnapshotError('digest', message)
}

/** One file by itself: stored digest and size, content digest, count. */
function verifyFile(dist: string, file: FileEntry, report: VerifyReport): void {
  const bytes = readObject(dist, file)
  report.bytes += bytes.length
  const { content, count } = contentOf(dist, file, bytes, report)
  if (content !== file.content) fault(`its content digest is ${content}, not ${file.content}`)
  if (count !== file.count) fault(`it holds ${count}, not ${file.count} as the manifest says`)
}

function contentOf(
  dist: string,
  file: FileEntry,
  bytes: Buffer,
  report: VerifyReport,
): { content: string; count: number } {
  switch (file.role) {
    case 'cve':
    case 'pages':
      return verifyShard(file, bytes, report)
    case 'about': {
      const plain = gunzipFile(bytes, MAX_PLAIN_FILE)
      decodeAbout(plain)
      return { content: sha256(plain), count: 1 }
    }
    case 'epss': {
      const plain = gunzipFile(bytes, MAX_PLAIN_FILE)
      return { content: sha256(plain), count: decodeEpss(plain).scores.length }
    }
    case 'rejected': {
      const plain = gunzipFile(bytes, MAX_PLAIN_FILE)
      return { content: sha256(plain), count: Object.keys(JSON.parse(plain.toString())).length }
    }
    case 'index':
      return { content: sha256(bytes), count: decodeIndex(bytes).count }
    case 'columns':
      return { content: sha256(bytes), count: decodeColumns(bytes).count }
    case 'orders':
      return { content: sha256(bytes), count: decodeOrders(bytes, file.count).published.ordinals.length }
    case 'query': {
      const database = new Database(objectPath(dist, file.sha256), { readonly: true, fileMustExist: true })
      try {
        return queryDigest(database)
      } finally {
        database.close()
      }
    }
  }
}

/** Every member of a shard: head, segments, hashes, and that the whole of it inflates to one JSON object. */
function verifyShard(file: FileEntry, bytes: Buffer, report: VerifyReport): { content: string; count: number } {
  const digest = contentDigest()
  let count = 0
  for (const member of membersOf(bytes)) {
    try {
      verifyMember(member, bytes.subarray(member.at, member.at + member.length))
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error
      fault(`member ${member.key}: ${error.message}`)
    }
    digest.add(member)
    count++
    report.members++
    report.segments += member.segments.length
    if (file.role === 'cve') report.cves++
  }
  return { content: digest.hex(), count }
}

function verifyMember(member: PlacedMember, bytes: Buffer): void {
  let whole: Buffer
  try {
    whole = gunzipSync(bytes)
  } catch (cause) {
    throw new SnapshotError('digest', 'it does not inflate', { cause })
  }
  const object = parseObject(whole)
  for (const segment of member.segments) {
    const plain = plainBytes(bytes, segment)
    if (Buffer.compare(shortHash(plain), segment.hash) !== 0) fault('a segment does not have its content hash')
    const text = plain.toString()
    if (!whole.includes(plain)) fault('a segment is not part of its member')
    const items = countOf(segment.kind, text)
    if (items !== segment.count) fault(`a segment of kind ${segment.kind} holds ${items} items, not ${segment.count}`)
  }
  const core = object.core as { cve_id?: unknown } | undefined
  if (core && core.cve_id !== member.key) fault(`it holds ${core.cve_id}`)
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch (cause) {
    throw new SnapshotError('malformed', 'it is no JSON', { cause })
  }
  return fault('it is no JSON object')
}

function countOf(kind: number, text: string): number {
  const open = kind === CVE_PARTS.core.kind
  const value: unknown = JSON.parse(kind === ROWS_KIND ? `[${text}]` : open ? `${text}}` : text)
  return Array.isArray(value) ? value.length : 1
}

/** What the files say of one another: the index of the shards, the columns of the cores, the orders of the columns. */
function verifyTogether(dist: string, manifest: Manifest, report: VerifyReport): void {
  const about = decodeAbout(gunzipFile(readObject(dist, fileOf(manifest, 'about')), MAX_PLAIN_FILE))
  if (about.counts.cves !== report.cves) fault(`it counts ${about.counts.cves} CVEs, but holds ${report.cves}`)
  const index = decodeIndex(readObject(dist, fileOf(manifest, 'index')))
  if (index.count !== report.cves) fault(`the index has ${index.count} rows for ${report.cves} CVEs`)
  const columns = decodeColumns(readObject(dist, fileOf(manifest, 'columns')))
  const ordinalOfRow = new Uint32Array(index.count)
  columns.row.forEach((row, ordinal) => {
    ordinalOfRow[row] = ordinal
  })
  let row = 0
  for (const name of index.shards) {
    const shard = gatherShard(readObject(dist, fileOf(manifest, 'cve', name)))
    shard.ids.forEach((id, i) => {
      checkRow(index, row, id, shard.at[i]!, shard.coreEnd[i]!, shard.length[i]!)
      const ordinal = ordinalOfRow[row]!
      const kev = ((shard.flags[i]! ^ columns.flags[ordinal]!) & FLAGS.kev) === 0
      if (!kev || !Object.is(shard.published[i], columns.published[ordinal])) fault(`the columns contradict ${id}`)
      row++
    })
  }
  const orders = decodeOrders(readObject(dist, fileOf(manifest, 'orders')), index.count)
  for (const sort of CVE_SORTS) {
    if (new Set(orders[sort].ordinals).size !== index.count) fault(`the order by ${sort} does not have every CVE once`)
    const { count } = fileOf(manifest, 'pages', sort)
    if (orders[sort].pagesAt.length !== count) fault(`the order by ${sort} knows other pages than there are`)
  }
}

function checkRow(index: Index, row: number, id: string, at: number, coreEnd: number, length: number): void {
  const same = index.at[row] === at && index.coreEnd[row] === coreEnd && index.length[row] === length
  if (!same || idAt(index, row) !== id) fault(`the index does not lead to ${id}`)
}
