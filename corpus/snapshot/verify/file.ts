/** Verifies one file of a snapshot alone: stored digest and size, content digest, count, and each member of a shard. */

import { sha256 } from '../../runtime/digest.ts'
import { MAX_CATALOG_PLAIN, type MAX_GZIP_PLAIN, MAX_SHARD_PLAIN } from '../bounds.ts'
import { gunzipFile } from '../codec/inflate.ts'
import { decodeTable, tableContent } from '../codec/table.ts'
import { extractShard, type ShardExtract } from '../derive/extract.ts'
import { SnapshotError } from '../error.ts'
import { kindOf } from '../files/kinds.ts'
import { describe, objectPath, readObject } from '../files/layout.ts'
import type { FileEntry } from '../files/manifest.ts'
import { queryDigest } from '../query/digest.ts'
import { openQueryFile } from '../query/native.ts'
import { checkPages } from '../query/page-crcs.ts'
import { CATALOGS, type CatalogName, decodeCatalog, type LocatedEntry } from '../record/catalog.ts'
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
  /** Of a file of the EPSS history. */
  keys: string[]
  /** Start of each member of a page shard. */
  membersAt: Uint32Array
  entries: LocatedEntry[]
  /** Null for files of other roles. */
  hashed: HashedFindings | null
}

export function verifyFile(dist: string, file: FileEntry): FileFindings {
  const findings: FileFindings = {
    bytes: 0,
    members: 0,
    segments: 0,
    fault: null,
    extract: null,
    keys: [],
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
    if (file.derived !== (kindOf(file.role).derived !== null))
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
  const kind = kindOf(file.role)
  switch (kind.form) {
    case 'members':
      return verifyShard(file.role as ShardRole, file.name, bytes, findings)
    case 'gzip': {
      const plain = gunzipFile(file.role as keyof typeof MAX_GZIP_PLAIN, bytes)
      return { content: sha256(plain), count: kind.count(plain, file) }
    }
    case 'table':
      return { content: tableContent(decodeTable(bytes)), count: kind.count(bytes, file) }
    case 'database': {
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
  else if (role === 'epss-history') findings.keys = Array.from(membersOf(bytes), ({ key }) => key)
  else findings.membersAt = Uint32Array.from(membersAt)
  if (role === 'advisories' || role === 'packages') findings.hashed = verifyHashedShard(role, bytes)
  if (catalog !== null) findings.entries = decodeCatalog(catalog, bytes)
  return { content: digest.hex(), count: membersAt.length }
}

const isCatalogName = (name: string): name is CatalogName => CATALOGS.includes(name as CatalogName)

function fault(message: string): never {
  throw new SnapshotError('digest', message)
}
