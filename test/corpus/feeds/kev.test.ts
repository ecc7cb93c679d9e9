/** KEV as published: each field of each entry, compared with a plain reading of the file. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { readKev } from '../../../corpus/feeds/kev.ts'
import type { KevEntry } from '../../../corpus/model/claim.ts'
import { REAL_FEEDS, suiteNeeding } from '../../support/needs.ts'
import { feedFile, readOptions } from './reading.ts'

const real = suiteNeeding('kev, real', 'real feeds')

/** The fields of the catalog and of a claim. */
const FIELDS: Record<string, keyof KevEntry> = {
  cveID: 'cveId',
  dateAdded: 'dateAdded',
  dueDate: 'dueDate',
  requiredAction: 'requiredAction',
  knownRansomwareCampaignUse: 'ransomware',
  notes: 'notes',
  vendorProject: 'vendor',
  product: 'product',
  vulnerabilityName: 'name',
  shortDescription: 'description',
}

for (const edition of ['', '2025-04-07/']) {
  real(`every field of every entry is kept${edition && `, edition ${edition.slice(0, -1)}`}`, () => {
    const path = join(REAL_FEEDS, `kev/${edition}known_exploited_vulnerabilities.json`)
    const { vulnerabilities } = JSON.parse(readFileSync(path, 'utf8')) as { vulnerabilities: Record<string, string>[] }
    const claims = [...readKev(feedFile(path), readOptions(path))].map((item) => {
      assert.ok(item.kind === 'claim')
      assert.equal(item.notes, [])
      return JSON.parse(item.body) as KevEntry
    })
    assert.ok(claims.length > 1000)
    const counts = Object.entries(FIELDS).map(([stated, kept]) => [
      stated,
      vulnerabilities.filter((one) => one[stated]!.trim() !== '').length,
      claims.filter((one) => one[kept] !== null).length,
    ])
    for (const [field, expected, found] of counts) assert.is(found, expected, String(field))
    for (const [index, entry] of vulnerabilities.entries()) {
      for (const [stated, kept] of Object.entries(FIELDS)) {
        const text = entry[stated]!.trim()
        assert.is(
          claims[index]![kept],
          kept === 'ransomware' ? text.toLowerCase() : text || null,
          `${entry.cveID} ${stated}`,
        )
      }
    }
  })
}

real.run()
