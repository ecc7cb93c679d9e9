/** Invalid feeds, corpora and folders: the command prints one line, fails, and changes nothing. */
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { unzipSync, zipSync } from 'fflate'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { lockDist } from '../../builder/snapshot/lock.ts'
import { temporaryFolder } from '../support/dist.ts'
import { sharedSample } from '../support/samples.ts'
import { done, failed, gateway, type Outcome, stateOf, vulnshelf } from './command.ts'

const folder = temporaryFolder('bad-input')
const CVES = 60
const good = await sharedSample('small')
const [, second] = good.nights as [string, string]
const cveZip = (feeds: string) => join(feeds, `cvelistv5/${second}_all_CVEs.zip`)
const kevFile = (feeds: string) => join(feeds, 'kev/known_exploited_vulnerabilities.json')
const records = (zip: Uint8Array) => unzipSync(zip)

/** Returns a copy of feeds and corpus for one case; `change` damages the feeds. */
function spoiled(name: string, change: (feeds: string) => void = () => {}) {
  const at = { feeds: join(folder.path, name, 'feeds'), corpus: join(folder.path, name, 'corpus.db') }
  cpSync(good.feeds, at.feeds, { recursive: true })
  cpSync(good.corpus, at.corpus)
  change(at.feeds)
  return at
}

/** Ingests the damaged feeds, and asserts that this fails and leaves every file unchanged, byte for byte. */
async function refused({ feeds, corpus }: { feeds: string; corpus: string }, code: 1 | 2 = 1): Promise<string> {
  const before = stateOf(join(corpus, '..'))
  const line = failed(await vulnshelf(['ingest', feeds, '--corpus', corpus]), code)
  assert.equal(stateOf(join(corpus, '..')), before)
  return line
}

test('a truncated zip stops the ingest', async () => {
  const line = await refused(spoiled('truncated', (feeds) => truncateSync(cveZip(feeds), 50_000)))
  assert.match(line, new RegExp(`^CVE list: cvelistv5/${basename(cveZip(''))}: `))
})

