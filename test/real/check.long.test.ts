/**
 * `vulnshelf check` over a snapshot of real advisories: its findings are those of a second implementation
 * (`audit-findings.py`) for files of each format that the exports have advisories for.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import * as assert from 'uvu/assert'
import type { CheckReport } from '../../builder/check/check.ts'
import { endAll, vulnshelf } from '../cli/command.ts'
import { temporaryFolder } from '../support/dist.ts'
import { REAL_PACKAGES, suiteNeeding } from '../support/needs.ts'
import { installClients, runClient } from '../support/npm-clients.ts'
import { REAL_EXPORTS, realPackages } from '../support/samples.ts'
import { lockedProjects } from './npm-project.ts'
import { type Findings, findingsOf } from './second-implementation.ts'

const NEEDS = ['real feeds', 'real advisories of packages', "python3's packaging"] as const
const test = suiteNeeding('check', ...NEEDS)
const npmTest = suiteNeeding('check of files of npm, pnpm and yarn', ...NEEDS, 'the npm registry')

const folder = temporaryFolder('check')
const at = (...names: string[]) => join(folder.path, ...names)
let dist: string

async function check(file: string, ...words: string[]) {
  const { code, out, err } = await vulnshelf(['check', file, '--snapshot', dist, '--output', 'json', ...words])
  assert.ok(code === 0 || code === 1, err.join('\n'))
  return { code, report: JSON.parse(out) as CheckReport }
}

const keyOf = (name: string, version: string) => `${name}@${version}`

/** Asserts that a report has a row for each advisory of the second implementation, and no row without one. */
async function assertFindings(file: string, expected: Findings, least: number): Promise<void> {
  const { code, report } = await check(file)
  assert.is(report.counts.packages - report.counts.notChecked, expected.packages.length)
  const different: string[] = []
  const stated = [
    ...report.findings,
    ...report.undecided.flatMap(({ advisories, ...one }) => advisories.map((advisory) => ({ ...one, advisory }))),
  ]
  const rows = Map.groupBy(stated, ({ name, version }) => keyOf(name, version))
  const affected = new Set(expected.findings.map((one) => one.join(' ')))
  const all = Map.groupBy([...expected.findings, ...expected.undecided], ([name, version]) => keyOf(name, version))
  for (const key of new Set([...rows.keys(), ...all.keys()])) {
    const advisories = new Set(all.get(key) ?? [])
    for (const { advisory } of rows.get(key) ?? []) {
      // Advisories that alias each other are one row.
      const ids = [advisory.advisory_id, ...advisory.aliases]
      const own = [...advisories].filter((one) => ids.includes(one[2]))
      for (const one of own) advisories.delete(one)
      const verdict = own.some((one) => affected.has(one.join(' '))) ? 'affected' : 'undecided'
      if (own.length === 0) different.push(`${key} ${advisory.advisory_id}: no record states it`)
      else if (verdict !== advisory.verdict) different.push(`${key} ${advisory.advisory_id}: ${advisory.verdict}`)
    }
    for (const [, , advisory] of advisories) different.push(`${key} ${advisory}: not found`)
  }
  assert.equal(different, [])
  assert.ok(expected.findings.length >= least, `only ${expected.findings.length} findings`)
  assert.is(code, report.failing.findings > 0 ? 1 : 0)
  assert.ok(report.failing.findings > 0)
  console.log(
    `# ${report.files[0]!.format}: ${expected.packages.length} packages, ${expected.findings.length} findings, ${expected.undecided.length} undecided`,
  )
}

/** Returns versions of one package in `step` that the records of an export list, and versions that do not exist. */
function packagesOf(path: string, step: number): [name: string, version: string][] {
  const records = Object.values(unzipSync(readFileSync(join(REAL_PACKAGES, path)))).map((bytes) =>
    JSON.parse(Buffer.from(bytes).toString()),
  ) as { affected?: { package: { name: string }; versions?: string[] }[] }[]
  const versions = new Map<string, string[]>()
  for (const { package: named, versions: listed = [] } of records.flatMap(({ affected = [] }) => affected)) {
    const simple = listed.filter((version) => /^[\w.+-]+$/.test(version))
    // One spelling of each name.
    const name = path.includes('PyPI') ? named.name.replace(/[-_.]+/g, '-') : named.name
    versions.set(name.toLowerCase(), [...(versions.get(name.toLowerCase()) ?? []), ...simple])
  }
  return [...versions]
    .filter(([name], i) => i % step === 0 && /^[\w./-]+$/.test(name))
    .flatMap(([name, listed]) =>
      [...new Set([listed[0], listed[Math.floor(listed.length / 2)], '99.0.0'])].flatMap((version) =>
        version === undefined ? [] : [[name, version] as [string, string]],
      ),
    )
}

const json = (value: object) => `${JSON.stringify(value, null, 4)}\n`

const WRITERS: [file: string, path: string, step: number, write: (packages: [string, string][]) => string][] = [
  [
    'composer.lock',
    'osv/Packagist/all.zip',
    1,
    (packages) => {
      const entries = packages.map(([name, version]) => ({ name, version }))
      const half = Math.floor(entries.length / 2)
      return json({ packages: entries.slice(0, half), 'packages-dev': entries.slice(half) })
    },
  ],
  ['requirements.txt', 'osv/PyPI/all.zip', 7, (packages) => packages.map((one) => `${one.join('==')}\n`).join('')],
  [
    'poetry.lock',
    'osv/PyPI/all.zip',
    3,
    (packages) =>
      packages
        .map(([name, version]) => `[[package]]\nname = "${name}"\nversion = "${version}"\nfiles = []\n`)
        .join('\n'),
  ],
]

test.before(async () => {
  dist = await realPackages()
})

/** Records of one export can state packages of another. */
const exports = REAL_EXPORTS.map((path) => join(REAL_PACKAGES, path))

/** Asserts the findings of all files. Reading the exports takes most of the script's time, so it runs once. */
async function assertAllFindings(files: readonly string[], least: number): Promise<void> {
  const expected = await findingsOf(exports, files)
  for (const [i, file] of files.entries()) await assertFindings(file, expected[i]!, least)
}

test('the findings of files of Composer and Python are those of every record', async () => {
  const files = WRITERS.map(([name, path, step, write]) => {
    mkdirSync(at(name))
    writeFileSync(at(name, name), write(packagesOf(path, step)))
    return at(name, name)
  })
  await assertAllFindings(files, 100)
})

npmTest('the findings of files of npm, pnpm and yarn are those of every record', async () => {
  const clients = await installClients(folder.path)
  const { vulnerable } = await lockedProjects()
  const files = [vulnerable.npm, vulnerable.pnpm, vulnerable.yarn].map(({ lock }) => lock)
  for (const [format, file] of [
    ['cyclonedx', 'npm.cdx.json'],
    ['spdx', 'npm.spdx.json'],
  ] as const) {
    const words = ['sbom', '--package-lock-only', '--sbom-format', format]
    const { code, out, err } = await runClient(clients.npm, vulnerable.npm.folder, words)
    assert.is(code, 0, err)
    writeFileSync(at(file), out)
    files.push(at(file))
  }
  await assertAllFindings(files, 50)
})

const end = () => {
  endAll()
  folder.remove()
}
npmTest.after(end)

test.run()
npmTest.run()
