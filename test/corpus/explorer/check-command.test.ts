/** The check page and `vulnshelf check` say the same about the same files, with a gateway and without one. */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CheckReader, type CheckReport, checkInventories } from '../../../builder/check/check.ts'
import { readInventories } from '../../../builder/check/read.ts'
import { type NamedDecisions, readDecisions } from '../../../builder/check/read-decisions.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import type { Api } from '../../../corpus/explorer/app/data/api.ts'
import { readerApi } from '../../../corpus/explorer/app/data/static.ts'
import {
  byStatus,
  type CheckResult,
  entryFor,
  resultOf,
  savedFile,
  today,
  withEntry,
  withFiles,
} from '../../../corpus/explorer/app/pages/check/decided.ts'
import { checkFiles, readFiles, unknownIdsOf } from '../../../corpus/explorer/app/pages/check/run.ts'
import { readDocument } from '../../../corpus/inventory/document.ts'
import { openReader, type Reader } from '../../../corpus/reader/reader.ts'
import { affectedRow } from '../../support/affected-row.ts'
import { FAIL_ON_HIGH } from '../../support/check-report.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { sharedSample } from '../../support/samples.ts'

const test = suite('the check page and the command')
const folder = temporaryFolder('check-page')
let reader: Reader
let findings: { name: string; id: string }[]

test.before(async () => {
  reader = await openReader((await sharedSample('usual')).dist)
  writeFiles(await packagesOf('npm'), await packagesOf('PyPI'))
})
test.after(async () => {
  await reader.close()
  folder.remove()
})

async function packagesOf(ecosystem: string): Promise<string[]> {
  const { body } = await reader.request(`/packages?ecosystem=${ecosystem}&limit=100`)
  return JSON.parse(body).data.map(({ name }: { name: string }) => name)
}

