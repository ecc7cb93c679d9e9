/** `vulnshelf-gateway mirror` as an operator runs it: once, repeated, with wrong options, and at intervals. */
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pointerPath } from '../../corpus/snapshot/files/layout.ts'
import { ingestAndBuild, temporaryFolder } from '../support/dist.ts'
import { ownSample } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { done, endAll, failed, gateway, start, vulnshelf } from './command.ts'

const folder = temporaryFolder('mirror-command')
const at = (name: string) => join(folder.path, name)
const { feeds, corpus, dist: origin, nights } = await ownSample('small', folder.path)
const [key, keys] = [at('key.json'), at('keys.json')]
done(await vulnshelf(['key', key, '--public', keys]))
done(await vulnshelf(['sign', origin, '--sign-key', key]))

test('a mirror reports what it downloaded, and nothing the second time; verify accepts it', async () => {
  const words = done(await gateway(['mirror', origin, at('copy'), '--keys', keys]))
  assert.match(
    words,
    /^snapshot [0-9a-f]{64} \(version 2\) of \S+ activated\n {2}signature valid, key \S+, expires \S+\n {2}\d+ files downloaded \([\d.]+ MB, [\d.]+ MB transferred\), 0 rebuilt from delta packs \(0\.0 MB\), 0 derived locally \(0\.0 MB\), 0 reused \(0\.0 MB\)\n/,
  )
  const again = JSON.parse(done(await gateway(['mirror', origin, at('copy'), '--keys', keys, '--json']))) as {
    changed: boolean
    fetched: { files: number }
  }
  assert.equal([again.changed, again.fetched.files], [false, 0])
  done(await vulnshelf(['verify', at('copy'), '--keys', keys]))
})

test('what it refuses, and options that mean nothing, are one line and leave nothing behind', async () => {
  done(await vulnshelf(['key', at('other.json')]))
  const refusal = failed(await gateway(['mirror', origin, at('refused'), '--keys', at('other.jwks.json')]))
  assert.match(refusal, /^no trusted key has signed latest\.json: key \S+ is not trusted$/)
  assert.not.ok(existsSync(pointerPath(at('refused'))))
  assert.match(
    failed(await gateway(['mirror', at('nowhere'), at('refused')])),
    /^\S+nowhere has no snapshot: latest\.json: \S+nowhere is missing; use /,
  )
  assert.match(
    failed(await gateway(['mirror', origin, at('refused'), '--keys', at('no-keys')])),
    /cannot read \S+no-keys/,
  )
  for (const [words, line] of [
    [['mirror', 'ftp://x', at('refused')], /^cannot read a repository at /],
    [['mirror', origin, at('refused'), '--interval', 'daily'], /It must be a time such as 30s, 5m or 1h/],
    [['mirror', origin, at('refused'), '--max-rate', 'fast'], /It must be a number of bytes such as 500k/],
    [['mirror', origin], /missing required argument 'dist'/],
  ] as const) {
    assert.match(failed(await gateway(words), 2), line)
  }
  rmSync(at('refused'), { recursive: true })
  assert.match(
    failed(await gateway(['mirror', origin, at('refused'), '--max-bytes', '1k'])),
    /the limit is 1000; raise --max-bytes to accept it$/,
  )
})

test('what a source writes does not reach a terminal as it is', async () => {
  const dist = at('coloured')
  cpSync(origin, dist, { recursive: true })
  const signed = JSON.parse(readFileSync(pointerPath(dist), 'utf8')) as { signatures: object[] }
  const header = Buffer.from(JSON.stringify({ alg: 'EdDSA', kid: '\u001b[2Jme', typ: 'vulnshelf-pointer' }))
  signed.signatures.push({ protected: header.toString('base64url'), signature: 'AA' })
  writeFileSync(pointerPath(dist), JSON.stringify(signed))
  const words = done(await gateway(['mirror', dist, at('plain'), '--keys', keys]))
  assert.match(words, /\n {2}signature rejected: key \\u001b\[2Jme is not trusted\n/)
  assert.not.ok(words.includes('\u001b'))
})

test('with an interval it mirrors each new snapshot, continues after errors, and ends on a signal', async () => {
  const followed = at('followed')
  cpSync(origin, followed, { recursive: true })
  const words = ['mirror', followed, at('follower'), '--keys', keys, '--interval', '1s', '--json']
  const child = start('vulnshelf-gateway', words)
  let out = ''
  let err = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  const tell = () => `${err}${out}`
  const holds = (test: () => boolean) => {
    if (child.exitCode !== null) throw new Error(`it ended: ${err}`)
    return test()
  }
  const versions = () =>
    out
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { version: number }).version)
  await until(() => holds(() => versions().length === 1), tell)
  const pointer = readFileSync(pointerPath(followed))
  writeFileSync(pointerPath(followed), 'not now')
  await until(
    () => holds(() => /vulnshelf-gateway: latest\.json is not JSON: .*; the local snapshot is unchanged/.test(err)),
    tell,
  )
  writeFileSync(pointerPath(followed), pointer)
  await ingestAndBuild({ feeds, corpus, dist: followed, asOf: nights[1]! })
  done(await vulnshelf(['sign', followed, '--sign-key', key]))
  await until(() => holds(() => versions().length === 2), tell)
  assert.equal(versions(), [2, 4])
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  assert.equal((await ended)[0], 0)
  assert.equal(readFileSync(pointerPath(at('follower'))), readFileSync(pointerPath(followed)))
})

test.after(() => {
  endAll()
  folder.remove()
})
test.run()
