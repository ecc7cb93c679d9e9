/** Worker task: writes one shard of advisories or packages, and extracts the rows for the derived files. */
import { type PackageAdvisory, withoutVersions } from '../../corpus/model/packages/package-advisory.ts'
import { packageEntry } from '../../corpus/model/packages/package-entry.ts'
import { SHORT_HASH_LENGTH } from '../../corpus/runtime/digest.ts'
import {
  type AdvisoryRows,
  addStatement,
  type Change,
  encodeEntries,
  extractAdvisories,
  extractPackages,
  type FileEntry,
  HASHED_KINDS,
  type HashedRole,
  hashedMemberKey,
  type LocatedShard,
  MAX_PACKAGE_BYTES,
  membersOf,
  noStatements,
  omittedOf,
  type PackageRows,
  type ShardEntry,
  shardChange,
} from '../../corpus/snapshot/index.ts'
import type { Advisories } from '../../corpus/store/advisories.ts'
import { BuildError } from './error.ts'
import { corpora, type LeftOut, readSound } from './shard-task.ts'

export interface HashedShardInput {
  role: HashedRole
  corpus: string
  /** In the order of their members, and 16 bytes of source for each. */
  keys: string[]
  sources: Uint8Array
  parent: { dist: string; file: FileEntry } | null
}

export interface BuiltHashedShard {
  /** Null if the parent's file contains exactly these entries. */
  file: { bytes: Uint8Array; content: string } | null
  /** Null without a parent or a new file. */
  change: Change | null
  rows: AdvisoryRows | PackageRows
  leftOut: LeftOut[]
}

/** @throws BuildError `corpus-changed` if an entry is no longer the requested one */
export function buildHashedShard({ role, corpus, keys, sources, parent }: HashedShardInput): BuiltHashedShard {
  const { advisories } = corpora.at(corpus)
  const leftOut: LeftOut[] = []
  const entries = keys.map((key, i): ShardEntry => {
    const source = sources.subarray(i * SHORT_HASH_LENGTH, (i + 1) * SHORT_HASH_LENGTH)
    return { key: hashedMemberKey(key), source, text: () => TEXTS[role](advisories, key, source, leftOut) }
  })
  const previous = parent && readSound(parent.dist, parent.file)
  const before = previous && located(previous)
  const { bytes, content, members, encoded } = encodeEntries(HASHED_KINDS[role], entries, previous)
  const isSame = encoded === 0 && before?.members.length === members.length
  return {
    file: isSame ? null : { bytes, content },
    change: before && !isSame ? shardChange({ bytes, members }, before) : null,
    rows: role === 'advisories' ? extractAdvisories(bytes, members) : extractPackages(bytes, members),
    leftOut,
  }
}

const located = (bytes: Buffer): LocatedShard => ({ bytes, members: [...membersOf(bytes)] })

type TextOf = (advisories: Advisories, key: string, source: Uint8Array, leftOut: LeftOut[]) => string

const TEXTS: Readonly<Record<HashedRole, TextOf>> = {
  advisories(advisories, key, source) {
    const record = advisories.record(key)
    assertSame(key, source, record?.digest)
    return record!.text
  },
  packages(advisories, key, source, leftOut) {
    const stated = advisories.package(key)
    assertSame(key, source, stated.digest)
    return packageText(key, stated.purl, stated.advisories, leftOut)
  },
}

function assertSame(key: string, expected: Uint8Array, found: Uint8Array | undefined): void {
  if (found && Buffer.compare(found, expected) === 0) return
  throw new BuildError('corpus-changed', `${key} changed in the corpus during the build; build again`)
}

/** Bytes of a package for advisories that do not fit, without their versions: about 3,000. */
const OMITTED_BYTES = 1024 * 1024

/** Advisories that do not fit, by id, stay without their versions, so that no version counts as not affected. */
function packageText(key: string, purl: string | null, texts: readonly string[], leftOut: LeftOut[]): string {
  let bytes = 1024 + 2 * Buffer.byteLength(key)
  let omittedBytes = 0
  const kept: PackageAdvisory[] = []
  const omitted = noStatements()
  for (const text of texts) {
    const advisory = JSON.parse(text) as PackageAdvisory
    // Its spelling of the name occurs once more.
    const lengthOf = (json: string) => Buffer.byteLength(json) + Buffer.byteLength(advisory.name) + 8
    const length = lengthOf(text)
    if (bytes + length <= MAX_PACKAGE_BYTES - OMITTED_BYTES) {
      bytes += length
      kept.push(advisory)
      continue
    }
    leftOut.push({ name: `packages/${key}/${advisory.id}`, part: 'entry', bytes: length, limit: MAX_PACKAGE_BYTES })
    addStatement(omitted, key, advisory)
    const rest = withoutVersions(advisory)
    omittedBytes += lengthOf(JSON.stringify(rest))
    if (omittedBytes <= OMITTED_BYTES) kept.push(rest)
  }
  return JSON.stringify(packageEntry(key, purl, kept, omittedOf(omitted)))
}
