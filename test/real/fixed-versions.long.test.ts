/** No fixed version of a row is affected by the advisories of that row: every package of the real exports. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { affectedRows } from '../../corpus/model/packages/affected-row.ts'
import { matchAdvisories } from '../../corpus/model/packages/match.ts'
import { packageKey } from '../../corpus/model/packages/name.ts'
import { type PackageAdvisory, packageStatements } from '../../corpus/model/packages/package-advisory.ts'
import { finished } from '../../corpus/runtime/steps.ts'
import { needs, REAL_FEEDS, REAL_PACKAGES } from '../support/needs.ts'

needs('real feeds', 'real advisories of packages')

const EXPORTS = [
  ...['npm', 'Packagist', 'PyPI'].map((ecosystem) => [ecosystem, REAL_PACKAGES] as const),
  ...['Go', 'Bitnami'].map((ecosystem) => [ecosystem, REAL_FEEDS] as const),
]

function packagesOf(path: string): Map<string, PackageAdvisory[]> {
  const decoder = new TextDecoder()
  const packages = new Map<string, PackageAdvisory[]>()
  for (const bytes of Object.values(unzipSync(readFileSync(path)))) {
    for (const { ecosystem, folded, advisory } of packageStatements(JSON.parse(decoder.decode(bytes)))) {
      const key = packageKey(ecosystem, folded)
      packages.set(key, [...(packages.get(key) ?? []), advisory])
    }
  }
  return packages
}

for (const [ecosystem, feeds] of EXPORTS) {
  test(`${ecosystem}: a fixed version is not affected`, () => {
    const affected: string[] = []
    let fixes = 0
    for (const [key, advisories] of packagesOf(join(feeds, 'osv', ecosystem, 'all.zip'))) {
      const rowsAt = (version: string | null) => {
        const query = { ecosystem, version }
        const matches = matchAdvisories(advisories, query, { preferList: true })
        const sources = { advisories: [advisories], aliasesOf: () => null, cve: () => null }
        return finished(affectedRows(matches, query, sources))
      }
      for (const row of rowsAt(null)) {
        const ids = new Set([row.advisory_id, ...row.aliases])
        for (const version of row.fixed_versions) {
          fixes++
          const own = rowsAt(version).filter(({ advisory_id, aliases }) =>
            [advisory_id, ...aliases].some((id) => ids.has(id)),
          )
          if (own.some(({ verdict }) => verdict === 'affected')) affected.push(`${key}@${version} ${row.advisory_id}`)
        }
      }
    }
    assert.equal(affected, [])
    assert.ok(fixes > 1000, `only ${fixes} fixed versions`)
    console.log(`# ${ecosystem}: ${fixes} fixed versions`)
  })
}

test.run()