const write = (name: string, content: unknown) => {
  const path = join(folder.path, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  return path
}
const pathOf = (name: string) => join(folder.path, name)

const LOCKS = ['package-lock.json', 'requirements.txt', 'go.mod', 'purls.purl', 'bom.cdx.json']
const VEX = ['vendor.openvex.json', 'vendor.vex.json', 'vendor.csaf.json']

function writeFiles(npm: readonly string[], python: readonly string[]): void {
  const packages = Object.fromEntries(npm.map((name) => [`node_modules/${name}`, { version: '1.0.0' }]))
  write('package-lock.json', { name: 'a', lockfileVersion: 3, packages: { ...packages, 'packages/own': {} } })
  write('requirements.txt', `${python.map((name) => `${name}==1.0.0`).join('\n')}\nrequests>=2\n`)
  write('go.mod', 'module example.com/a\n\ngo 1.16\n\nrequire forge.example.com/lantern/lantern-http v1.0.0\n')
  write(
    'purls.purl',
    ['pkg:nuget/none@1.0.0', 'pkg:alien/none@1.0.0', ...npm.map((name) => `pkg:npm/${name}@dev`)].join('\n'),
  )
}

/** Decisions about findings of the lock files: applied, expired, about an unknown id, and about other packages. */
function writeDecisions(): void {
  const [a, b, c, d, e, f] = findings as [Named, Named, Named, Named, Named, Named]
  write('vulnshelf.ignore.json', {
    ignore: [
      { id: a.id, package: `npm/${a.name}`, reason: 'never called', until: '2999-01-31' },
      { id: b.id, reason: 'long ago', until: '2020-01-31' },
      { id: 'CVE-2024-99999', reason: 'misspelled' },
      { id: c.id, package: 'npm/other', reason: 'another package' },
    ],
  })
  const timestamp = '2026-01-01T00:00:00Z'
  const products = ({ name }: Named) => [{ '@id': `pkg:npm/${name}` }]
  write('vendor.openvex.json', {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    timestamp,
    statements: [
      {
        vulnerability: { name: b.id },
        products: products(b),
        status: 'not_affected',
        justification: 'component_not_present',
      },
      { vulnerability: { name: c.id }, products: products(c), status: 'under_investigation' },
    ],
  })
  const vulnerability = (one: Named, state: string) => ({
    ...{ id: one.id, analysis: { state, detail: 'as analysed' }, affects: [{ ref: `pkg:npm/${one.name}` }] },
  })
  write('vendor.vex.json', {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    vulnerabilities: [vulnerability(d, 'false_positive')],
  })
  write('bom.cdx.json', {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    components: [{ type: 'library', name: e.name, version: '1.0.0', purl: `pkg:npm/${e.name}@1.0.0` }],
    vulnerabilities: [vulnerability(e, 'resolved')],
  })
  write('vendor.csaf.json', {
    document: { csaf_version: '2.0', tracking: { current_release_date: timestamp } },
    product_tree: {
      full_product_names: [{ product_id: 'p', product_identification_helper: { purl: `pkg:npm/${f.name}` } }],
    },
    vulnerabilities: [{ cve: f.id, product_status: { known_affected: ['p'] } }],
  })
}

interface Named {
  name: string
  id: string
}

async function commandReport(operands: readonly string[], named: NamedDecisions[], source: CheckReader = reader) {
  const read = await readInventories(operands, [])
  const decisions = named.map(readDecisions)
  const options = { failOn: FAIL_ON_HIGH, omit: [], decisions, today: today(), earlier: null }
  return { read, report: await checkInventories(read, source, options, noProgress) }
}

const options = () => ({ signal: new AbortController().signal, onProgress() {} })
const chosenFrom = (paths: readonly string[]) =>
  paths.map((path) => ({ name: basename(path), bytes: new Uint8Array(readFileSync(path)) }))

async function pageResult(api: Api, paths: readonly string[], own: Parameters<typeof resultOf>[1]['own'] = []) {
  const { signal } = options()
  const read = await readFiles(chosenFrom(paths), signal, async ({ file, name, bytes }) =>
    readDocument(file, name, bytes),
  )
  const checked = await checkFiles(api, read.inventories, options())
  const decisions = { ...withFiles({ files: [], own: [] }, read.decisions), own }
  const unknown = await unknownIdsOf(api, checked, decisions, options())
  return { decisions, result: resultOf(checked, decisions, unknown, read.unreadable) }
}

/** What both state, with the names of files without their folders. */
function stated({ files, counts, findings, undecided, notChecked, decisions }: CheckReport | CheckResult): object {
  const text = JSON.stringify({
    files: files.map(({ file, format, packages }) => ({ file, format, packages })),
    ...{ counts, notChecked },
    findings: findings.map((one) => ({ ...one, fails: undefined, news: undefined })),
    undecided: undecided.map((one) => ({ ...one, news: undefined })),
    unused: decisions.unused,
  })
  return JSON.parse(text.replaceAll(`${folder.path}/`, ''))
}

const APIS: readonly [name: string, api: () => Api][] = [
  ['without a gateway', () => readerApi(reader)],
  ['with a gateway', () => ({ mode: 'gateway', get: readerApi(reader).get })],
]

for (const [name, api] of APIS) {
  test(`${name}, the page states what the command states about lock files, SBOMs and decisions`, async () => {
    const npm = await commandReport([pathOf('package-lock.json')], [])
    const all = npm.report.findings.map(({ name, advisory }) => ({ name, id: advisory.advisory_id }))
    assert.ok(all.length >= 6, String(all.length))
    findings = all
    writeDecisions()
    const files = LOCKS.map(pathOf)
    const vex = [...VEX, 'bom.cdx.json'].map((file): NamedDecisions => ({ role: 'vex', file: pathOf(file) }))
    const ignore: NamedDecisions = { role: 'ignore', file: pathOf('vulnshelf.ignore.json') }
    const { report } = await commandReport(files, [ignore, ...vex])
    assert.ok(report.counts.suppressed >= 4, String(report.counts.suppressed))
    assert.equal(
      report.decisions.unused.map(({ why }) => why),
      ['expired', 'unknown_id', 'matched_nothing'],
    )
    for (const key of ['affected', 'notAffected', 'undecided', 'notChecked'] as const)
      assert.ok(report.counts[key] > 0, key)
    const { result } = await pageResult(api(), [ignore, ...vex].map(({ file }) => file).concat(files.slice(0, -1)))
    assert.equal(result.unreadable, [])
    // The SBOM comes first here, because it has decisions too.
    const fileOrder = (one: object) => JSON.stringify(sorted(one))
    assert.is(fileOrder(stated(result)), fileOrder(stated(report)))
  })

  test(`${name}, a decision on the page suppresses what the saved file suppresses in the command`, async () => {
    const lock = pathOf('package-lock.json')
    const { result } = await pageResult(api(), [lock])
    const [first, second] = byStatus(result.findings).open
    const own = [entryFor(first!, 'not reachable', '2999-12-31')!, ...withEntry([], entryFor(second!, 'accepted', '')!)]
    const { decisions, result: decided } = await pageResult(api(), [lock, pathOf('vulnshelf.ignore.json')], own)
    const saved = write('saved.json', savedFile(decisions))
    const { report } = await commandReport([lock], [{ role: 'ignore', file: saved }])
    const suppressed = (all: (CheckReport | CheckResult)['findings']) =>
      all.flatMap(({ name, advisory, decision }) =>
        decision?.suppresses ? `${name} ${advisory.advisory_id} ${decision.reason} ${decision.until}` : [],
      )
    assert.equal(suppressed(decided.findings), suppressed(report.findings))
    assert.ok(
      suppressed(decided.findings).includes(`${first!.name} ${first!.advisory.advisory_id} not reachable 2999-12-31`),
    )
    assert.is(decided.counts.suppressed, report.counts.suppressed)
  })
}

/** Lists in one order, whatever the order of the files. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  )
}

/** Affects, or may affect, one package in three of each ecosystem, whose names the snapshot need not have. */
const someAffected = (): CheckReader => ({
  ...{ ecosystems: reader.ecosystems, releases: reader.releases, snapshot: reader.snapshot },
  advisory: (id) => reader.advisory(id),
  get: (id) => reader.get(id),
  affected: async (question) => {
    const { name } = question as { name: string }
    const kind = name.length % 6
    if (kind === 0) return [affectedRow(`A-${name}`, 'high')]
    if (kind === 1) return [affectedRow(`B-${name}`, null, { verdict: 'undecided', undecided_reason: 'version' })]
    return []
  },
})

test('the page states what the command states about all files of a folder', async () => {
  const { read, report } = await commandReport(
    [join(import.meta.dirname, '../inventory/lock-files')],
    [],
    someAffected(),
  )
  const paths = report.files.map(({ file }) => file)
  assert.ok(paths.length > 40, String(paths.length))
  const api: Api = { ...readerApi(reader), packages: someAffected() as never }
  const { result } = await pageResult(api, paths)
  assert.equal(result.unreadable, [])
  const numbered = (files: (CheckReport | CheckResult)['files'], of: object) => {
    const numbers = new Map(files.map(({ file }, i) => [file, i]))
    const text = JSON.stringify(of, (key, value) => (key === 'file' ? numbers.get(value) : value))
    return JSON.parse(text)
  }
  const same = numbered(result.files, stated(result))
  // The command names the manifests of a folder; a page gets only the files that the user chooses.
  const withoutManifests = report.notChecked.filter((one) => !read.notChecked.includes(one))
  const counts = {
    ...report.counts,
    packages: report.counts.packages - read.notChecked.length,
    notChecked: report.counts.notChecked - read.notChecked.length,
  }
  const expected = numbered(report.files, stated({ ...report, notChecked: withoutManifests, counts }))
  assert.equal(sorted(same), sorted(expected))
  for (const key of ['affected', 'notAffected', 'undecided', 'notChecked'] as const)
    assert.ok(result.counts[key] > 5, key)
})

test.run()
