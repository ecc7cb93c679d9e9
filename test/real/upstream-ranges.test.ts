/** Every `affected` entry of the newest real list is read as decisions 24 says: compared with a second reading of it. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveListRecord } from '../../corpus/model/claim.ts'
import type { AffectedEntry } from '../../corpus/model/record.ts'
import { cveListItems } from '../corpus/feeds/reading.ts'
import { haveRealFeeds, REAL_FEEDS } from '../support/dist.ts'
import { NEWEST } from './feeds-folder.ts'

/** Record by record in the order of the zip: the id, and its entries as the script writes them. */
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

const byId = ([a]: Reading, [b]: Reading) => (a < b ? -1 : 1)

if (haveRealFeeds()) {
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
      { entries: 38_325, versions: 32_174, ranges: 36_035, patched: 6733 },
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
} else {
  test('the real feeds are left out', () => {})
}

test.run()
