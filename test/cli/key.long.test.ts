/** `vulnshelf-gateway key` as an operator uses it: processes that write the file while a gateway reads it. */
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseApiKeys } from '../../gateway/auth/api-key.ts'
import { temporaryFolder } from '../support/dist.ts'
import { sharedSample } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { done, endAll, failed, gateway, start } from './command.ts'

const folder = temporaryFolder('key')
const at = (name: string) => join(folder.path, name)
const { dist } = await sharedSample('small')
const entriesOf = (path: string) => parseApiKeys(readFileSync(path, 'utf8'), path)

test('add prints the key alone on standard output, list and revoke know it by its id', async () => {
  const file = at('own/api-keys.json')
  const given = ['--api-keys', file]
  const added = await gateway([
    'key',
    'add',
    ...given,
    '--name',
    'ci',
    '--role',
    'admin',
    '--tier',
    '2',
    '--expires',
    '30d',
  ])
  const key = done(added)
  assert.match(key, /^vulnshelf_[0-9a-f]{12}_[0-9a-f]{40}\n$/)
  assert.match(added.err.join('\n'), /role admin, tier 2, expires 2.*only time/s)
  const [entry] = entriesOf(file)
  const list = done(await gateway(['key', 'list', ...given]))
  assert.match(list, new RegExp(`^${entry!.id}  ci    admin     2  ${entry!.created}  ${entry!.expires}  active$`, 'm'))
  assert.not.match(list, entry!.sha256)
  assert.match(done(await gateway(['key', 'revoke', entry!.id, ...given])), `revoked API key ${entry!.id} (ci)`)
  assert.match(done(await gateway(['key', 'revoke', key.trim(), ...given])), 'was already revoked at')
  assert.match(done(await gateway(['key', 'list', ...given])), /revoked 2\d{3}-/)
})

test('a running gateway accepts an added key and rejects a revoked one, each within a second', async () => {
  const file = at('live.json')
  const given = ['--api-keys', file]
  const key = done(await gateway(['key', 'add', ...given, '--role', 'admin', '--expires', 'never'])).trim()
  const server = start('vulnshelf-gateway', ['serve', dist, '--port', '0', ...given])
  let said = ''
  server.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text))
  await until(
    () => said.includes('listening on'),
    () => said,
  )
  const url = /listening on (\S+)/.exec(said)![1]!
  const status = async (authorization: string) => {
    const response = await fetch(`${url}/api/v1/cves?limit=1`, { headers: { authorization } })
    await response.text()
    return response.status
  }
  assert.is(await status(`Bearer ${key}`), 200)
  const second = done(await gateway(['key', 'add', ...given, '--role', 'admin'])).trim()
  done(await gateway(['key', 'revoke', key, ...given]))
  await sleep(1000)
  assert.is(await status(`Bearer ${key}`), 401)
  assert.is(await status(`Bearer ${second}`), 200)
  server.kill('SIGTERM')
})

test('two processes that add keys lose none', async () => {
  const file = at('many.json')
  const runs = Array.from({ length: 6 }, (_, i) => gateway(['key', 'add', '--api-keys', file, '--name', `n${i}`]))
  const printed = (await Promise.all(runs)).map((outcome) => done(outcome).split('_')[1])
  assert.equal(
    entriesOf(file)
      .map(({ id }) => id)
      .sort(),
    printed.sort(),
  )
})

test('wrong usage is an error, and changes nothing', async () => {
  const file = at('usage.json')
  done(await gateway(['key', 'add', '--api-keys', file]))
  const before = readFileSync(file, 'utf8')
  const wrong: [string[], string][] = [
    [['add', 'x'], 'key add takes no id'],
    [['list', 'x'], 'key list takes no id'],
    [['revoke'], 'key revoke requires an id'],
    [['revoke', '000000000000'], 'list the keys: vulnshelf-gateway key list'],
    [['remove'], 'Allowed choices are add, list, revoke'],
    [['list', '--role', 'admin'], "option '--role' is only for key add"],
    [['add', '--expires', '2y'], 'at most 365d, or never'],
    [['add', '--tier', '-1'], 'whole number'],
    [['add', '--name', 'a\nb'], '--name must be one line of text'],
  ]
  for (const [args, message] of wrong) {
    assert.match(failed(await gateway(['key', ...args, '--api-keys', file]), 2), message)
  }
  assert.is(readFileSync(file, 'utf8'), before)
  assert.match(failed(await gateway(['key', 'list', '--api-keys', at('none.json')]), 2), 'the file does not exist')
  writeFileSync(file, '{"keys": [')
  assert.match(failed(await gateway(['key', 'add', '--api-keys', file]), 2), 'is not JSON')
  assert.is(readFileSync(file, 'utf8'), '{"keys": [')
})

if (process.getuid?.() === 0) {
  test('what root writes belongs to the owner of the folder, and a user cannot take over the file of another', async () => {
    chmodSync(folder.path, 0o711)
    const service = at('service')
    mkdirSync(service, { mode: 0o777 })
    chmodSync(service, 0o777)
    chownSync(service, 1234, 1234)
    const file = join(service, 'api-keys.json')
    done(await gateway(['key', 'add', '--api-keys', file]))
    const owners = [file, `${file}.lock`].map((path) => statSync(path).uid)
    assert.equal(owners, [1234, 1234])
    done(await gateway(['key', 'revoke', entriesOf(file)[0]!.id, '--api-keys', file]))
    assert.equal([statSync(file).uid, statSync(file).mode & 0o777], [1234, 0o600])
    chmodSync(file, 0o644)
    chmodSync(`${file}.lock`, 0o666)
    const refused = await gateway(['key', 'add', '--api-keys', file], { asNobody: true })
    assert.match(failed(refused), /belongs to another user \(uid 1234\)/)
  })
}

test('serve --check counts the keys, and finds a file without a valid one', async () => {
  const file = at('check.json')
  const given = ['--api-keys', file]
  const key = done(await gateway(['key', 'add', ...given])).trim()
  const check = () => gateway(['serve', dist, ...given, '--check'])
  assert.match(done(await check()), `ok    API keys: 1 valid key of 1 in ${file}`)
  done(await gateway(['key', 'revoke', key, ...given]))
  const { code, out } = await check()
  assert.is(code, 2)
  assert.match(out, `fault API keys: no key in ${file} is valid. Add one: vulnshelf-gateway key add`)
})

test.after(() => {
  endAll()
  folder.remove()
})
test.run()
