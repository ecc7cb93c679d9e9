/** `vulnshelf publish` as an operator runs it: to a folder, to an object store, with wrong options, and killed. */
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { readAtom } from '../support/atom.ts'
import { ingestAndBuild, temporaryFolder } from '../support/dist.ts'
import { currentFilesOf, filesOf } from '../support/repository-files.ts'
import { BUCKET, openObjectStore } from '../support/s3.ts'
import { ownSample } from '../support/samples.ts'
import { done, endAll, failed, gateway, start, vulnshelf } from './command.ts'

const folder = temporaryFolder('publish-command')
const at = (name: string) => join(folder.path, name)
const { feeds, corpus, dist: first, nights } = await ownSample('small', folder.path)
const second = at('second')
cpSync(first, second, { recursive: true })
await ingestAndBuild({ feeds, corpus, dist: second, asOf: nights[1]! })
const store = await openObjectStore(at('store'))

test('a folder: in words, as JSON, and unchanged the second time; verify and mirrors believe it', async () => {
  const words = done(await vulnshelf(['publish', first, at('public')]))
  assert.match(
    words,
    /^snapshot [0-9a-f]{64} \(version 1\) is published to \S+public\n {2}\d+ files uploaded \([\d.]+ MB\), 0 reused \(0\.0 MB\)\n {2}[\d.]+ s\n$/,
  )
  const again = await vulnshelf(['publish', first, at('public'), '--json'], { env: { VULNSHELF_PARALLEL: '2' } })
  const report = JSON.parse(done(again)) as { changed: boolean; uploaded: object; version: number }
  assert.equal([report.changed, report.uploaded, report.version], [false, { files: 0, bytes: 0 }, 1])
  assert.match(
    done(await vulnshelf(['publish', first, at('public')])),
    / is already at \S+public\n {2}0 files uploaded/,
  )
  done(await vulnshelf(['verify', at('public')]))
  done(await gateway(['mirror', at('public'), at('copy')]))
  assert.equal(filesOf(at('copy')), currentFilesOf(first))
})

test('with a site URL, Atom feeds too', async () => {
  const to = at('with-feeds')
  done(await vulnshelf(['publish', second, to], { env: { VULNSHELF_SITE_URL: 'https://vulns.example.com' } }))
  for (const name of ['kev', 'changes']) {
    const feed = readAtom(readFileSync(join(to, `${name}.atom`)))
    assert.is(feed.id, `tag:vulns.example.com,2026:/${name}`)
    assert.ok(feed.entries.length > 0)
  }
})

test('an object store, which the standard environment names, and a mirror from there', async () => {
  const { env } = store
  const to = `s3://${BUCKET}/vulns`
  assert.match(done(await vulnshelf(['publish', first, to], { env })), /is published to s3:\/\/shelf\/vulns\/\n/)
  done(await gateway(['mirror', to, at('from-store')], { env }))
  assert.equal(filesOf(at('from-store')), currentFilesOf(first))
  done(await vulnshelf(['publish', second, to], { env }))
  const night = JSON.parse(done(await gateway(['mirror', to, at('from-store'), '--json'], { env }))) as {
    source: string
    made: { files: number }
  }
  assert.is(night.source, 's3://shelf/vulns/')
  assert.ok(night.made.files > 0)
  assert.equal(currentFilesOf(at('from-store')), currentFilesOf(second))
  assert.match(failed(await vulnshelf(['publish', first, to], { env })), /^cannot replace version 2 at s3:/)
  const stranger = { ...env, AWS_SECRET_ACCESS_KEY: 'not-the-key' }
  const line = failed(await vulnshelf(['publish', second, to], { env: stranger }))
  assert.match(
    line,
    /^latest\.json: s3:\/\/shelf answers 403 SignatureDoesNotMatch; the account of AWS_ACCESS_KEY_ID and /,
  )
  assert.not.match(line, 'not-the-key')
})

test('what cannot be is one line and leaves nothing behind', async () => {
  mkdirSync(at('empty'))
  assert.match(
    failed(await vulnshelf(['publish', at('empty'), at('never')])),
    /empty contains no snapshot: latest\.json is missing; use /,
  )
  assert.match(
    failed(await vulnshelf(['publish', first, feeds])),
    /feeds has other files \(\S+\); publish needs an empty folder/,
  )
  for (const [words, line] of [
    [['publish', first], /^missing required argument 'target'/],
    [
      ['publish', first, 'ftp://example.com/vulns'],
      /^cannot publish to \S+; use a folder, s3:\/\/bucket\/prefix or oci:/,
    ],
    [['publish', first, 's3://'], /^the address has no bucket; use s3:\/\/bucket\/prefix$/],
    [
      ['publish', first, at('never'), '--site-url', 'vulns.example.com'],
      /--site-url.* 'vulns\.example\.com' is invalid\. It must be an http or https URL; use the public URL of the target/,
    ],
    [['publish', first, at('never'), '--parallel', '0'], /It must be a whole number from 1 to 64/],
  ] as const) {
    assert.match(failed(await vulnshelf(words), 2), line)
  }
  assert.match(failed(await gateway(['mirror', 's3://x', at('never')]), 2), /^the address has no bucket/)
  assert.not.ok(existsSync(at('never')))
})

test('killed at some moment, the folder has the night before or the new one, whole, and the next run completes', async () => {
  const to = at('killed')
  done(await vulnshelf(['publish', first, to]))
  const child = start('vulnshelf', ['publish', second, to])
  const ended = once(child, 'close')
  // Either it has locked the folder and is publishing, or it was fast and has ended.
  while (!existsSync(join(to, 'tmp')) && child.exitCode === null) await sleep(1)
  child.kill('SIGKILL')
  await ended
  const { snapshot } = readCurrent(to).pointer
  assert.ok([first, second].some((dist) => readCurrent(dist).pointer.snapshot === snapshot))
  done(await vulnshelf(['verify', to]))
  done(await vulnshelf(['publish', second, to]))
  assert.equal(currentFilesOf(to), currentFilesOf(second))
})

test.after(async () => {
  endAll()
  await store.close()
  folder.remove()
})
test.run()
