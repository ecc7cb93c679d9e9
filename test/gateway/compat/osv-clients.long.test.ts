/** Clients of OSV's API, unmodified, against the gateway. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { npmRecord, packagesOf, serveCompat } from '../../support/compat.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { suiteNeeding } from '../../support/needs.ts'
import { writeProject } from '../../support/npm-clients.ts'
import { bunScan, cveLiteScan, installOsvClients, type OsvClients, tlsProxy } from '../../support/osv-clients.ts'

const test = suiteNeeding('OSV clients', 'the npm registry', 'openssl')

const folder = temporaryFolder('osv-clients')
let clients: OsvClients

const modified = '2024-05-06T07:08:09Z'
const PACKAGES = packagesOf([
  npmRecord('GHSA-aaaa-aaaa-aaaa', 'left', '1.2.0', { modified }),
  npmRecord('GHSA-bbbb-bbbb-bbbb', 'left', '1.0.0', { modified }),
  npmRecord('GHSA-cccc-cccc-cccc', '@scope/right', '2.2.0', { modified, aliases: ['CVE-2024-0001'] }),
  npmRecord('GHSA-eeee-eeee-eeee', '@scope/right', '2.2.0', { modified, withdrawn: modified }),
  npmRecord('GHSA-dddd-dddd-dddd', 'fine', '1.0.0', { modified }),
])

const PROJECT = [
  ['left', '1.1.0'],
  ['@scope/right', '2.1.0'],
  ['fine', '1.0.0'],
  ['unknown', '7.0.0'],
] as const

const FINDINGS = ['@scope/right@2.1.0 GHSA-cccc-cccc-cccc', 'left@1.1.0 GHSA-aaaa-aaaa-aaaa']

test.before(() => {
  mkdirSync(join(folder.path, 'clients'))
  clients = installOsvClients(join(folder.path, 'clients'))
})

const serve = (packages = PACKAGES) => serveCompat({ packages, auth: 'none', interfaces: { compat: ['osv'] } })

for (const [packages, expected, exit] of [
  [PACKAGES, FINDINGS, 1],
  [packagesOf([]), [], 0],
] as const) {
  test(`cve-lite-cli has ${expected.length} findings, and exits with ${exit}`, async () => {
    const server = await serve(packages)
    const proxy = await tlsProxy(folder.path, server.url)
    const { code, findings, output } = await cveLiteScan(
      clients,
      writeProject(join(folder.path, 'project'), PROJECT),
      proxy,
    )
    await proxy.close()
    await server.close()
    assert.equal([...findings].sort(), expected, output)
    assert.is(code, exit, output)
  })

  for (const batch of [true, false]) {
    test(`bun's scanner reports ${expected.length} advisories, ${batch ? 'in a batch' : 'by single queries'}`, async () => {
      const server = await serve(packages)
      const { read, reported, output } = await bunScan(clients, PROJECT, server.url, { batch })
      await server.close()
      assert.is(read, expected.length, output)
      assert.is(reported, expected.length, output)
    })
  }
}

test.after(() => folder.remove())
test.run()
