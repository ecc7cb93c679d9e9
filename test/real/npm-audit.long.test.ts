/**
 * npm, pnpm, bun and yarn, unmodified, audit a real project against real advisories. Each makes its own lock file from
 * the registry. Its findings must be those of a second implementation (`audit-findings.py`) for this lock file.
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { endAll } from '../cli/command.ts'
import { BULK } from '../support/compat.ts'
import { temporaryFolder } from '../support/dist.ts'
import { needs, REAL_PACKAGES } from '../support/needs.ts'
import {
  type Audit,
  audit,
  CLIENTS,
  type Client,
  type ClientName,
  installClients,
  runClient,
} from '../support/npm-clients.ts'
import { realPackages } from '../support/samples.ts'
import { type Serving, serving } from '../support/serving.ts'
import { lockedProjects, VULNERABLE } from './npm-project.ts'
import { type Findings, findingsOf } from './second-implementation.ts'

needs('real feeds', 'real advisories of packages', "python3's packaging", 'the npm registry')

/** Packages of each lock file that are none of the vulnerable ones. */
const MIN_OTHERS = 200

const EXPORT = 'osv/npm/all.zip'

const folder = temporaryFolder('npm-audit')
const dist = await realPackages()
const project = (name: ClientName) => join(folder.path, 'vulnerable', name)
const fine = (name: ClientName) => join(folder.path, 'fine', name)
let clients: Record<ClientName, Client>
let expected: Record<ClientName, { vulnerable: Findings; fine: Findings }>
let gateway: Serving

// Hostile requests and many audits exceed the default quota of a subject.
const serve = (...words: string[]) =>
  serving(folder.path, dist, ['--compat', 'npm', '--compat-port', '0', '--rate-limit', '1000000', ...words])

const sorted = (all: Iterable<string>) => [...new Set(all)].sort()

/** `name advisory`, without the version or the range. */
const pairs = (findings: Iterable<string>) => sorted(Array.from(findings, (one) => one.replace(/@[^@]* (\S+)$/, ' $1')))

const expectedPairs = ({ findings }: Findings) => sorted(findings.map(([name, , advisory]) => `${name} ${advisory}`))

/**
 * Asserts that a client found what the records say, no more and no less. No client hides a finding, so that there are no
 * exceptions. Lock files differ: bun joins more ranges into one version, yarn adds node-gyp for native packages.
 */
function assertFindings(name: ClientName, { code, findings, affected, output }: Audit): void {
  const { vulnerable } = expected[name]
  assert.ok(findings.size > 0, output)
  assert.equal(pairs(findings), expectedPairs(vulnerable))
  if (name === 'pnpm' || name === 'yarn') {
    const triples = vulnerable.findings.map(([one, version, advisory]) => `${one}@${version} ${advisory}`)
    assert.equal(sorted(affected), sorted(triples))
  }
  assert.is(code, 1)
}

const auditBy = (name: ClientName, { compatUrl, token }: Pick<Serving, 'compatUrl' | 'token'> = gateway) =>
  audit(clients[name], project(name), compatUrl, token)

test('each client makes its lock files', async () => {
  clients = await installClients(folder.path)
  const made = await lockedProjects()
  // Audits write the settings of the client.
  for (const kind of ['vulnerable', 'fine'] as const)
    for (const name of CLIENTS) cpSync(made[kind][name].folder, join(folder.path, kind, name), { recursive: true })
  const locks = CLIENTS.flatMap((name) => [made.vulnerable[name].lock, made.fine[name].lock])
  const found = await findingsOf([join(REAL_PACKAGES, EXPORT)], locks)
  expected = Object.fromEntries(
    CLIENTS.map((name, i) => [name, { vulnerable: found[2 * i]!, fine: found[2 * i + 1]! }]),
  ) as typeof expected
  gateway = await serve()
})

for (const name of CLIENTS) {
  test(`${name} finds what each record says of its lock file, and exits with 1`, async () => {
    const { packages, findings } = expected[name].vulnerable
    const found = new Set(findings.map(([one, version]) => `${one}@${version}`))
    assert.equal(
      VULNERABLE.map((one) => one.join('@')).filter((one) => !found.has(one)),
      [],
      'packages without a finding',
    )
    assert.ok(packages.length >= VULNERABLE.length + MIN_OTHERS, `${packages.length} packages`)
    const start = performance.now()
    const result = await auditBy(name)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    assertFindings(name, result)
    const counts = `${packages.length} packages, ${found.size} vulnerable, ${pairs(result.findings).length} findings`
    console.log(`# ${name}: ${counts}, ${seconds} s`)
  })

  test(`${name} exits with 0 for a project without vulnerable packages`, async () => {
    assert.equal(expected[name].fine.findings, [])
    const { code, findings, output } = await audit(clients[name], fine(name), gateway.compatUrl, gateway.token)
    assert.is(code, 0, output)
    assert.is(findings.size, 0)
  })
}

