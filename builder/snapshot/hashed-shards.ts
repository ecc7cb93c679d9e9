/** Writes the shards of advisories and packages. SPEC.md, "Hashed shards". */

import { SHORT_HASH_LENGTH } from '../../corpus/runtime/digest.ts'
import { type Pool, runInOrder } from '../../corpus/runtime/pool.ts'
import {
  type AdvisoryRows,
  appendRows,
  type FileEntry,
  type HashedRole,
  hashedMemberKey,
  hashedShardCount,
  hashedShardName,
  keyHash,
  noAdvisories,
  noPackages,
  type PackageRows,
  shardOfHash,
} from '../../corpus/snapshot/index.ts'
import type { KeyedDigests } from '../../corpus/store/advisories.ts'
import type { Corpus } from '../../corpus/store/corpus.ts'
import type { Changes } from './delta.ts'
import type { BuiltHashedShard, HashedShardInput } from './hashed-shard-task.ts'
import { type ObjectStore, openWriteQueue } from './objects.ts'
import type { LeftOut } from './shard-task.ts'
import type { Parent } from './shards.ts'

interface HashedJob {
  corpusPath: string
  parent: Parent | null
  pool: Pool
  objects: ObjectStore
  changes: Changes
}

export interface WrittenHashedShards {
  files: FileEntry[]
  advisories: AdvisoryRows
  packages: PackageRows
  leftOut: LeftOut[]
}

export async function writeHashedShards(corpus: Corpus, job: HashedJob): Promise<WrittenHashedShards> {
  const advisories = noAdvisories()
  const packages = noPackages()
  const ofAdvisories = await write('advisories', corpus.advisories.digests(), advisories, job)
  const ofPackages = await write('packages', corpus.advisories.packages(), packages, job)
  return {
    files: [...ofAdvisories.files, ...ofPackages.files],
    advisories,
    packages,
    leftOut: [...ofAdvisories.leftOut, ...ofPackages.leftOut],
  }
}

/** Appends to `rows`. */
async function write(
  role: HashedRole,
  entries: KeyedDigests,
  rows: AdvisoryRows | PackageRows,
  { corpusPath, parent, pool, objects, changes }: HashedJob,
): Promise<{ files: FileEntry[]; leftOut: LeftOut[] }> {
  const parentFiles = new Map(
    parent?.manifest.files.filter((file) => file.role === role).map((file) => [file.name, file] as const),
  )
  function* inputs(): Generator<HashedShardInput> {
    let shard = 0
    for (const keyed of shardsOf(entries)) {
      // With another number of shards, those of the parent have other members, and few are reused.
      const file = parentFiles.get(hashedShardName(shard++))
      yield { role, corpus: corpusPath, ...keyed, parent: parent && file ? { dist: parent.dist, file } : null }
    }
  }
  const puts = openWriteQueue()
  const leftOut: LeftOut[] = []
  let done = 0
  try {
    for await (const built of runInOrder<BuiltHashedShard>(pool, 'hashedShard', inputs())) {
      const name = hashedShardName(done++)
      appendRows(rows as AdvisoryRows, built.rows as AdvisoryRows)
      leftOut.push(...built.leftOut)
      if (built.file === null) {
        await puts.add(Promise.resolve(parentFiles.get(name)!))
        continue
      }
      const { bytes, content } = built.file
      changes.add(role, name, built.change, bytes.length)
      const count = built.rows.keys.length
      await puts.add(objects.put({ role, name, content, count, derived: false }, bytes))
    }
    return { files: await puts.entries(), leftOut }
  } finally {
    await puts.settled()
  }
}

/** Yields keys and sources of each shard, in the order of their members. */
function* shardsOf({ keys, digests }: KeyedDigests): Generator<Pick<HashedShardInput, 'keys' | 'sources'>> {
  const count = hashedShardCount(keys.length)
  const shards = Array.from({ length: count }, (): number[] => [])
  keys.forEach((key, row) => void shards[shardOfHash(keyHash(key).high, count)]!.push(row))
  for (const rows of shards) {
    const members = rows.map((row) => ({ row, member: hashedMemberKey(keys[row]!) }))
    members.sort((a, b) => (a.member < b.member ? -1 : 1))
    const sources = new Uint8Array(members.length * SHORT_HASH_LENGTH)
    members.forEach(({ row }, i) => {
      sources.set(digests.subarray(row * SHORT_HASH_LENGTH, (row + 1) * SHORT_HASH_LENGTH), i * SHORT_HASH_LENGTH)
    })
    yield { keys: members.map(({ row }) => keys[row]!), sources }
  }
}
