/**
 * Invalid corpora and folders: the command prints one line, fails, and changes nothing. Invalid feeds:
 * test/builder/ingest/judge.test.ts and faulty-nights.long.test.ts.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { lockDist } from '../../builder/snapshot/lock.ts'
import { temporaryFolder } from '../support/dist.ts'
import { sharedSample } from '../support/samples.ts'
import { done, failed, gateway, type Outcome, stateOf, vulnshelf } from './command.ts'

const folder = temporaryFolder('bad-input')
const good = await sharedSample('small')

/** Asserts that neither command accepts `corpus` as a corpus, and that it stays unchanged. */
async function noCorpus(corpus: string, line: RegExp): Promise<void> {
  const before = stateOf(corpus)
  const out = join(folder.path, 'never')
  const outcomes: Outcome[] = [
    await vulnshelf(['ingest', good.feeds, '--corpus', corpus]),
    await vulnshelf(['build', '--corpus', corpus, '--out', out]),
  ]
  for (const outcome of outcomes) assert.match(failed(outcome), line)
  assert.equal(stateOf(corpus), before)
}

test('a corpus that is none, or of another version, is neither read nor written', async () => {
  const text = join(folder.path, 'text.db')
  writeFileSync(text, 'this is no database, but long enough to look at '.repeat(100))
  await noCorpus(text, /text\.db is not a corpus: file is not a database$/)
  const other = join(folder.path, 'other.db')
  const database = new Database(other)
  database.exec('CREATE TABLE bookmark (url TEXT)')
  database.close()
  await noCorpus(other, /other\.db is not a corpus: it is the database of another program$/)
  const versioned = join(folder.path, 'versioned.db')
  cpSync(good.corpus, versioned)
  const later = new Database(versioned)
  const version = Number(later.pragma('user_version', { simple: true }))
  later.pragma(`user_version = ${version + 1}`)
  later.close()
  await noCorpus(versioned, new RegExp(`has schema version ${version + 1}, this program requires ${version}`))
})

test('no command waits for a FIFO, or reads a device', async () => {
  const fifo = join(folder.path, 'fifo')
  const zero = join(folder.path, 'zero')
  execFileSync('mkfifo', [fifo])
  symlinkSync('/dev/zero', zero)
  const [key, out] = [join(folder.path, 'key.json'), join(folder.path, 'never')]
  const copy = join(folder.path, 'pointer')
  mkdirSync(copy)
  for (const [path, kind] of [
    [fifo, 'FIFO'],
    [zero, 'device'],
  ] as const) {
    rmSync(join(copy, 'latest.json'), { force: true })
    symlinkSync(path, join(copy, 'latest.json'))
    const outcomes = [
      await vulnshelf(['verify', good.dist, '--keys', path]),
      await vulnshelf(['sign', good.dist, '--sign-key', path]),
      await vulnshelf(['key', key, '--public', path]),
      await vulnshelf(['show', copy]),
      await vulnshelf(['publish', copy, out]),
      await gateway(['mirror', copy, out]),
      await gateway(['mirror', good.dist, out, '--keys', path]),
      await gateway(['serve', good.dist, '--config', path]),
      await gateway(['serve', good.dist, '--jwks', path]),
      await gateway(['serve', good.dist, '--access-policy', path, '--issuer', 'https://id.example.com']),
    ]
    for (const { code, err } of outcomes) {
      assert.ok(code === 1 || code === 2, err.join('\n'))
      assert.match(err.join('\n'), ` is a ${kind}; use a regular file`)
    }
  }
})

test('a missing corpus, and a folder in its place, are reported', async () => {
  const out = join(folder.path, 'never')
  const build = (corpus: string) => vulnshelf(['build', '--corpus', corpus, '--out', out])
  assert.match(failed(await build(join(folder.path, 'nowhere.db'))), /nowhere\.db does not exist; run ingest first$/)
  assert.match(failed(await build(folder.path)), /is not a corpus/)
  assert.match(failed(await vulnshelf(['ingest', good.feeds, '--corpus', folder.path])), /is not a corpus/)
  const inFile = join(folder.path, 'text.db/corpus.db')
  assert.match(
    failed(await vulnshelf(['ingest', good.feeds, '--corpus', inFile])),
    /text\.db\/corpus\.db cannot be written: \S+text\.db is a file; use a path in a folder$/,
  )
})

test('a corpus without permission is reported with its path and the remedy', async () => {
  const open = join(folder.path, 'closed')
  cpSync(good.feeds, join(open, 'feeds'), { recursive: true })
  chmodSync(folder.path, 0o755)
  mkdirSync(join(open, 'out'), { mode: 0o777 })
  chmodSync(join(open, 'out'), 0o777)
  const corpusIn = (name: string, folderMode: number, fileMode: number) => {
    const path = join(open, name, 'corpus.db')
    mkdirSync(join(open, name))
    cpSync(good.corpus, path)
    chmodSync(path, fileMode)
    chmodSync(join(open, name), folderMode)
    return path
  }
  const run = async (...args: string[]) => failed(await vulnshelf(args, { asNobody: true }))
  const ingest = (corpus: string) => run('ingest', join(open, 'feeds'), '--corpus', corpus)
  const build = (corpus: string) => run('build', '--corpus', corpus, '--out', join(open, 'out/dist'))
  const readOnlyFile = corpusIn('read-only-file', 0o777, 0o444)
  const readOnlyFolder = corpusIn('read-only-folder', 0o555, 0o666)
  const before = stateOf(open)
  for (const corpus of [readOnlyFile, readOnlyFolder]) {
    assert.match(
      await ingest(corpus),
      /^\S+\/corpus\.db cannot be written: .*; make the file and its folder writable for this user$/,
    )
  }
  for (const line of [await build(readOnlyFolder), await run('explain', readOnlyFolder, 'CVE-2024-0001')]) {
    assert.match(line, /^\S+\/corpus\.db cannot be read: its folder is not writable, .*; make the folder writable/)
  }
  const unreadable = corpusIn('unreadable', 0o777, 0o000)
  for (const line of [await ingest(unreadable), await build(unreadable)]) {
    assert.match(line, /^\S+\/corpus\.db cannot be read: .*; make it readable for this user$/)
  }
  const inClosed = join(open, 'read-only-folder/new')
  for (const path of [join(inClosed, 'corpus.db'), join(open, 'read-only-folder/other.db')]) {
    const line = await ingest(path)
    assert.match(line, new RegExp(`^${path} cannot be written: .*; make \\S+read-only-folder writable for this user$`))
  }
  // A user other than root can neither read nor remove them with these permissions.
  rmSync(join(open, 'unreadable'), { recursive: true })
  chmodSync(join(open, 'read-only-folder'), 0o755)
  assert.equal(stateOf(open), before)
})

