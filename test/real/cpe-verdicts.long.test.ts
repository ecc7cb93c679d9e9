/**
 * Verdicts of CPE names agree with a second implementation (`cpe-verdicts.py`) for the records of NVD and a quarter of the CVE list: for
 * versions that a statement names, and their neighbours. The second one reads upstream's files, which state more than
 * a record: it may decide what a record leaves undecided, never otherwise.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfigurations } from '../../corpus/feeds/nvd/configurations.ts'
import { joinedProduct } from '../../corpus/model/affected/joined-product.ts'
import type { CveListRecord } from '../../corpus/model/claim.ts'
import { matchCpe, productEntries } from '../../corpus/model/cpe/match.ts'
import { readCpe } from '../../corpus/model/cpe/name.ts'
import type { AffectedEntry } from '../../corpus/model/record.ts'
import { finished } from '../../corpus/runtime/steps.ts'
import { cveListItems } from '../corpus/feeds/reading.ts'
import { needs, REAL_FEEDS, REAL_RECORDS } from '../support/needs.ts'
import { NEWEST } from './feeds-folder.ts'
import { answersOf } from './second-implementation.ts'

needs('real feeds', 'real records of format 5.2', 'python3')

type Answer = [id: string, vendor: string, product: string, part: string, rest: string, verdict: string]
type Entries = Map<string, AffectedEntry[]>

async function compare(feed: string, path: string, entries: Entries) {
  const counts = { affected: 0, unaffected: 0, undecided: 0 }
  const numeric = { ...counts }
  const products = new Set<string>()
  const different: unknown[] = []
  const onlyTheirs: unknown[] = []
  let known = { key: '', entries: productEntries([], '') }
  for await (const [id, vendor, product, part, rest, expected] of answersOf<Answer>('cpe-verdicts.py', feed, path)) {
    const key = JSON.stringify([id, vendor, product])
    if (known.key !== key) {
      known = { key, entries: productEntries(entries.get(id)!, joinedProduct(vendor, product)!) }
    }
    products.add(`${vendor}/${product}`)
    const verdict = finished(matchCpe(known.entries, readCpe(`cpe:2.3:${part}:v:p:${rest}`)))?.verdict ?? 'unaffected'
    counts[verdict]++
    if (/^[\d.]+:\*/.test(rest)) numeric[verdict]++
    if (verdict === expected) continue
    ;(verdict === 'undecided' ? onlyTheirs : different).push({ id, vendor, product, rest, verdict, expected })
  }
  const all = counts.affected + counts.unaffected + counts.undecided
  console.log(
    `# ${feed}: ${all} verdicts for ${products.size} products, ${counts.undecided} undecided (of versions that are numbers: ${JSON.stringify(numeric)}), ${different.length} differences, ${onlyTheirs.length} that only upstream's files decide`,
  )
  assert.equal(different.slice(0, 20), [])
  return { verdicts: all, products: products.size, onlyTheirs }
}

test('NVD: every CPE match of every configuration', async () => {
  const path = join(REAL_FEEDS, 'nvd/nvdcve-2.0-sample.json.gz')
  const { vulnerabilities } = JSON.parse(gunzipSync(readFileSync(path)).toString())
  const entries: Entries = new Map(
    vulnerabilities.map(({ cve }: { cve: { id: string; configurations: unknown } }) => [
      cve.id,
      readConfigurations(cve.configurations, '', []),
    ]),
  )
  const { verdicts, products, onlyTheirs } = await compare('nvd', path, entries)
  assert.equal({ verdicts, products }, { verdicts: 13_125, products: 42 })
  // An entry does not state which range belongs to which edition.
  assert.is(onlyTheirs.length, 152)
})

async function listEntries(path: string): Promise<Entries> {
  const records = (await cveListItems(path)).map(
    (item) => JSON.parse((item as { body: string }).body) as Pick<CveListRecord, 'cveId' | 'claims'>,
  )
  return new Map(records.map(({ cveId, claims }) => [cveId, claims.flatMap(({ affected }) => affected)]))
}

const LIST = join(REAL_FEEDS, NEWEST)
const listed = listEntries(LIST)
const recent = listEntries(REAL_RECORDS)

test('CVE list: every entry of CNA and ADPs', async () => {
  const [path, entries] = [LIST, await listed]
  const { verdicts, products, onlyTheirs } = await compare('cve', path, entries)
  assert.equal({ verdicts, products }, { verdicts: 205_853, products: 2979 })
  assert.equal(onlyTheirs, [])
})

test('CVE list of format 5.2: entries and CPE applicability', async () => {
  const { verdicts, products, onlyTheirs } = await compare('cve', REAL_RECORDS, await recent)
  assert.equal({ verdicts, products }, { verdicts: 103_926, products: 618 })
  assert.equal(onlyTheirs, [])
})

/** Starts of ranges that are evaluated for a product of a record. */
const MOST_STARTS = 5
const ofVersion = (version: string) => readCpe(`cpe:2.3:*:v:p:${version}:*:*:*:*:*:*:*`)

test('no fixed version is affected, or may be', async () => {
  const counts = { rows: 0, fixes: 0 }
  for (const [id, affected] of [...(await listed), ...(await recent)]) {
    const products = new Set(affected.flatMap(({ vendor, product }) => joinedProduct(vendor, product) ?? []))
    for (const product of products) {
      const entries = productEntries(affected, product)
      const starts = entries.flatMap(({ affected_ranges }) => affected_ranges ?? []).map((range) => range.introduced)
      const asked = new Set(['*', ...starts.slice(0, MOST_STARTS).filter((start) => /^[\w.]+$/.test(start ?? ''))])
      for (const version of asked) {
        const found = finished(matchCpe(entries, ofVersion(version!)))
        if (!found) continue
        counts.rows++
        for (const fix of found.fixed_versions) {
          // As a client writes it in a name.
          const written = fix.trim().replace(/\s+/g, '_')
          if (!/^[!-~]+$/.test(written)) continue
          counts.fixes++
          const verdict = finished(matchCpe(entries, ofVersion(written.replace(/[^\w.-]/g, '\\$&'))))
          assert.is(verdict, null, `${id} ${product} ${version}: ${fix}`)
        }
      }
    }
  }
  assert.ok(counts.rows > 50_000 && counts.fixes > 40_000, JSON.stringify(counts))
})

test.run()
