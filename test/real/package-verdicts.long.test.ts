/**
 * The package index decides as the OSV schema does: every record of the real exports, compared with a second
 * implementation (`package-verdicts.py`), for every event, its neighbours, and every listed version.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { matchAdvisories } from '../../corpus/model/packages/match.ts'
import { packageKey } from '../../corpus/model/packages/name.ts'
import { type PackageAdvisory, packageStatements } from '../../corpus/model/packages/package-advisory.ts'
import { needs, REAL_FEEDS, REAL_PACKAGES } from '../support/needs.ts'
import { answersOf } from './second-implementation.ts'

needs('real feeds', 'real advisories of packages', "python3's packaging")

/** Records, withdrawn ones, and queries of each export, so that neither implementation loses some unnoticed. */
const EXPORTS: [ecosystem: string, feeds: string, counts: { records: number; withdrawn: number; queries: number }][] = [
  ['npm', REAL_PACKAGES, { records: 2539, withdrawn: 0, queries: 72_122 }],
  ['Packagist', REAL_PACKAGES, { records: 2876, withdrawn: 0, queries: 130_912 }],
  ['PyPI', REAL_PACKAGES, { records: 4055, withdrawn: 7, queries: 288_936 }],
  ['Go', REAL_FEEDS, { records: 4291, withdrawn: 17, queries: 167_114 }],
  ['Bitnami', REAL_FEEDS, { records: 7444, withdrawn: 0, queries: 447_778 }],
]

type Answer = [id: string, ecosystem: string, name: string, version: string, verdict: string]

/** Returns the statements of all records by id and key of the package, as they come from the index. */
function statementsOf(path: string): { records: number; withdrawn: number; found: Map<string, PackageAdvisory> } {
  const decoder = new TextDecoder()
  const records = Object.values(unzipSync(readFileSync(path))).map((bytes) => JSON.parse(decoder.decode(bytes)))
  const found = new Map<string, PackageAdvisory>()
  for (const record of records) {
    for (const { ecosystem, folded, advisory } of packageStatements(record)) {
      found.set(`${record.id} ${ecosystem}/${folded}`, JSON.parse(JSON.stringify(advisory)))
    }
  }
  return { records: records.length, withdrawn: records.filter(({ withdrawn }) => withdrawn).length, found }
}

for (const [ecosystem, feeds, counts] of EXPORTS) {
  test(`${ecosystem}: the same verdict for every version of every record`, async () => {
    const path = join(feeds, 'osv', ecosystem, 'all.zip')
    const { records, withdrawn, found } = statementsOf(path)
    const verdicts = { affected: 0, unaffected: 0, undecided: 0 }
    const asked = new Set<string>()
    const different: unknown[] = []
    let differences = 0
    for await (const [id, named, name, version, expected] of answersOf<Answer>(
      'package-verdicts.py',
      ecosystem,
      path,
    )) {
      const key = `${id} ${packageKey(named, name)}`
      const advisory = found.get(key)
      if (advisory) asked.add(key)
      const [match] = matchAdvisories(advisory ? [advisory] : [], { ecosystem, version }, { preferList: false })
      const verdict = match?.verdict ?? 'unaffected'
      verdicts[verdict]++
      if (verdict === expected) continue
      differences++
      if (different.length < 20) different.push({ id, name, version, verdict, expected })
    }
    const queries = verdicts.affected + verdicts.unaffected + verdicts.undecided
    console.log(`# ${ecosystem}: ${records} records, ${JSON.stringify(verdicts)}, ${differences} differences`)
    assert.equal(different, [])
    assert.equal(
      [...found.keys()].filter((key) => !asked.has(key)),
      [],
    )
    assert.equal({ records, withdrawn, queries }, counts)
  })
}

test.run()