test('--out is not touched if it is a file, has other content or has no write permission', async () => {
  // Where anybody may read the corpus, so that it is `--out` that is refused.
  const open = join(folder.path, 'open')
  mkdirSync(open)
  cpSync(good.corpus, join(open, 'corpus.db'))
  for (const path of [open, join(open, 'corpus.db')]) chmodSync(path, 0o777)
  chmodSync(folder.path, 0o755)
  const build = (out: string, asNobody = false) =>
    vulnshelf(['build', '--corpus', join(open, 'corpus.db'), '--out', out], { asNobody })
  const file = join(folder.path, 'a-file')
  writeFileSync(file, 'mine')
  assert.match(failed(await build(file)), /a-file is a file; --out needs a folder$/)
  assert.is(readFileSync(file, 'utf8'), 'mine')
  const others = join(folder.path, 'others')
  mkdirSync(join(others, 'tmp'), { recursive: true })
  writeFileSync(join(others, 'tmp/precious'), 'mine')
  const before = stateOf(others)
  assert.match(failed(await build(others)), /others has other files \(tmp\); --out needs an empty folder or a dist$/)
  assert.equal(stateOf(others), before)
  const readOnly = join(folder.path, 'read-only')
  mkdirSync(readOnly, { mode: 0o555 })
  assert.match(failed(await build(readOnly, true)), /read-only cannot be written to: /)
  assert.match(failed(await build(join(readOnly, 'dist'), true)), /permission denied.*read-only/)
  assert.equal(stateOf(readOnly), {})
})

test('a folder that another build writes to is reported as busy', async () => {
  const dist = join(folder.path, 'busy')
  cpSync(good.dist, dist, { recursive: true })
  const before = stateOf(dist)
  // Do not read the lock file while it is locked: a process that closes a file releases its locks on it.
  const unlock = lockDist(dist)
  assert.match(failed(await vulnshelf(['build', '--corpus', good.corpus, '--out', dist])), /^another build or prune is/)
  assert.match(failed(await vulnshelf(['prune', dist, '--keep-last', '1'])), /^another build or prune is writing to /)
  assert.equal(stateOf(dist), before)
  unlock()
  done(await vulnshelf(['prune', dist, '--keep-last', '1']))
})

test('every command reports a folder without a snapshot with a remedy, and writes nothing', async () => {
  const nowhere = join(folder.path, 'nowhere')
  const file = join(folder.path, 'a-page.md')
  writeFileSync(file, '# A page')
  for (const [path, why] of [
    [nowhere, /^there is no folder \S+nowhere; /],
    [file, /^\S+a-page\.md is a file; /],
    [join(file, 'below'), /^there is no folder \S+below; /],
    [good.feeds, /feeds contains no snapshot: latest\.json is missing; /],
  ] as const) {
    const before = stateOf(good.feeds)
    for (const args of [
      ['verify', path],
      ['show', path],
      ['snapshots', path],
      ['prune', path, '--keep-last', '1'],
      ['publish', path, join(folder.path, 'never')],
    ]) {
      const line = failed(await vulnshelf(args))
      assert.match(line, why, args.join(' '))
      assert.match(line, /; use a folder that `vulnshelf build` or `vulnshelf-gateway mirror` has written$/)
    }
    assert.match(failed(await gateway(['serve', path, '--port', '0', '--issuer', 'https://id.example.com'])), why)
    assert.equal(stateOf(good.feeds), before)
  }
  const [key, inFile] = [join(folder.path, 'sign.json'), join(file, 'below')]
  done(await vulnshelf(['key', key]))
  assert.match(failed(await vulnshelf(['sign', file, '--sign-key', key])), /^\S+a-page\.md is a file; /)
  for (const outcome of [
    await vulnshelf(['build', '--corpus', good.corpus, '--out', inFile]),
    await vulnshelf(['publish', good.dist, inFile]),
    await gateway(['mirror', good.dist, inFile]),
  ]) {
    assert.match(
      failed(outcome),
      /a-page\.md is a file; (?:--out|publish|a mirror) needs a folder, so \S+below cannot be/,
    )
  }
  const mirrored = failed(await gateway(['mirror', join(file, 'below'), join(folder.path, 'copy')]))
  assert.match(mirrored, /^\S+below has no snapshot: latest\.json: \S+below is missing; use /)
  assert.is(readFileSync(file, 'utf8'), '# A page')
})

test.after(() => folder.remove())

test.run()
