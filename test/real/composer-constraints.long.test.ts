/**
 * The constraints that `composer audit` gets decide as the OSV schema does: every record of Packagist's real export, and
 * every event, its neighbours, and every listed version. Composer evaluates the constraint, and a second implementation
 * (`package-verdicts.py`) the record.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packageKey } from '../../corpus/model/packages/name.ts'
import { packageStatements } from '../../corpus/model/packages/package-advisory.ts'
import { packageEntry } from '../../corpus/model/packages/package-entry.ts'
import { composerAdvisories } from '../../gateway/compat/composer-advisories.ts'
import { composerMatches } from '../support/composer-semver.ts'
import { needs, REAL_PACKAGES } from '../support/needs.ts'

needs('real advisories of packages', "python3's packaging", "PHP's composer/semver")

const EXPORT = join(REAL_PACKAGES, 'osv/Packagist/all.zip')

type Answer = [id: string, ecosystem: string, name: string, version: string, verdict: string]

/** Returns the constraint of each record by id and key of the package. */
function constraints(): Map<string, string> {
  const decoder = new TextDecoder()
  const records = Object.values(unzipSync(readFileSync(EXPORT))).map((bytes) => JSON.parse(decoder.decode(bytes)))
  const found = new Map<string, string>()
  for (const record of records) {
    for (const { ecosystem, folded, advisory } of packageStatements(record)) {
      const key = `${ecosystem}/${folded}`
      const items = composerAdvisories(packageEntry(key, null, [advisory]), () => null)
      if (items[0]) found.set(`${record.id} ${key}`, items[0].affectedVersions)
    }
  }
  return found
}

test('Composer finds exactly the affected versions of every record', () => {
  const script = join(import.meta.dirname, 'package-verdicts.py')
  const { stdout, status } = spawnSync('python3', [script, 'Packagist', EXPORT], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  assert.is(status, 0)
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer)
  const written = constraints()
  const asked = answers.map(([id, ecosystem, name, version, verdict]) => {
    const constraint = written.get(`${id} ${packageKey(ecosystem, name)}`)
    return { id, name, version, verdict, constraint }
  })
  const stated = asked.filter((one) => one.constraint !== undefined)
  const matches = composerMatches(stated.map(({ constraint, version }) => [constraint!, version]))
  const found = new Map(stated.map((one, i) => [one, matches[i]]))
  const counts: Record<string, number> = {}
  const different: unknown[] = []
  for (const one of asked) {
    const isMatch = found.has(one) ? found.get(one) : false
    const kind = isMatch === null ? `${one.verdict}, no version of Composer` : one.verdict
    counts[kind] = (counts[kind] ?? 0) + 1
    // Composer has no verdict "undecided": such a version does not match.
    if (isMatch !== null && isMatch !== (one.verdict === 'affected')) different.push({ ...one, isMatch })
  }
  console.log(`# ${written.size} constraints, ${JSON.stringify(counts)}, ${different.length} differences`)
  assert.equal(different.slice(0, 20), [])
  assert.equal({ constraints: written.size, queries: asked.length }, { constraints: 3180, queries: 130_912 })
})

test.run()
