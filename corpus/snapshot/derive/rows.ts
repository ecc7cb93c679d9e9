/** Second step of deriving: the gathered shards as one set of rows, in the order of ids. */
import { SHORT_HASH_LENGTH } from '../digest.ts'
import type { GatheredShard } from './gather.ts'
import { addNames, type NameCounts, noNames } from './name-counts.ts'

/** All CVEs of a snapshot. Row `i` is CVE `i` in the order of ids, which the rows of the EPSS table follow too. */
export interface Rows {
  count: number
  shards: string[]
  ids: string[]
  shard: Uint16Array
  at: Uint32Array
  coreEnd: Uint32Array
  length: Uint32Array
  sources: Uint8Array
  /** Plain text of all cores, where each begins, and where the last ends; shared with the threads that write pages. */
  cores: Uint8Array
  coreAt: Float64Array
  titles: (string | null)[]
  published: Float64Array
  updated: Float64Array
  score: Float64Array
  severity: GatheredShard['severity']
  flags: Uint8Array
  assigners: (string | null)[]
  primaryCwe: Uint32Array
  weaknesses: Uint32Array[]
  completeness: Uint8Array
  names: NameCounts
  advisories: Set<string>
  reports: number
}

const NUMBERS = [
  'at',
  'coreEnd',
  'length',
  'flags',
  'primaryCwe',
  'published',
  'updated',
  'score',
  'completeness',
] as const
const NO_BYTES = new Uint8Array()
/** What `shard` can number. */
const MAX_SHARDS = 0x10000

/** Puts shards, which come in the order of ids, behind one another; their `cores` are empty afterwards. */
export function joinShards(parts: readonly { name: string; shard: GatheredShard }[]): Rows {
  if (parts.length > MAX_SHARDS) throw new RangeError(`${parts.length} id blocks are more than an index can name`)
  const count = parts.reduce((sum, { shard }) => sum + shard.ids.length, 0)
  const coreBytes = parts.reduce((sum, { shard }) => sum + shard.cores.length, 0)
  const rows: Rows = {
    count,
    shards: parts.map(({ name }) => name),
    ids: [],
    shard: new Uint16Array(count),
    at: new Uint32Array(count),
    coreEnd: new Uint32Array(count),
    length: new Uint32Array(count),
    sources: new Uint8Array(count * SHORT_HASH_LENGTH),
    cores: new Uint8Array(new SharedArrayBuffer(coreBytes)),
    coreAt: new Float64Array(new SharedArrayBuffer((count + 1) * 8)),
    titles: [],
    published: new Float64Array(count),
    updated: new Float64Array(count),
    score: new Float64Array(count),
    severity: [],
    flags: new Uint8Array(count),
    assigners: [],
    primaryCwe: new Uint32Array(count),
    weaknesses: [],
    completeness: new Uint8Array(count),
    names: noNames(),
    advisories: new Set(),
    reports: 0,
  }
  let row = 0
  let core = 0
  parts.forEach(({ shard }, shardNumber) => {
    rows.shard.fill(shardNumber, row, row + shard.ids.length)
    for (const name of NUMBERS) rows[name].set(shard[name], row)
    addNames(rows.names, shard.names)
    for (const id of shard.advisories) rows.advisories.add(id)
    rows.reports += shard.reports
    rows.sources.set(shard.sources, row * SHORT_HASH_LENGTH)
    rows.cores.set(shard.cores, core)
    // Let go at once: two copies of every core are more than a build may hold.
    shard.cores = NO_BYTES
    shard.names = noNames()
    for (let i = 0; i < shard.ids.length; i++) {
      rows.ids.push(shard.ids[i]!)
      rows.titles.push(shard.titles[i]!)
      rows.severity.push(shard.severity[i]!)
      rows.assigners.push(shard.assigners[i]!)
      rows.weaknesses.push(shard.weaknesses[i]!)
      rows.coreAt[row + i] = core
      core += shard.coreLengths[i]!
    }
    row += shard.ids.length
  })
  rows.coreAt[count] = core
  return rows
}
