/** Verifies one file of a snapshot alone: stored digest and size, content digest, count, and each member of a shard. */

import { sha256 } from '../../runtime/digest.ts'
import { MAX_CATALOG_PLAIN, MAX_SHARD_PLAIN } from '../bounds.ts'
import { gunzipFile } from '../codec/inflate.ts'
import { LIST_NAMES, type ListName } from '../cursor/lists.ts'
import { CVE_SORTS, type CveSort } from '../cursor/order.ts'
import { countBucketedIds } from '../derive/alias-buckets.ts'
import { decodeAliases } from '../derive/aliases.ts'
import { decodeColumns } from '../derive/columns.ts'
import { extractShard, type ShardExtract } from '../derive/extract.ts'
import { decodeHashedTable, hashedContent } from '../derive/hashed-index.ts'
import { decodeIndex, indexContent } from '../derive/index-table.ts'
import { countListKeysIn, hasListKeys, listKeysName } from '../derive/list-keys.ts'
import { countListed, decodeListPostings } from '../derive/list-postings.ts'
import { decodeList } from '../derive/list-view.ts'
import { storedListContent } from '../derive/lists.ts'
import { decodeOrders, ordersContent } from '../derive/orders.ts'
import { decodePageStarts, pageStartsContent } from '../derive/page-starts.ts'
import { SnapshotError } from '../error.ts'
import { decodeAbout } from '../files/about.ts'
import { describe, objectPath, readObject } from '../files/layout.ts'
import type { FileEntry, Role } from '../files/manifest.ts'
import { decodeStats } from '../files/stats.ts'
import { queryDigest } from '../query/digest.ts'
import { openQueryFile } from '../query/native.ts'
import { checkPages } from '../query/page-crcs.ts'
import { CATALOGS, type CatalogName, decodeCatalog, type LocatedEntry } from '../record/catalog.ts'
import { decodeEpss } from '../record/epss.ts'
import { decodeRejected } from '../record/rejected.ts'
import { checkPlainLength, contentDigest, membersOf } from '../record/shard.ts'
import { type HashedFindings, verifyHashedShard } from './hashed.ts'
import { type ShardRole, verifyMember } from './member.ts'

export interface FileFindings {
  bytes: number
  members: number
  segments: number
  /** The fault of the file. When set, the other fields are invalid. */
  fault: string | null
  extract: ShardExtract | null
  /** Start of each member of a page shard. */
  membersAt: Uint32Array
  entries: LocatedEntry[]
  /** Null for files of other roles. */
  hashed: HashedFindings | null
}

/** Roles of files that can be rebuilt from the other files. */
const DERIVED: readonly Role[] = ['index', 'columns', 'orders', 'list', 'pages', 'aliases', 'stats', 'query']

export function verifyFile(dist: string, file: FileEntry): FileFindings {
  const findings: FileFindings = {
    bytes: 0,
    members: 0,
    segments: 0,
    fault: null,
    extract: null,
    membersAt: new Uint32Array(),
    entries: [],
    hashed: null,
  }
  try {
    const bytes = readObject(dist, file)
    findings.bytes = bytes.length
    const { content, count } = contentOf(dist, file, bytes, findings)
    if (content !== file.content) fault(`its content digest is ${content}, not ${file.content}`)
    if (count !== file.count) fault(`it contains ${count} items, but the manifest states ${file.count}`)
    if (file.derived !== DERIVED.includes(file.role))
      fault(`the manifest states derived: ${file.derived}, which is wrong for this role`)
  } catch (error) {
    findings.fault = faultOf(describe(file), error)
  }
  return findings
}

/** Returns the report line for any thrown value. The bytes are untrusted, so any error is a fault of the file. */
export function faultOf(what: string, thrown: unknown): string {
  const { message } = thrown instanceof Error ? thrown : new Error(String(thrown))
  if (thrown instanceof SnapshotError) return message.startsWith(what) ? message : `${what}: ${message}`
  return `${what} cannot be read: ${message}`
}