/** bun shows the status alone, yarn a text of its own. Neither shows a message of the server. */
const REJECTIONS: Record<ClientName, RegExp> = {
  npm: /"message": "the token is malformed"/,
  pnpm: /responded with 401: \{"message":"the token is malformed"\}/,
  bun: /POST http\S+\/bulk - 401/,
  yarn: /YN0041: Invalid authentication/,
}

for (const name of CLIENTS) {
  test(`${name} shows its error for a wrong token, and exits with 1`, async () => {
    const { code, findings, output } = await auditBy(name, { ...gateway, token: 'a.b.c' })
    assert.match(output, REJECTIONS[name])
    assert.is(code, 1)
    assert.is(findings.size, 0)
  })
}

test('without an upstream registry, the report of npm is complete and names no fix', async () => {
  const { fixable } = await auditBy('npm')
  assert.is(fixable.size, 0)
  const { code, out } = await runClient(clients.npm, project('npm'), ['audit'])
  assert.is(code, 1)
  assert.match(out, 'No fix available')
  assert.not.match(out, 'fix available via')
  const { findings } = expected.npm.vulnerable
  const named = new Set(Array.from(out.matchAll(/^ *(\S+) {2}$/gm), ([, name]) => name!))
  assert.equal(
    sorted(findings.map(([name]) => name)).filter((name) => !named.has(name)),
    [],
  )
  // The text omits advisories of a package that it shows below a vulnerable dependency. The report in JSON has them.
  const below = new Set(Array.from(out.matchAll(/^ +(\S+) {2}$/gm), ([, name]) => name!))
  const shown = findings.filter(([name]) => !below.has(name)).map(([, , advisory]) => advisory)
  assert.ok(shown.length > findings.length / 2)
  assert.equal(sorted(Array.from(out.matchAll(/GHSA(?:-\w{4}){3}/g), ([id]) => id)), sorted(shown))
})

test('with the real registry as upstream, npm finds the same and names fixes', async () => {
  const upstream = await serve('--npm-upstream', 'https://registry.npmjs.org')
  try {
    const found = await auditBy('npm', upstream)
    assertFindings('npm', found)
    // The last version of `request` requires a vulnerable tough-cookie.
    const unfixable = VULNERABLE.map(([name]) => name).filter((name) => !found.fixable.has(name))
    assert.equal(unfixable, ['tough-cookie'])
    const { out } = await runClient(clients.npm, project('npm'), ['audit'])
    assert.match(out, 'fix available via `npm audit fix')
  } finally {
    await upstream.stop()
  }
})

const GZIP = { 'content-encoding': 'gzip' }

/** Bodies of hostile clients, with the status that each must get. */
const HOSTILE: [
  name: string,
  status: number,
  body: string | Uint8Array<ArrayBuffer>,
  headers?: Record<string, string>,
][] = [
  ['a gzip bomb', 413, gzipSync(Buffer.alloc(64 << 20, ' ')), GZIP],
  ['a gzip bomb of one name', 413, gzipSync(`{"${'a'.repeat(32 << 20)}":[]}`), GZIP],
  ['broken gzip', 400, 'not gzip', GZIP],
  ['2 MiB', 413, ' '.repeat(2 << 20)],
  ['deep lists', 413, '['.repeat(100_000)],
  [
    'too many names',
    413,
    gzipSync(JSON.stringify(Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [i, []])))),
    GZIP,
  ],
  ['too many versions', 413, JSON.stringify({ lodash: Array.from({ length: 201 }, () => '1.0.0') })],
  ['half a body', 400, '{"lodash":["4.17.'],
  ['no list', 400, '{"lodash":"4.17.15"}'],
  ['a list', 400, '["lodash"]'],
  ['a form', 415, 'lodash=4.17.15', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['an unknown coding', 415, '{}', { 'content-encoding': 'zstd' }],
]

test('hostile bodies are refused with 4xx while the clients audit, and no audit is affected', async () => {
  let isDone = false
  const different = new Set<string>()
  const counts = new Map<number, number>()
  const attack = async () => {
    do {
      for (const [name, status, body, headers = {}] of HOSTILE) {
        const all = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json', ...headers }
        const answer = await fetch(gateway.compatUrl + BULK, { method: 'POST', headers: all, body })
        counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
        const { message } = (await answer.json()) as { message?: string }
        if (answer.status !== status || !message) different.add(`${name}: ${answer.status} ${message}`)
      }
    } while (!isDone)
  }
  const attacks = Array.from({ length: 4 }, attack)
  try {
    for (const name of CLIENTS) assertFindings(name, await auditBy(name))
  } finally {
    isDone = true
    await Promise.all(attacks)
  }
  assert.equal([...different], [])
  console.log(`# hostile requests during the audits: ${JSON.stringify(Object.fromEntries(counts))}`)
})

test('the gateway has logged no error, and ends with 0', async () => {
  const { code, log } = await gateway.stop()
  assert.is(code, 0)
  assert.equal(
    log.filter(({ level }) => Number(level) >= 50),
    [],
  )
  assert.ok(log.some(({ path, status }) => path === BULK && status === 200))
})

test.after(() => {
  gateway?.process.kill('SIGKILL')
  endAll()
  folder.remove()
})

test.run()