test('an empty zip, and a file that is no zip, stop the ingest', async () => {
  assert.match(await refused(spoiled('empty-zip', (feeds) => truncateSync(cveZip(feeds), 0))), /^CVE list: cvelistv5\//)
  const noZip = spoiled('no-zip', (feeds) => writeFileSync(cveZip(feeds), 'not a zip '.repeat(1000)))
  assert.match(await refused(noZip), /^CVE list: cvelistv5\//)
})

test('a zip with one broken JSON loses that record only, and the report names it', async () => {
  let broken = ''
  const { feeds, corpus } = spoiled('broken-json', (feeds) => {
    const entries = records(readFileSync(cveZip(feeds)))
    const name = Object.keys(entries).find((one) => /CVE-.*\.json$/.test(one))!
    broken = basename(name, '.json')
    entries[name] = entries[name]!.subarray(0, 100)
    writeFileSync(cveZip(feeds), zipSync(entries))
  })
  const outcome = await vulnshelf(['ingest', feeds, '--corpus', join(corpus, '../new.db'), '--json'])
  const report = JSON.parse(done(outcome)) as {
    feeds: { name: string; read: number; kept: number; skipped: { reason: string; items: { key: string }[] }[] }[]
  }
  const list = report.feeds.find(({ name }) => name === 'cvelist')!
  assert.is(list.kept, list.read - 1)
  assert.equal(
    list.skipped.map(({ reason, items }) => [reason, items.map(({ key }) => key)]),
    [['json_invalid', [broken]]],
  )
  const words = done(await vulnshelf(['ingest', feeds, '--corpus', corpus]))
  assert.match(words, new RegExp(`1 skipped cvelist record \\(json_invalid\\): ${broken} \\(`))
})

test('a KEV file that is empty, no JSON, or another JSON stops the ingest', async () => {
  assert.match(
    await refused(spoiled('kev-empty', (feeds) => writeFileSync(kevFile(feeds), ''))),
    /^KEV: .* is empty; replace it with a valid one, or remove it: the corpus then keeps its data$/,
  )
  const html = spoiled('kev-html', (feeds) => writeFileSync(kevFile(feeds), '<html>503 try again</html>'))
  assert.match(await refused(html), /^KEV: kev\/known_exploited_vulnerabilities\.json is not JSON: /)
  const other = spoiled('kev-other', (feeds) => writeFileSync(kevFile(feeds), '{"error":"rate limited"}'))
  assert.match(await refused(other), /^KEV: .* is not a KEV catalog:/)
  const none = spoiled('kev-none', (feeds) => {
    const catalog = JSON.parse(readFileSync(kevFile(feeds), 'utf8')) as object
    writeFileSync(kevFile(feeds), JSON.stringify({ ...catalog, vulnerabilities: [] }))
  })
  assert.match(await refused(none), /^KEV: no usable record among the 0 read; .*--accept-shrink/)
})

test('EPSS that is cut short or says something else stops the ingest', async () => {
  const file = (feeds: string) => join(feeds, `epss/epss_scores-${second}.csv.gz`)
  const cut = spoiled('epss-cut', (feeds) => truncateSync(file(feeds), 400))
  assert.match(await refused(cut), /^EPSS: epss\/epss_scores-.* cannot be read: /)
  const empty = spoiled('epss-empty', (feeds) => truncateSync(file(feeds), 0))
  assert.match(await refused(empty), /^EPSS: epss\/epss_scores-/)
})

test('a CVE list that lost 30 % of its records stops the ingest, until the operator accepts it', async () => {
  const shrunk = spoiled('shrunk', (feeds) => {
    const entries = Object.entries(records(readFileSync(cveZip(feeds))))
    writeFileSync(cveZip(feeds), zipSync(Object.fromEntries(entries.filter((_, i) => i % 10 >= 3))))
  })
  assert.match(await refused(shrunk), /^CVE list: \d+ of the corpus's \d+ records \((29|30)\.\d %\) are missing.*10 %/)
  const accepted = ['ingest', shrunk.feeds, '--corpus', shrunk.corpus, '--accept-shrink', '--json']
  const { records: changes } = JSON.parse(done(await vulnshelf(accepted))) as { records: { removed: number } }
  assert.ok(changes.removed > CVES / 4)
})

test('a folder without feeds, a missing folder and a file are rejected as feeds', async () => {
  const { corpus } = spoiled('no-feeds')
  const empty = join(folder.path, 'empty')
  mkdirSync(empty)
  const remedy = (of: string) => new RegExp(`; \`vulnshelf fetch ${of}\` .*, \`vulnshelf sample ${of}\` [\\w ]+$`)
  const none = await refused({ feeds: empty, corpus })
  assert.match(none, /empty has no file of a known feed \(builder\/README\.md lists the feeds\); /)
  assert.match(none, remedy(empty))
  const missing = join(folder.path, 'missing')
  const nowhere = await refused({ feeds: missing, corpus })
  assert.match(nowhere, /^the feeds folder \S+missing does not exist; /)
  assert.match(nowhere, remedy(missing))
  assert.match(await refused({ feeds: corpus, corpus }), /corpus\.db is a file, not a feeds folder; /)
  const withoutList = spoiled('without-list', (feeds) => rmSync(join(feeds, 'cvelistv5'), { recursive: true }))
  assert.match(await refused(withoutList), /has no CVE list; expected cvelistv5\//)
  const early = failed(await vulnshelf(['ingest', good.feeds, '--corpus', corpus, '--as-of', '1999-01-01']))
  assert.match(early, /has no CVE list dated up to 1999-01-01; the oldest is dated /)
})

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
  assert.match(failed(await vulnshelf(['prune', dist, '--keep', '1'])), /^another build or prune is writing to /)
  assert.equal(stateOf(dist), before)
  unlock()
  done(await vulnshelf(['prune', dist, '--keep', '1']))
})

test('a corpus that another ingest writes to is reported as busy', async () => {
  const { feeds, corpus } = spoiled('busy-corpus')
  const database = new Database(corpus)
  database.exec('BEGIN IMMEDIATE')
  assert.match(failed(await vulnshelf(['ingest', feeds, '--corpus', corpus])), /^another ingest is writing to /)
  database.close()
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
      ['prune', path, '--keep', '1'],
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