function contentOf(
  dist: string,
  file: FileEntry,
  bytes: Buffer,
  findings: FileFindings,
): { content: string; count: number } {
  switch (file.role) {
    case 'cve':
    case 'pages':
    case 'catalog':
    case 'advisories':
    case 'packages':
      return verifyShard(file.role, file.name, bytes, findings)
    case 'about': {
      const text = gunzipFile(file.role, bytes)
      decodeAbout(text)
      return { content: sha256(text), count: 1 }
    }
    case 'epss': {
      const table = gunzipFile(file.role, bytes)
      return { content: sha256(table), count: decodeEpss(table).scores.length }
    }
    case 'rejected': {
      const text = gunzipFile(file.role, bytes)
      return { content: sha256(text), count: decodeRejected(text).size }
    }
    case 'stats': {
      const text = gunzipFile(file.role, bytes)
      decodeStats(text)
      return { content: sha256(text), count: 1 }
    }
    case 'index': {
      if (file.name === 'advisories' || file.name === 'packages') {
        const hashed = decodeHashedTable(bytes)
        return { content: hashedContent(hashed), count: hashed.at.length }
      }
      const index = decodeIndex(bytes)
      return { content: indexContent(index), count: index.count }
    }
    case 'columns':
      if (file.name === 'lists') {
        return { content: sha256(bytes), count: countListed(decodeListPostings(bytes, null, Number.POSITIVE_INFINITY)) }
      }
      // Only the manifest states its blocks. The files are compared later.
      if (file.name === 'rows') return { content: sha256(bytes), count: file.count }
      return { content: sha256(bytes), count: decodeColumns(bytes).count }
    case 'orders': {
      if (isSort(file.name)) {
        const starts = decodePageStarts(bytes)
        return { content: pageStartsContent(starts), count: starts.pagesAt.length }
      }
      const orders = decodeOrders(bytes, file.count)
      return { content: ordersContent(orders), count: orders.published.ordinals.length }
    }
    case 'list': {
      const keyed = LIST_NAMES.find((list) => hasListKeys(list) && listKeysName(list) === file.name)
      if (keyed) return { content: storedListContent(bytes), count: countListKeysIn(keyed, bytes) }
      if (!isListName(file.name)) fault('it is not a known list')
      return { content: storedListContent(bytes), count: decodeList(file.name, bytes).count }
    }
    case 'aliases':
      if (file.name === 'buckets') return { content: sha256(bytes), count: countBucketedIds(bytes) }
      return { content: sha256(bytes), count: decodeAliases(bytes).ids.count }
    case 'query': {
      checkPages(bytes)
      const database = openQueryFile(objectPath(dist, file.sha256))
      try {
        return queryDigest(database)
      } finally {
        database.close()
      }
    }
  }
}

function verifyShard(
  role: ShardRole,
  name: string,
  bytes: Buffer,
  findings: FileFindings,
): { content: string; count: number } {
  const catalog = role === 'catalog' && isCatalogName(name) ? name : null
  checkPlainLength(bytes, catalog === null ? MAX_SHARD_PLAIN : MAX_CATALOG_PLAIN[catalog])
  const digest = contentDigest()
  const membersAt: number[] = []
  for (const member of membersOf(bytes)) {
    try {
      verifyMember(role, member, bytes.subarray(member.at, member.at + member.length))
    } catch (error) {
      fault(faultOf(`member ${member.key}`, error))
    }
    digest.add(member)
    membersAt.push(member.at)
    findings.segments += member.segments.length
  }
  findings.members = membersAt.length
  if (role === 'cve') findings.extract = extractShard(bytes)
  else findings.membersAt = Uint32Array.from(membersAt)
  if (role === 'advisories' || role === 'packages') findings.hashed = verifyHashedShard(role, bytes)
  if (catalog !== null) findings.entries = decodeCatalog(catalog, bytes)
  return { content: digest.hex(), count: membersAt.length }
}

const isCatalogName = (name: string): name is CatalogName => CATALOGS.includes(name as CatalogName)
const isSort = (name: string): name is CveSort => CVE_SORTS.includes(name as CveSort)
const isListName = (name: string): name is ListName => LIST_NAMES.includes(name as ListName)

function fault(message: string): never {
  throw new SnapshotError('digest', message)
}
