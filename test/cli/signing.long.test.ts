/** Keys and signed snapshots: created, rotated, signed with old and new keys, verified, and served. */
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readKeySetFile } from '../../corpus/snapshot/files/key-files.ts'
import { readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { verify } from '../../corpus/snapshot/verify/verify.ts'
import { openRegistry } from '../../gateway/snapshots/registry.ts'
import { temporaryFolder } from '../support/dist.ts'
import { sharedSample } from '../support/samples.ts'
import { listLog } from '../support/server.ts'
import { serving } from '../support/serving.ts'
import { done, failed, stateOf, vulnshelf } from './command.ts'

const folder = temporaryFolder('signing')
const at = (name: string) => join(folder.path, name)
const { corpus, dist: unsigned } = await sharedSample('small')
const [first, second, keys] = [at('first.json'), at('created/second.json'), at('keys.json')]

interface Report {
  kid: string
  version: number
  changed: boolean
  snapshot: string
  signedBy: string[]
  signatures: { kid: string | null; status: string; reason: string | null }[]
  expiresAt: string | null
  faults: string[]
}
const reportOf = async (...words: string[]) => JSON.parse(done(await vulnshelf([...words, '--json']))) as Report
const build = (dist: string, ...words: string[]) =>
  reportOf('build', '--corpus', corpus, '--out', dist, '--jobs', '0', ...words)
const kids: string[] = []

test('key makes a private key for its owner only, and adds the public one to a key set', async () => {
  // The leftover of a killed run.
  writeFileSync(`${first}.new`, '{"kty":')
  const words = done(await vulnshelf(['key', first, '--public', keys]))
  assert.match(words, /^EdDSA key \S{43}\n .*first\.json: the private key; .*\n .*keys\.json: 1 public key; /)
  kids.push((JSON.parse(readFileSync(first, 'utf8')) as { kid: string }).kid)
  kids.push((await reportOf('key', second, '--public', keys, '--alg', 'ES256')).kid)
  for (const file of [first, second]) assert.is(statSync(file).mode & 0o777, 0o600)
  const set = JSON.parse(readFileSync(keys, 'utf8')) as { keys: { kid: string; d?: string }[] }
  assert.equal(
    set.keys.map(({ kid }) => kid),
    kids,
  )
  assert.ok(set.keys.every((key) => !('d' in key)))
  const before = readFileSync(first, 'utf8')
  assert.match(failed(await vulnshelf(['key', first])), /first\.json already exists, and keys are never overwritten/)
  assert.is(readFileSync(first, 'utf8'), before)
})

test('build signs the pointer, also if the snapshot is already current', async () => {
  const dist = at('signed')
  const report = await build(dist, '--sign-key', first, '--expires', '2d')
  assert.equal([report.version, report.changed, report.signedBy], [1, true, [kids[0]]])
  assert.ok(Math.abs(Date.parse(report.expiresAt!) - Date.now() - 2 * 86_400_000) < 600_000)
  const again = await build(dist, '--sign-key', first)
  assert.equal([again.version, again.changed, again.snapshot], [2, false, report.snapshot])
  assert.ok(Date.parse(again.expiresAt!) > Date.parse(report.expiresAt!))
})

test('verify states whether a signature is valid, was not checked, or is not there', async () => {
  const dist = at('signed')
  const [kid] = kids
  const { faults, signatures, expiresAt } = await reportOf('verify', dist, '--keys', keys)
  assert.equal([faults, signatures], [[], [{ kid, status: 'valid', reason: null }]])
  assert.equal((await reportOf('verify', dist)).signatures, [{ kid, status: 'not_checked', reason: null }])
  assert.equal((await reportOf('verify', unsigned)).signatures, [])
  const lastLine = async (...words: string[]) =>
    done(await vulnshelf(['verify', ...words]))
      .trim()
      .split('\n')
      .at(-1)
  assert.is(await lastLine(dist, '--keys', keys), `  signature valid, key ${kid}, expires ${expiresAt}`)
  assert.is(await lastLine(dist), `  signature not checked, key ${kid}, expires ${expiresAt} (--keys checks it)`)
  assert.is(await lastLine(unsigned), '  unsigned')
  const listed = done(await vulnshelf(['snapshots', dist]))
  assert.ok(
    listed.includes(`signature not checked, key ${kid}, expires ${expiresAt} (verify --keys checks it)`),
    listed,
  )
})

test('a build without the key does not end signatures silently, and with --unsigned it does', async () => {
  const dist = at('ended')
  cpSync(at('signed'), dist, { recursive: true })
  const before = stateOf(dist)
  const line = failed(await vulnshelf(['build', '--corpus', corpus, '--out', dist]))
  assert.match(line, /is signed, so mirrors that trust its key reject an unsigned one\. Use --sign-key, or --unsigned/)
  assert.equal(stateOf(dist), before)
  assert.match(
    failed(await vulnshelf(['build', '--corpus', corpus, '--out', dist, '--unsigned', '--sign-key', first]), 2),
    /exclude each other/,
  )
  const endless = await vulnshelf(['build', '--corpus', corpus, '--out', dist, '--unsigned', '--expires', '1x'])
  assert.match(failed(endless, 2), /^invalid --expires '1x'/)
  const report = await build(dist, '--unsigned')
  assert.equal([report.version, report.signedBy, report.expiresAt], [3, [], null])
  const outcome = await vulnshelf(['verify', dist, '--keys', keys])
  assert.is(outcome.code, 1)
  assert.match(outcome.err.at(-1)!, /latest\.json is not signed$/)
})

test('sign puts both signatures on while keys change, and each is enough', async () => {
  const dist = at('signed')
  const report = await reportOf('sign', dist, '--sign-key', first, '--sign-key', second)
  assert.equal([report.version, report.changed, report.signedBy], [3, false, kids])
  const set = JSON.parse(readFileSync(keys, 'utf8')) as { keys: object[] }
  for (const [i, key] of set.keys.entries()) {
    const one = at(`only-${i}.json`)
    writeFileSync(one, JSON.stringify({ keys: [key] }))
    const { faults, signatures } = await reportOf('verify', dist, '--keys', one)
    assert.equal(faults, [])
    const statuses = signatures.map(({ status }) => status)
    assert.equal(statuses, i === 0 ? ['valid', 'rejected'] : ['rejected', 'valid'])
  }
  assert.match(
    failed(await vulnshelf(['sign', at('nothing-here'), '--sign-key', first])),
    /^there is no folder \S+nothing-here; /,
  )
  assert.match(failed(await vulnshelf(['sign', dist]), 2), /sign-key/)
  assert.match(
    failed(await vulnshelf(['sign', dist, '--sign-key', first, '--expires', 'soon']), 2),
    /invalid --expires 'soon'/,
  )
})

test('verify names a key that is not trusted, and a pointer that has expired', async () => {
  const other = at('other.json')
  await reportOf('key', other)
  const outcome = await vulnshelf(['verify', at('signed'), '--keys', at('other.jwks.json')])
  assert.is(outcome.code, 1)
  assert.match(
    outcome.err.at(-1)!,
    /no trusted key has signed latest\.json: key .* is not trusted; key .* is not trusted$/,
  )
  const options = { keys: await readKeySetFile(keys), now: () => new Date(Date.now() + 15 * 86_400_000) }
  assert.match((await verify(at('signed'), options)).faults.join(), /^latest\.json expired at \d{4}-/)
})

test('a gateway serves a signed snapshot as it serves an unsigned one', async () => {
  const { snapshot } = readCurrent(unsigned).pointer
  const gateway = await serving(folder.path, at('signed'), [])
  try {
    const response = await fetch(`${gateway.url}/api/v1/snapshot`, {
      headers: { authorization: `Bearer ${gateway.token}` },
    })
    assert.is(response.headers.get('snapshot-id'), snapshot)
  } finally {
    await gateway.stop()
  }
})

test('a gateway keeps a snapshot that was signed again: nothing is swapped or rejected', async () => {
  const registry = openRegistry(at('signed'), { pollMs: 0, log: listLog().log })
  try {
    const before = registry.current
    await reportOf('sign', at('signed'), '--sign-key', second)
    await registry.refresh()
    assert.is(registry.current, before)
    assert.equal([registry.figures.swaps, registry.figures.refusals], [0, 0])
  } finally {
    registry.close()
  }
})

test.after(folder.remove)
test.run()
