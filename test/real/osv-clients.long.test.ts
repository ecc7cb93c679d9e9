/**
 * OSV's interface over real advisories: every record is valid in the OSV schema, batches find what a second
 * implementation (`audit-findings.py`) finds, and so do clients, unmodified.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ingestAndBuild, temporaryFolder } from '../support/dist.ts'
import { needs, REAL_FEEDS, REAL_PACKAGES } from '../support/needs.ts'
import { type Dependency, writeProject } from '../support/npm-clients.ts'
import { bunScan, cveLiteScan, installOsvClients, type OsvClients, tlsProxy } from '../support/osv-clients.ts'
import { schemaFaults } from '../support/osv-schema.ts'
import { type Serving, serving } from '../support/serving.ts'
import { linkFeeds, SMALL_FEEDS } from './feeds-folder.ts'
import { findingsOf } from './second-implementation.ts'

needs('real feeds', 'real advisories of packages', "python3's packaging", 'the npm registry', 'openssl')

const CVE_LIST = 'cvelistv5/2024-06-30_all_CVEs.zip'
const NPM = 'osv/npm/all.zip'
/** Files with records, in the order of precedence: the export wins over GitHub's repository. */
const FILES: [feeds: string, file: string][] = [
  [REAL_FEEDS, 'ghsa/advisory-database.zip'],
  [REAL_FEEDS, 'osv/Bitnami/all.zip'],
  [REAL_FEEDS, 'osv/Go/all.zip'],
  [REAL_PACKAGES, 'osv/Packagist/all.zip'],
  [REAL_PACKAGES, 'osv/PyPI/all.zip'],
  [REAL_PACKAGES, NPM],
]

/** Clients look for fixes of each in the public registry, so these are few. All but the last two are vulnerable. */
const PROJECT: Dependency[] = [
  ['ansi-regex', '5.0.0'],
  ['axios', '0.21.1'],
  ['elliptic', '6.5.3'],
  ['handlebars', '4.7.6'],
  ['jsonwebtoken', '8.5.1'],
  ['lodash', '4.17.15'],
  ['node-forge', '1.2.1'],
  ['tar', '6.1.0'],
  ['undici', '5.5.0'],
  ['ws', '7.4.5'],
  ['chalk', '4.1.2'],
  ['winston', '3.17.0'],
]

interface OsvRecord {
  id: string
  withdrawn?: string
  affected?: { package?: { ecosystem: string; name: string }; ranges?: { events: Record<string, string>[] }[] }[]
}

const folder = temporaryFolder('osv-real')
const dist = join(folder.path, 'dist')
/** By file, then by id. */
const published = new Map<string, Map<string, OsvRecord>>()
let gateway: Serving
let clients: OsvClients

function recordsOf(path: string): Map<string, OsvRecord> {
  const files = Object.entries(unzipSync(readFileSync(path))).filter(([name]) => name.endsWith('.json'))
  const records = files.map(([, bytes]) => JSON.parse(new TextDecoder().decode(bytes)) as OsvRecord)
  return new Map(records.map((record) => [record.id, record]))
}

/** A version of each package of the npm export: one that an event names, so that verdicts differ. */
function versions(): Dependency[] {
  const found = new Map<string, string[]>()
  for (const { affected = [] } of published.get(NPM)!.values()) {
    for (const entry of affected) {
      const events = entry.ranges?.flatMap((range) => range.events.flatMap((event) => Object.values(event))) ?? []
      const named = events.filter((version) => version !== '0')
      if (entry.package && named.length > 0) found.set(entry.package.name, named)
    }
  }
  return Array.from(found, ([name, named], i) => [name, named[i % named.length]!] as const)
}

/** Returns `name@version advisory` of each project, sorted. */
async function expectedFindings(...projects: string[]): Promise<string[][]> {
  const locks = projects.map((project) => join(project, 'package-lock.json'))
  const found = await findingsOf([join(REAL_PACKAGES, NPM)], locks)
  return found.map(({ findings }) =>
    findings.map(([name, version, advisory]) => `${name}@${version} ${advisory}`).sort(),
  )
}

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(gateway.compatUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  assert.is(answer.status, 200, text)
  return JSON.parse(text) as Record<string, unknown>
}

