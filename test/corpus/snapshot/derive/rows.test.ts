/** The rows of a snapshot, assembled from its shards. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeColumns, encodeColumns } from '../../../../corpus/snapshot/derive/columns.ts'
import { NO_ASSIGNER } from '../../../../corpus/snapshot/derive/facts.ts'
import { CORE_NUMBERS } from '../../../../corpus/snapshot/derive/index-table.ts'
import { shardNameCollector } from '../../../../corpus/snapshot/derive/name-counts.ts'
import { assignerOf, joinShards } from '../../../../corpus/snapshot/derive/rows.ts'

const COUNT = 1000
const column = () => new Uint32Array(COUNT)

/** Returns a shard of 1,000 CVEs; the first has no assigner, each other one its own. */
function shard(number: number) {
  return {
    ids: Array.from({ length: COUNT }, (_, i) => `CVE-2024-${number * COUNT + i}`),
    ...{ at: column(), length: column(), primaryCwe: column(), weaknessCounts: column(), coreLengths: column() },
    coreSegments: new Uint32Array(COUNT * CORE_NUMBERS),
    sources: new Uint8Array(COUNT * 16),
    cores: new Uint8Array(),
    ...shardNameCollector().names(),
    namedCounts: column(),
    reports: 0,
    ...{ kevAt: [], kevTexts: [] },
    titles: Array.from({ length: COUNT }, () => null),
    ...{ published: new Float64Array(COUNT), updated: new Float64Array(COUNT), score: new Float64Array(COUNT) },
    ...{ severity: new Uint8Array(COUNT), flags: new Uint8Array(COUNT), completeness: new Uint8Array(COUNT) },
    ...{ kevAdded: new Float64Array(COUNT), cnaCvss: new Uint8Array(COUNT), tags: new Uint8Array(COUNT) },
    ...{ ssvc: new Uint8Array(COUNT), exposure: new Uint8Array(COUNT) },
    assigners: Array.from({ length: COUNT }, (_, i) => `name ${number} ${i}`),
    assigner: Uint16Array.from({ length: COUNT }, (_, i) => (i === 0 ? NO_ASSIGNER : i)),
    weaknesses: new Uint32Array(),
  }
}

test('more than 65,536 assigners are distinguished', () => {
  const shards = Array.from({ length: 67 }, (_, i) => i)
  const rows = joinShards(shards.map((number) => ({ name: String(number), shard: shard(number) })))
  for (const number of shards) {
    assert.is(assignerOf(rows, number * COUNT), null)
    assert.is(assignerOf(rows, number * COUNT + 999), `name ${number} 999`)
  }
  assert.is(decodeColumns(encodeColumns(rows)).assigner.keys.size, shards.length * (COUNT - 1))
})

test.run()
