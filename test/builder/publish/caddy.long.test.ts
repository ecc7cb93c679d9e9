/** The Caddyfile for a published folder: record files are JSON that is compressed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { publish } from '../../../builder/publish/publish.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { freePort } from '../../support/listening.ts'
import { needs } from '../../support/needs.ts'
import { openWorld } from '../../support/publisher.ts'
import { sharedSample } from '../../support/samples.ts'
import { until } from '../../support/until.ts'

needs('Caddy')

const test = suite('a published folder behind Caddy')
const folder = temporaryFolder('publish-caddy')
const root = join(folder.path, 'published')

test('record files are served as compressed JSON, other files as they are', async () => {
  const world = openWorld()
  const { dist } = await sharedSample('small')
  await publish({ dist, to: root, records: true }, world.effects, noProgress)
  await world.close()
  const port = await freePort()
  const example = readFileSync(join(import.meta.dirname, '../../examples/Caddyfile'), 'utf8')
  const changed = example.replace(':80 {', `http://127.0.0.1:${port} {`).replace('/srv/vulnshelf', root)
  assert.ok(changed.includes(root) && changed.includes(`:${port}`))
  const file = join(folder.path, 'Caddyfile')
  writeFileSync(file, changed)
  const env = { ...process.env, HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path }
  const child: ChildProcess = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    env,
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}/`
  try {
    await until(
      async () => (await fetch(`${url}latest.json`).catch(() => null))?.ok === true,
      () => 'Caddy did not start',
    )
    const name = readdirSync(join(root, 'cves')).find((one) => one.startsWith('CVE-'))!
    const block = readdirSync(join(root, 'cves/epss'))[0]!
    for (const path of [name, `epss/${block}`]) {
      const answer = await fetch(`${url}cves/${path.replace('.gz', '')}`)
      assert.equal(
        [answer.status, answer.headers.get('content-encoding'), answer.headers.get('content-type')],
        [200, 'gzip', 'application/json'],
      )
      assert.is(await answer.text(), gunzipSync(readFileSync(join(root, 'cves', path))).toString())
      // Without a rule, the file is its own address.
      const bytes = Buffer.from(await (await fetch(`${url}cves/${path}`)).arrayBuffer())
      assert.equal(bytes, readFileSync(join(root, 'cves', path)))
    }
    for (const path of ['cves/CVE-1999-99999.json', 'lock']) assert.is((await fetch(url + path)).status, 404)
  } finally {
    child.kill()
    await once(child, 'exit')
  }
})

test.after(() => folder.remove())

test.run()
