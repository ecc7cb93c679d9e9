/** npm, pnpm, bun and yarn, unmodified, against the gateway. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { npmRecord, packagesOf, serveCompat } from '../../support/compat.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { listeningWith } from '../../support/listening.ts'
import { suiteNeeding } from '../../support/needs.ts'
import {
  audit,
  CLIENTS,
  type Client,
  type ClientName,
  installClients,
  writeProject,
} from '../../support/npm-clients.ts'

const test = suiteNeeding('npm clients', 'the npm registry')

const folder = temporaryFolder('npm-clients')
let clients: Record<ClientName, Client>

const ranges = (name: string, ...events: Record<string, string>[][]) => ({
  affected: [{ package: { ecosystem: 'npm', name }, ranges: events.map((one) => ({ type: 'SEMVER', events: one })) }],
})

const PACKAGES = packagesOf([
  npmRecord('GHSA-aaaa-aaaa-aaaa', 'left', '1.2.0'),
  npmRecord('GHSA-bbbb-bbbb-bbbb', 'left', '1.0.0'),
  npmRecord(
    'GHSA-cccc-cccc-cccc',
    '@scope/right',
    '',
    ranges(
      '@scope/right',
      [{ introduced: '1.0.0' }, { fixed: '1.5.0' }, { introduced: '2.0.0' }, { last_affected: '2.1.0' }],
      [{ introduced: '3.0.0' }, { fixed: '3.5.0' }],
    ),
  ),
  npmRecord('MAL-2024-1', 'malware', '', ranges('malware', [{ introduced: '0' }])),
  npmRecord('GHSA-dddd-dddd-dddd', 'fine', '1.0.0'),
])

const PROJECT = [
  ['left', '1.1.0'],
  ['@scope/right', '2.1.0'],
  ['malware', '0.0.0-alpha.1'],
  ['fine', '1.0.0'],
  ['unknown', '7.0.0'],
] as const

const FINDINGS = [
  '@scope/right@>=2.0.0 <=2.1.0 GHSA-cccc-cccc-cccc',
  'left@<1.2.0 GHSA-aaaa-aaaa-aaaa',
  'malware@>=0.0.0-0 MAL-2024-1',
]

test.before(async () => {
  clients = await installClients(join(folder.path, 'clients'))
})

for (const name of CLIENTS) {
  const project = () => writeProject(join(folder.path, name), PROJECT)

  test(`${name} finds the advisories of its lock file and exits with 1`, async () => {
    const server = await serveCompat({ packages: PACKAGES })
    const { code, findings, output } = await audit(clients[name], project(), server.url, server.token)
    await server.close()
    assert.equal([...findings].sort(), FINDINGS, output)
    assert.is(code, 1)
  })

  test(`${name} exits with 0 if there is nothing to find, also without tokens`, async () => {
    const server = await serveCompat({ packages: packagesOf([]), auth: 'none' })
    const { code, findings, output } = await audit(clients[name], project(), server.url, null)
    await server.close()
    assert.is(code, 0, output)
    assert.is(findings.size, 0)
  })

  test(`${name} fails with a wrong token, and with one that is missing`, async () => {
    const server = await serveCompat({ packages: PACKAGES })
    for (const token of ['a.b.c', null]) {
      const { code, findings, output } = await audit(clients[name], project(), server.url, token)
      assert.not.equal(code, 0, output)
      assert.is(findings.size, 0)
    }
    await server.close()
  })
}

/** A registry with one fixed version of each package. Collects the requests. */
async function registry() {
  const requests: { path: string; token: string | undefined }[] = []
  const fixes: Record<string, string[]> = { left: ['1.1.0', '1.2.0'], '@scope/right': ['2.1.0', '2.1.1'] }
  const server = await listeningWith((request, response) => {
    const path = decodeURIComponent(request.url!.slice(1))
    requests.push({ path, token: request.headers.authorization })
    const versions = fixes[path]
    response.statusCode = versions ? 200 : 404
    response.setHeader('Content-Type', 'application/json')
    const document = versions && {
      name: path,
      'dist-tags': { latest: versions.at(-1) },
      versions: Object.fromEntries(
        versions.map((version) => [
          version,
          { name: path, version, dist: { tarball: `${server.origin}/${path}.tgz` } },
        ]),
      ),
    }
    response.end(JSON.stringify(document ?? { error: 'not found' }))
  })
  return { ...server, requests }
}

test('with an upstream registry on another host, npm finds fixes there and does not send it the token', async () => {
  const upstream = await registry()
  const npm = { ...clients.npm, home: join(folder.path, 'fixes') }
  const run = async (npmUpstream?: string) => {
    const interfaces = npmUpstream === undefined ? {} : { npmUpstream }
    const server = await serveCompat({ packages: PACKAGES, interfaces })
    const result = await audit(npm, writeProject(join(folder.path, 'upstream'), PROJECT), server.url, server.token)
    await server.close()
    assert.equal([...result.findings].sort(), FINDINGS, result.output)
    return [...result.fixable].sort()
  }
  try {
    assert.equal(await run(), [], 'without one')
    assert.is(upstream.requests.length, 0)
    assert.equal(await run(`http://localhost:${upstream.port}`), ['@scope/right', 'left'])
    assert.ok(upstream.requests.length > 0)
    assert.equal(
      upstream.requests.filter(({ token }) => token !== undefined),
      [],
    )
  } finally {
    await upstream.close()
  }
})

test.after(() => folder.remove())
test.run()
