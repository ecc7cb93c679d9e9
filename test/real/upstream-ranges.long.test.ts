/** Every `affected` entry of the newest real list follows rule 24: compared with a second implementation. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveListRecord } from '../../corpus/model/claim.ts'
import type { AffectedEntry } from '../../corpus/model/record.ts'
import { cveListItems } from '../corpus/feeds/reading.ts'
import { needs, REAL_FEEDS } from '../support/needs.ts'
import { NEWEST } from './feeds-folder.ts'

needs('real feeds', 'python3')

/** Records in the order of the zip: the id, and its entries in the script's format. */
type Reading = [cveId: string, entries: unknown[][]]

async function secondReading(list: string): Promise<Reading[]> {
  const script = join(import.meta.dirname, 'upstream-ranges.py')
  const { stdout } = await promisify(execFile)('python3', [script, list], { maxBuffer: 1 << 28 })
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Reading)
}

async function ourReading(list: string): Promise<Reading[]> {
  return (await cveListItems(list)).map((item) => {
    assert.is(item.kind, 'claim', item.key)
    const { cveId, claims } = JSON.parse((item as { body: string }).body) as CveListRecord
    return [cveId, claims.flatMap(({ affected }) => affected).map(asWritten)]
  })
}

function asWritten(entry: AffectedEntry): unknown[] {
  const ranges = entry.affected_ranges?.map(({ introduced, fixed, last_affected, version_type }) => [
    introduced,
    fixed,
    last_affected ?? null,
    version_type,
  ])
  const { source, vendor, product, default_status, affected_versions, patched_versions } = entry
  return [source, vendor, product, default_status, affected_versions, ranges ?? null, patched_versions]
}

/** `1.0 <2.0 semver` for a fix, `1.0 ..2.0 semver` for a last affected version. */
function rangeText([introduced, fixed, lastAffected, type]: (string | null)[]): string {
  const end = fixed ? ` <${fixed}` : lastAffected ? ` ..${lastAffected}` : ''
  return `${introduced}${end} ${type}`
}

/** Read manually from the records, to detect a common fault of both implementations: id, entry, expected values. */
const READ_BY_EYE: [
  cveId: string,
  entry: number,
  versions: string[] | null,
  ranges: string[],
  patched: string[] | null,
][] = [
  ['CVE-2006-20001', 0, null, ['2.4 ..2.4.54 semver'], null],
  ['CVE-2017-2680', 0, null, ['0 <V4.1.1 Patch04 null'], null],
  ['CVE-2020-11850', 0, ['4.5.0.2 <'], [], null],
  ['CVE-2020-36775', 1, null, ['0 <5.7 original_commit_for_fix'], ['5.4.189', '5.6.7', '5.7']],
  ['CVE-2021-26344', 1, null, ['0 null'], ['RomePI 1.0.0.C']],
  ['CVE-2022-0028', 0, null, [], null],
  ['CVE-2022-25775', 0, ['> 5.0.0, < 5.0.4'], ['2.14.1 <4.4.12 semver'], null],
  ['CVE-2022-40705', 0, null, ['2.2 ..Apache SOAP* custom'], null],
  ['CVE-2022-43391', 0, null, ['0 <V1.15(ACCC.3)C0 null'], null],
  ['CVE-2022-43457', 0, null, ['0 null'], null],
  ['CVE-2023-32225', 0, null, ['0 <23.2.14 b18 custom'], null],
  ['CVE-2023-41740', 0, null, ['1.3 <1.3.1-9346-6 semver'], null],
  ['CVE-2023-43494', 0, null, ['2.50 <2.424 maven'], ['2.424', '2.414.2']],
  ['CVE-2024-7625', 1, null, ['0.6.1 <1.6.14 semver'], ['1.7.11']],
]

const byId = ([a]: Reading, [b]: Reading) => (a < b ? -1 : 1)

const list = join(REAL_FEEDS, NEWEST)
const [theirs, ours] = await Promise.all([secondReading(list), ourReading(list)])

test('both readings have every record of the list', () => {
  assert.is(theirs.length, 12_280)
  assert.equal(ours.map(([id]) => id).sort(), theirs.map(([id]) => id).sort())
})

test('they have as many entries, ranges, listed and patched versions as when this was written', () => {
  const entries = theirs.flatMap(([, one]) => one)
  const members = (column: number) => entries.reduce((sum, one) => sum + ((one[column] as unknown[]) ?? []).length, 0)
  assert.equal(
    { entries: entries.length, versions: members(4), ranges: members(5), patched: members(6) },
    { entries: 38_325, versions: 32_207, ranges: 36_002, patched: 6733 },
  )
})

test('they agree on vendor, product, default status, versions, ranges and patched versions of every entry', () => {
  const second = new Map(theirs)
  const different = ours.filter(([id, entries]) => JSON.stringify(entries) !== JSON.stringify(second.get(id)))
  assert.equal(
    different.sort(byId).map(([id, entries]) => ({ id, entries })),
    different.map(([id]) => ({ id, entries: second.get(id) })),
  )
})

test('records that were read by eye are read as they were then', () => {
  const entries = new Map(ours)
  const shown = READ_BY_EYE.map(([id, index]) => {
    const [, , , , versions, ranges, patched] = entries.get(id)![index]!
    return [id, index, versions, ((ranges ?? []) as (string | null)[][]).map(rangeText), patched]
  })
  assert.equal(shown, READ_BY_EYE)
})

test.run()
