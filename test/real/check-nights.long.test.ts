/**
 * `vulnshelf check` over nights of real feeds: a receipt of the first night gives the same bytes after two more, and none
 * after a byte of a file changed; `--since` shows what the publishers published in between, and nothing else as new.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import * as assert from 'uvu/assert'
import type { CheckReport } from '../../builder/check/check.ts'
import { readCurrent } from '../../corpus/snapshot/index.ts'
import { done, endAll, vulnshelf } from '../cli/command.ts'
import { ingestAndBuild, temporaryFolder } from '../support/dist.ts'
import { REAL_FEEDS, REAL_PACKAGES, suiteNeeding } from '../support/needs.ts'
import { linkFeeds, SMALL_FEEDS } from './feeds-folder.ts'

const test = suiteNeeding('check over nights', 'real feeds', 'real advisories of packages')

/** Those of the CVE list. */
const NIGHTS = ['2024-06-30', '2024-09-30', '2024-10-24']
const EXPORT = 'osv/npm/all.zip'
const PACKAGES = 700

const folder = temporaryFolder('check-nights')
const at = (...names: string[]) => join(folder.path, ...names)
const dist = at('dist')
const project = at('project')
const snapshots: string[] = []

interface Advisory {
  id: string
  published: string
  affected?: { package: { name: string }; ranges?: { events: { introduced?: string; fixed?: string }[] }[] }[]
}
let advisories: (Advisory & { bytes: Uint8Array })[] = []

/** Adds a night with the advisories that were published by then. A text that was changed later is the later one. */
async function addNight(night: string): Promise<void> {
  const files = advisories.filter(({ published }) => published.slice(0, 10) <= night)
  mkdirSync(dirname(at('feeds', EXPORT)), { recursive: true })
  writeFileSync(at('feeds', EXPORT), zipSync(Object.fromEntries(files.map(({ id, bytes }) => [`${id}.json`, bytes]))))
  copyFileSync(
    join(REAL_FEEDS, 'cvelistv5', `${night}_all_CVEs.zip`),
    at('feeds', 'cvelistv5', `${night}_all_CVEs.zip`),
  )
  await ingestAndBuild({ feeds: at('feeds'), corpus: at('corpus.db'), dist, asOf: night, jobs: 2 })
  snapshots.push(readCurrent(dist).manifest.snapshot)
}

/** Packages that advisories name, in a version that the first of them affects; the newest advisories first. */
function lockFile(): string {
  const versions = new Map<string, string>()
  const byDate = advisories.toSorted((a, b) => b.published.localeCompare(a.published))
  for (const { affected = [] } of byDate) {
    for (const { package: named, ranges = [] } of affected) {
      const introduced = ranges[0]?.events.find((event) => event.introduced !== undefined)?.introduced ?? '0'
      if (versions.size < PACKAGES && !versions.has(named.name)) {
        versions.set(named.name, introduced === '0' ? '0.0.1' : introduced)
      }
    }
  }
  const entries = Array.from(versions, ([name, version]) => [`node_modules/${name}`, { version }])
  return `${JSON.stringify({ name: 'app', lockfileVersion: 3, packages: { '': {}, ...Object.fromEntries(entries) } }, null, 1)}\n`
}

const check = (...words: string[]) => vulnshelf(['check', ...words, '--snapshot', dist], { cwd: project })

async function reportOf(...words: string[]): Promise<CheckReport> {
  const { code, out, err } = await check('.', '--output', 'json', ...words)
  assert.ok(code === 0 || code === 1, err.join('\n'))
  return JSON.parse(out) as CheckReport
}

test.before(async () => {
  const all = unzipSync(readFileSync(join(REAL_PACKAGES, EXPORT)))
  advisories = Object.values(all).map((bytes) => ({
    ...(JSON.parse(Buffer.from(bytes).toString()) as Advisory),
    bytes,
  }))
  linkFeeds(at('feeds'), SMALL_FEEDS)
  mkdirSync(at('feeds', 'cvelistv5'))
  mkdirSync(project)
  writeFileSync(join(project, 'package-lock.json'), lockFile())
  const ignored = { id: advisories[0]!.id, reason: 'not reachable', until: '2099-12-31' }
  writeFileSync(join(project, 'vulnshelf.ignore.json'), JSON.stringify({ ignore: [ignored] }))
  await addNight(NIGHTS[0]!)
  const { code } = await check('.', '--receipt', 'receipt.json')
  assert.is(code, 1)
  for (const night of NIGHTS.slice(1)) await addNight(night)
})

test('a receipt of the first night gives the same bytes after two more nights', async () => {
  const out = done(await check('--replay', 'receipt.json'))
  assert.match(out, `same result, byte for byte: snapshot ${snapshots[0]!.slice(0, 12)}`)
  console.log(`# ${out.trim()}`)
})

for (const name of ['package-lock.json', 'vulnshelf.ignore.json']) {
  test(`one byte in ${name} that changes is named, and nothing is repeated`, async () => {
    const path = join(project, name)
    const original = readFileSync(path)
    const changed = Buffer.from(original)
    const middle = changed.length >> 1
    changed[middle] = changed[middle]! ^ 1
    writeFileSync(path, changed)
    const { code, out } = await check('--replay', 'receipt.json')
    writeFileSync(path, original)
    assert.is(code, 1)
    assert.match(out, `changed: ${name} has the SHA-256`)
    assert.match(out, 'not repeated: 1 file changed')
    done(await check('--replay', 'receipt.json'))
  })
}

test('news since a night are the advisories that were published after it', async () => {
  const published = new Map(advisories.map(({ id, published }) => [id, published.slice(0, 10)]))
  const full = await reportOf()
  assert.is(full.counts.packages, PACKAGES)
  for (const [i, night] of NIGHTS.slice(0, -1).entries()) {
    const { findings, since } = await reportOf('--since', snapshots[i]!)
    const idsOf = (all: CheckReport['findings']) =>
      all.map(({ name, advisory }) => `${name} ${advisory.advisory_id}`).sort()
    const isNew = ({ advisory }: CheckReport['findings'][number]) => published.get(advisory.advisory_id)! > night
    const stated = findings.filter(({ news }) => news!.some(({ kind }) => kind === 'advisory'))
    assert.equal(idsOf(stated), idsOf(full.findings.filter(isNew)))
    assert.ok(stated.length > 20, `only ${stated.length} advisories are new`)
    assert.is(since!.known, full.findings.length - findings.length)
    const kinds = Map.groupBy(
      findings.flatMap(({ news }) => news!),
      ({ kind }) => kind,
    )
    const texts = Array.from(kinds, ([kind, all]) => `${kind} ${all.length}`).join(', ')
    console.log(
      `# since ${night}: ${PACKAGES} packages, ${full.findings.length} findings, ${findings.length} with news: ${texts}`,
    )
  }
})

test.after(() => {
  endAll()
  folder.remove()
})

test.run()
