/** Debian's Composer, unmodified, against the listener: directly, and through nginx as the documentation has it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { packagesOf, packagistRecord, serveCompat } from '../../support/compat.ts'
import { composerAudit, writeComposerProject } from '../../support/composer-client.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { suiteNeeding } from '../../support/needs.ts'
import { startNginx } from '../../support/nginx.ts'
import { makeCertificate } from '../../support/redis.ts'

const folder = temporaryFolder('composer-client')

const PACKAGES = packagesOf([
  packagistRecord('GHSA-1', 'acme/lib', [{ introduced: '0' }, { fixed: '1.2.0' }]),
  packagistRecord('GHSA-2', 'acme/pre', [{ introduced: '2.0.0' }, { fixed: '3.0.0-RC2' }]),
  packagistRecord('GHSA-3', 'acme/every', [{ introduced: '0' }]),
  packagistRecord('GHSA-4', 'acme/fixed', [{ introduced: '0' }, { fixed: '1.2.0' }]),
  packagistRecord('GHSA-5', 'acme/early', [{ introduced: '2.0.0' }]),
])

const project = writeComposerProject(join(folder.path, 'project'), [
  ['acme/lib', 'v1.2.0-beta1'],
  ['acme/fixed', '1.2.0'],
  ['acme/early', '2.0.0-alpha'],
  ['acme/unknown', '1.0.0'],
  ['acme/every', 'dev-main'],
  ['acme/pre', '3.0.0-rc1'],
])
const FINDINGS = ['acme/every GHSA-3', 'acme/lib GHSA-1', 'acme/pre GHSA-2']

const test = suiteNeeding('composer audit', 'Composer')

test('finds pre-releases and branches, and exits with the number of packages', async () => {
  const server = await serveCompat({ packages: PACKAGES, interfaces: { compat: ['composer'] } })
  const { code, findings, output } = await composerAudit(project, server.url, server.token)
  await server.close()
  assert.equal(findings, FINDINGS, output)
  assert.is(code, 3)
})

test('needs no token without authentication, and exits with 0 without a finding', async () => {
  const server = await serveCompat({ auth: 'none', interfaces: { compat: ['composer'] } })
  const { code, findings, output } = await composerAudit(project, server.url, null)
  await server.close()
  assert.is(code, 0, output)
  assert.equal(findings, [])
})

const proxied = suiteNeeding('composer audit through nginx', 'Composer', 'nginx', 'openssl')

proxied('follows the URL that the client used, with the documented settings', async () => {
  const limits = { trustedProxies: ['127.0.0.1'] }
  const server = await serveCompat({ packages: PACKAGES, limits, interfaces: { compat: ['composer'] } })
  const { certFile, keyFile } = makeCertificate(folder.path)
  const page = readFileSync(join(import.meta.dirname, '../../../gateway/deploy/README.md'), 'utf8')
  const location = /```nginx\n(location \/ \{.*?\n\})\n```/s
    .exec(page)![1]!
    .replace('127.0.0.1:8081', `127.0.0.1:${server.port}`)
  const proxy = await startNginx(
    join(folder.path, 'nginx'),
    (port) => `server {
      listen 127.0.0.1:${port} ssl;
      ssl_certificate ${certFile};
      ssl_certificate_key ${keyFile};
      ${location}
    }`,
  )
  try {
    const url = `https://localhost:${proxy.port}`
    const settings = { 'secure-http': true, cafile: certFile }
    const { findings, output } = await composerAudit(project, url, server.token, settings)
    assert.equal(findings, FINDINGS, output)
  } finally {
    await proxy.stop()
    await server.close()
  }
})

proxied.run()

test.after(() => folder.remove())
test.run()