/** Calls `use` for all items, several at a time. */
async function forAll<T>(items: readonly T[], use: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await use(item)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

test('the feeds become a snapshot, which is served without tokens', async () => {
  const [feeds, corpus] = [join(folder.path, 'feeds'), join(folder.path, 'corpus.db')]
  linkFeeds(feeds, [...SMALL_FEEDS, CVE_LIST])
  for (const [from, file] of FILES) {
    linkFeeds(feeds, [file], from)
    published.set(file, recordsOf(join(from, file)))
  }
  await ingestAndBuild({ feeds, corpus, dist })
  const words = ['--compat', 'osv', '--compat-port', '0', '--compat-auth', 'none', '--rate-limit', '1000000']
  gateway = await serving(folder.path, dist, words)
})

/** Its time is in the year 1, written as `1-01-01T00:00:00Z`. */
const INVALID = ['PYSEC-2024-55']

test('every record is valid in the OSV schema, and answered as published', async () => {
  const byId = new Map<string, OsvRecord[]>()
  for (const record of [...published.values()].flatMap((records) => [...records.values()])) {
    byId.set(record.id, [...(byId.get(record.id) ?? []), record])
  }
  assert.ok(byId.size > 19_000, String(byId.size))
  const invalid: string[] = []
  await forAll([...byId], async ([id, records]) => {
    if (records.some((record) => schemaFaults(record).length > 0)) invalid.push(id)
    const answer = (await (await fetch(`${gateway.compatUrl}/v1/vulns/${id}`)).json()) as object
    assert.equal(schemaFaults(answer), [], id)
    const text = JSON.stringify(answer)
    assert.is(
      records.some((record) => JSON.stringify(record) === text),
      !INVALID.includes(id),
      id,
    )
  })
  assert.equal(invalid, INVALID)
})

test('queries of all npm packages without a version answer all records that are not withdrawn', async () => {
  const records = [...published.get(NPM)!.values()]
  const names = new Set(records.flatMap(({ affected = [] }) => affected.flatMap((entry) => entry.package?.name ?? [])))
  const found = new Set<string>()
  await forAll([...names], async (name) => {
    const { vulns } = (await post('/v1/query', { package: { ecosystem: 'npm', name } })) as { vulns: OsvRecord[] }
    for (const record of vulns) {
      assert.equal(schemaFaults(record), [], record.id)
      assert.is(record.withdrawn, undefined)
      found.add(record.id)
    }
  })
  const expected = records.filter(({ withdrawn }) => withdrawn === undefined).map(({ id }) => id)
  assert.equal(
    expected.filter((id) => !found.has(id)),
    [],
  )
})

test('batches find what the records say of a version of each npm package', async () => {
  const packages = versions()
  assert.ok(packages.length > 1500, String(packages.length))
  const [expected] = await expectedFindings(writeProject(join(folder.path, 'all'), packages))
  const found: string[] = []
  for (let at = 0; at < packages.length; at += 1000) {
    const part = packages.slice(at, at + 1000)
    const queries = part.map(([name, version]) => ({
      package: { purl: `pkg:npm/${name.replace('@', '%40')}` },
      version,
    }))
    const { results } = (await post('/v1/querybatch', { queries })) as { results: { vulns?: OsvRecord[] }[] }
    assert.is(results.length, part.length)
    results.forEach(({ vulns = [] }, i) => {
      // GitHub's repository has further records.
      const known = vulns.filter(({ id }) => published.get(NPM)!.has(id))
      found.push(...known.map(({ id }) => `${part[i]!.join('@')} ${id}`))
    })
  }
  assert.ok(found.length > 1000)
  assert.equal(found.sort(), expected)
  console.log(`# batches: ${packages.length} packages, ${found.length} findings`)
})

test('cve-lite-cli and the scanner of bun find what the records say of a lock file', async () => {
  mkdirSync(join(folder.path, 'clients'))
  clients = installOsvClients(join(folder.path, 'clients'))
  const project = writeProject(join(folder.path, 'project'), PROJECT)
  const [expected = []] = await expectedFindings(project)
  assert.is(new Set(expected.map((one) => one.split(' ')[0])).size, PROJECT.length - 2)
  const proxy = await tlsProxy(folder.path, gateway.compatUrl)
  const { code, findings, output } = await cveLiteScan(clients, project, proxy)
  await proxy.close()
  assert.equal([...findings].sort(), expected, output)
  assert.is(code, 1)
  // It reports only those that it finds again by ranges of the type SEMVER. This export has ranges of the type ECOSYSTEM.
  const bun = await bunScan(clients, PROJECT, gateway.compatUrl)
  assert.is(bun.found, expected.length, bun.output)
  assert.is(bun.read, new Set(expected.map((one) => one.split(' ')[1])).size)
  console.log(`# ${PROJECT.length} packages: ${findings.size} findings of cve-lite-cli, ${bun.found} of bun's scanner`)
})

test('the gateway has logged no error, and ends with 0', async () => {
  const { code, log } = await gateway.stop()
  assert.is(code, 0)
  assert.equal(
    log.filter(({ level }) => Number(level) >= 50),
    [],
  )
})

test.after(() => {
  gateway?.process.kill('SIGKILL')
  folder.remove()
})

test.run()
