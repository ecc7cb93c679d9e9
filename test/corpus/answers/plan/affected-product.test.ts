/** Rows of `/affected` for a CPE name: records are read in slices, once, and only so many requests may wait. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ApiError } from '../../../../corpus/answers/errors.ts'
import { MAX_AFFECTED_BYTES, rowsAffectingProduct } from '../../../../corpus/answers/plan/affected-product.ts'
import { MAX_STATEMENTS } from '../../../../corpus/model/cpe/match.ts'
import { readCpe } from '../../../../corpus/model/cpe/name.ts'
import type { CveId } from '../../../../corpus/model/ids/cve-id.ts'
import type { PartName } from '../../../../corpus/model/record.ts'
import {
  CVE_PARTS,
  decodeMemberHead,
  encodeCveMember,
  idAt,
  SEVERITIES,
  type SnapshotData,
} from '../../../../corpus/snapshot/index.ts'
import { type CveSources, factsOf } from '../../../../corpus/snapshot/memory/cves.ts'
import { WAITING_PRODUCTS } from '../../../../gateway/process/bounds.ts'
import { inEngine } from './in-engine.ts'

const plan = suite('affected product')

const NVD = {
  source: 'nvd',
  vendor: 'acme',
  product: 'widget',
  cpes: ['cpe:2.3:a:acme:widget:*:*:*:*:*:*:*:*'],
  affected_ranges: [{ introduced: '0', fixed: '2.0', version_type: null }],
}

const partsOf = (title: string, affected = JSON.stringify([NVD])) => {
  const empty = Object.fromEntries(Object.entries(CVE_PARTS).map(([name, part]) => [name, part.empty]))
  const core = JSON.stringify({ title, date_published: '2024-01-01T00:00:00.000Z', date_updated: null })
  return { ...empty, core, affected } as Record<PartName, string>
}

/** `count` CVEs of the product. Each read takes `blockMs`. */
function snapshotOf(count: number, blockMs = 0, affected?: string) {
  const counts = { reads: 0 }
  const ordinals = Uint32Array.from({ length: count }, (_, i) => i)
  const tables = {
    index: {
      count,
      year: new Uint16Array(count).fill(2024),
      numberHigh: new Uint32Array(count),
      numberLow: ordinals.map((i) => i + 1),
    },
    columns: {
      row: ordinals,
      score: new Float64Array(count).fill(7.5),
      severity: new Uint8Array(count).fill(SEVERITIES.indexOf('high')),
      flags: new Uint8Array(count),
      product: { of: (id: string) => (id === 'acme/widget' ? ordinals : new Uint32Array()) },
    },
    ordinalOfRow: ordinals,
    epss: {
      date: null,
      modelVersion: '',
      scores: new Uint32Array(count).fill(0xffffffff),
      percentiles: new Uint32Array(count),
    },
  } as unknown as CveSources
  function* memberOf(row: number) {
    counts.reads++
    for (const end = performance.now() + blockMs; performance.now() < end; );
    const id = idAt(tables.index, row)
    const { bytes } = encodeCveMember(id, partsOf(`Title ${row}`, affected), new Uint8Array(16))
    return { id, row, member: { ...decodeMemberHead(bytes), bytes } }
  }
  const aliasesOf = (id: string) => (id === 'CVE-2024-0002' ? ['CVE-2024-0002', 'GHSA-1'] : null)
  const snapshot = {
    cves: {
      *facts() {
        return (id: CveId) => factsOf(tables, id)
      },
      *tables() {
        return tables
      },
      members: (of: Uint32Array) => Array.from(of, memberOf),
    },
    packages: {
      *aliases() {
        return aliasesOf
      },
    },
  } as unknown as SnapshotData
  return { snapshot, counts }
}

const engine = inEngine()
const rowsOf = (snapshot: SnapshotData, version: string) =>
  engine.run(rowsAffectingProduct(snapshot, 'acme/widget', readCpe(`cpe:/a:acme:widget:${version}`)))

plan('rows come from the records of the CVEs that name the product', async () => {
  const { snapshot, counts } = snapshotOf(2)
  const rows = await rowsOf(snapshot, '1.0')
  assert.equal(
    rows.map(({ advisory_id, aliases, summary, cvss_score }) => [advisory_id, aliases, summary, cvss_score]),
    [
      ['CVE-2024-0001', [], 'Title 0', 7.5],
      ['CVE-2024-0002', ['GHSA-1'], 'Title 1', 7.5],
    ],
  )
  assert.equal(await rowsOf(snapshot, '2.0'), [])
  assert.is(counts.reads, 2, 'the second version needs no records')
  assert.is(rowsOf(snapshot, '1.0'), rows, 'known rows need no waiting')
  assert.is(engine.held, 0)
})

plan('other work runs between the records of a large product', async () => {
  const { snapshot, counts } = snapshotOf(20, 3)
  const seen = new Set<number>()
  const watch = setInterval(() => seen.add(counts.reads), 0)
  const [first, second] = [rowsOf(snapshot, '1.0'), rowsOf(snapshot, '1.0')]
  assert.is(engine.held, 2, 'the snapshot stays open for both')
  assert.is((await first).length, 20)
  assert.is(await first, await second, 'requests for one name share the work')
  clearInterval(watch)
  assert.is(counts.reads, 20)
  assert.is(engine.held, 0)
  assert.ok(seen.size > 3, `the event loop ran ${seen.size} times`)
})

plan('a request too many is refused, and those that wait are answered', async () => {
  const { snapshot, counts } = snapshotOf(1, 10)
  const results = await Promise.allSettled(
    Array.from({ length: WAITING_PRODUCTS + 3 }, (_, i) => rowsOf(snapshot, `1.${i}`)),
  )
  const refused = results.filter((one) => one.status === 'rejected')
  assert.is(refused.length, 2)
  for (const { reason } of refused) assert.is((reason as ApiError).code, 'overloaded')
  assert.is(engine.held, 0)
  assert.is(counts.reads, 1, 'requests that wait have read nothing, and find what the first one read')
  assert.is((await rowsOf(snapshot, `1.${WAITING_PRODUCTS + 2}`)).length, 1, 'later requests are answered')
})

plan('a record that states too much is undecided, and is not parsed', async () => {
  const verdicts = async (affected: string) =>
    (await rowsOf(snapshotOf(1, 0, affected).snapshot, '3.0')).map(({ verdict, undecided_reason, fixed_versions }) => [
      ...[verdict, undecided_reason, fixed_versions],
    ])
  const tooLarge = [['undecided', 'too_large', []]]
  assert.equal(await verdicts(JSON.stringify([NVD])), [])
  assert.equal(await verdicts(JSON.stringify(Array.from({ length: MAX_STATEMENTS }, () => NVD))), tooLarge)
  const long = JSON.stringify([{ ...NVD, product: 'x'.repeat(MAX_AFFECTED_BYTES) }])
  assert.equal(await verdicts(long), tooLarge)
  assert.equal(await verdicts(`no JSON${long}`), tooLarge)
})

plan('a damaged record ends its request, not the next one', async () => {
  const { snapshot } = snapshotOf(1)
  const members = () => assert.unreachable('damaged')
  const broken = { ...snapshot, cves: { ...snapshot.cves, members } } as unknown as SnapshotData
  let refused = false
  await Promise.resolve(rowsOf(broken, '1.0')).catch(() => {
    refused = true
  })
  assert.ok(refused)
  assert.is(engine.held, 0)
  assert.is((await rowsOf(snapshot, '1.0')).length, 1)
})

plan.run()
