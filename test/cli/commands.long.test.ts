/** Every command does its work, prints its report as text and as JSON, and reads its options from the environment. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { FEEDS } from '../../corpus/feeds/table.ts'
import { sha256 } from '../../corpus/runtime/digest.ts'
import { readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { encodeManifest } from '../../corpus/snapshot/files/manifest.ts'
import { CONTRACT, heldFetch } from '../support/contract.ts'
import { temporaryFolder } from '../support/dist.ts'
import { filesOf } from '../support/repository-files.ts'
import { until } from '../support/until.ts'
import { done, endAll, failed, gateway, type Program, run, start, vulnshelf } from './command.ts'

const ROOT = join(import.meta.dirname, '../..')
const folder = temporaryFolder('commands')
const at = (name: string) => join(folder.path, name)
const [feeds, corpus, dist] = [at('feeds'), at('corpus.db'), at('dist')]
/** Parses a report; its content is asserted, not typed. */
const json = <T = Record<string, unknown>>(text: string) => JSON.parse(text) as T

test('sample writes feeds, and the same ones again', async () => {
  const words = done(await vulnshelf(['sample', feeds, '--cves', '60', '--nights', '2']))
  assert.match(
    words,
    /^60 CVEs, 86 package advisories, nights \d{4}-\d\d-\d\d, \d{4}-\d\d-\d\d: \d+ files \(\d\.\d MB\)\n$/,
  )
  const report = json(done(await vulnshelf(['sample', at('again'), '--cves', '60', '--nights', '2', '--json'])))
  for (const { path } of report.files as { path: string }[]) {
    assert.equal(readFileSync(join(at('again'), path)), readFileSync(join(feeds, path)), path)
  }
})

let nights: string[] = []

test('ingest reads them, each night in its turn, and says what it read', async () => {
  nights = json(done(await vulnshelf(['sample', feeds, '--cves', '60', '--json']))).nights as string[]
  const first = await vulnshelf(['ingest', feeds, '--corpus', corpus, '--as-of', nights[0]!])
  assert.match(done(first), /\ncvelist +(\d+) +\1 +0 +\1 +0 +0 /)
  assert.match(first.out, new RegExp(`, corpus date \\S+ \\(feeds as of ${nights[0]}\\), \\d+ rejected\n`))
  const read = FEEDS.map(({ title }) => `reading ${title}`)
  const past = read.indexOf('reading EPSS') + 1
  assert.equal(first.err, [...read.toSpliced(past, 0, 'reading past editions of EPSS'), 'merging'])
  const report = json(done(await vulnshelf(['ingest', feeds, '--corpus', corpus, '--as-of', nights[0]!, '--json'])))
  const statuses = (report.feeds as { status: string }[]).map(({ status }) => status)
  assert.equal(
    statuses,
    FEEDS.map(() => 'unchanged'),
  )
})

test('build puts a snapshot up, and does nothing where it is up already', async () => {
  const words = done(await vulnshelf(['build', '--corpus', corpus, '--out', dist]))
  assert.match(words, /^snapshot [0-9a-f]{64} activated as version 1\n/)
  const again = json(done(await vulnshelf(['build', '--corpus', corpus, '--out', dist, '--json', '--jobs', '0'])))
  assert.is(again.changed, false)
  assert.is(again.version, 1)
  assert.match(words, String(again.snapshot))
})

test('verify finds it intact', async () => {
  assert.match(done(await vulnshelf(['verify', dist])), /^snapshot [0-9a-f]{64} \(version 1\) is intact\n/)
  const report = json(done(await vulnshelf(['verify', dist, '--json', '--jobs', '2'])))
  assert.equal(report.faults, [])
  assert.ok(Number(report.cves) > 50)
})

test('show prints the manifest, the pointer, a record, a shard, a table', async () => {
  const manifest = json<{ files: { role: string; name: string }[] }>(done(await vulnshelf(['show', dist])))
  const shard = manifest.files.find(({ role }) => role === 'cve')!.name
  const members = json(done(await vulnshelf(['show', dist, `cve/${shard}`])))
  const id = Object.keys(members)[0]!
  const record = json(done(await vulnshelf(['show', dist, id.toLowerCase()])))
  assert.equal(record, { ...(members[id] as object), epss: record.epss })
  assert.equal(
    json(done(await vulnshelf(['show', dist, 'pointer']))),
    json(readFileSync(join(dist, 'latest.json'), 'utf8')),
  )
  const columns = json<{ columns: { row: number[] } }>(done(await vulnshelf(['show', dist, 'columns'])))
  assert.equal(
    columns.columns.row.toSorted((a, b) => a - b),
    [...columns.columns.row.keys()],
  )
  assert.match(
    failed(await vulnshelf(['show', dist, 'CVE-1999-9999'])),
    /^the snapshot has no record of CVE-1999-9999$/,
  )
  assert.match(failed(await vulnshelf(['show', dist, 'cvss'])), /^the snapshot has no 'cvss'\. Use manifest, pointer, /)
  const rejected = Object.keys(json(done(await vulnshelf(['show', dist, 'rejected']))))[0]!
  assert.match(failed(await vulnshelf(['show', dist, rejected])), new RegExp(`^${rejected} was rejected`))
})

test('show ends silently when its output is closed', async () => {
  const child = start('vulnshelf', ['show', dist, 'columns'])
  let err = ''
  child.stderr!.on('data', (text) => (err += text))
  child.stdout!.destroy()
  const code = await new Promise((resolve) => child.on('close', resolve))
  assert.equal([code, err], [0, ''])
})

test('options come from the environment as well; what is said on the command line goes before', async () => {
  const env = { VULNSHELF_CORPUS: corpus, VULNSHELF_AS_OF: nights[1]!, VULNSHELF_JSON: 'true', VULNSHELF_OUT: dist }
  const report = json(done(await vulnshelf(['ingest', feeds], { env })))
  assert.is(report.asOf, nights[1])
  assert.is(json(done(await vulnshelf(['build'], { env }))).version, 2)
  const words = done(await vulnshelf(['verify', dist], { env: { VULNSHELF_JSON: 'false' } }))
  assert.match(words, /is intact/)
  assert.match(failed(await vulnshelf(['verify', dist], { env: { VULNSHELF_JSON: 'maybe' } }), 2), /VULNSHELF_JSON/)
  const elsewhere = ['ingest', feeds, '--corpus', at('other.db'), '--as-of', nights[0]!]
  assert.is(json(done(await vulnshelf(elsewhere, { env }))).asOf, nights[0])
  assert.ok(existsSync(at('other.db')))
})

test('an option that means something else in another command has a variable that names the command', async () => {
  const prune = (env: Record<string, string>, ...words: string[]) =>
    vulnshelf(['prune', dist, ...words, '--json'], { env })
  const kept = async (env: Record<string, string>, ...words: string[]) =>
    json<{ kept: string[] }>(done(await prune(env, ...words))).kept.length
  assert.is(await kept({ VULNSHELF_PRUNE_KEEP_LAST: '9', VULNSHELF_NIGHTLY_KEEP_LAST: '1' }), 2)
  assert.match(failed(await prune({ VULNSHELF_PRUNE_KEEP_LAST: '0' }), 2), /VULNSHELF_PRUNE_KEEP_LAST/)
  assert.is(
    failed(await prune({ VULNSHELF_KEEP_LAST: '1' }), 2),
    'VULNSHELF_KEEP_LAST is no longer supported; rename it to VULNSHELF_PRUNE_KEEP_LAST or VULNSHELF_NIGHTLY_KEEP_LAST, or remove it (see --help)',
  )
  assert.match(
    failed(await gateway(['serve', dist], { env: { VULNSHELF_KEEP: '1' } }), 2),
    / rename it to VULNSHELF_SERVE_KEEP or VULNSHELF_MIRROR_KEEP, /,
  )
  // The old variable may stay set if the new variable or the option sets the value.
  assert.is(await kept({ VULNSHELF_KEEP_LAST: '1', VULNSHELF_PRUNE_KEEP_LAST: '9' }), 2)
  assert.is(await kept({ VULNSHELF_KEEP_LAST: '1' }, '--keep-last', '9'), 2)
  const old = { VULNSHELF_EXPIRES: '1h', VULNSHELF_INTERVAL: '1s' }
  assert.match(failed(await gateway(['token'], { env: old }), 2), /^VULNSHELF_EXPIRES .* VULNSHELF_TOKEN_EXPIRES/)
  assert.match(failed(await gateway(['mirror', dist, at('m')], { env: old }), 2), / VULNSHELF_MIRROR_INTERVAL, /)
  const build = ['build', '--corpus', corpus, '--out', dist]
  assert.match(
    failed(await vulnshelf(build, { env: { VULNSHELF_UNSIGNED: '1' } }), 2),
    / VULNSHELF_BUILD_UNSIGNED or VULNSHELF_PUBLISH_UNSIGNED or VULNSHELF_SITE_UNSIGNED or VULNSHELF_NIGHTLY_UNSIGNED, /,
  )
  done(await vulnshelf(build, { env: { VULNSHELF_UNSIGNED: 'false' } }))
})

test('a reader that closes the pipe ends the help without a stack', async () => {
  for (const [program, command] of [
    ['builder', []],
    ['gateway', []],
    ['gateway', ['serve']],
  ] as const) {
    const child = spawn(process.execPath, [join(ROOT, program, 'bin.js'), ...command, '--help'])
    child.stdout.destroy()
    const [errors] = await Promise.all([text(child.stderr), once(child, 'close')])
    assert.equal([errors, child.exitCode], ['', 0], program)
  }
})

interface HelpPage {
  name: Program
  /** Null for the page of the program. */
  command: string | null
  help: string
}

let pages: Promise<HelpPage[]> | null = null
/** Returns the help of both programs and of their commands, which the first test that needs it reads. */
const helpPages = () => {
  pages ??= readHelpPages()
  return pages
}
const helpOfCommands = async () => (await helpPages()).filter(({ command }) => command !== null)

async function readHelpPages(): Promise<HelpPage[]> {
  const found: HelpPage[] = []
  for (const name of ['vulnshelf', 'vulnshelf-gateway'] as const) {
    const help = done(await run(name, ['--help']))
    found.push({ name, command: null, help })
    for (const [, command] of help.matchAll(/^ {2}(\w+) (?:\[|<)/gm)) {
      if (command !== 'help') found.push({ name, command: command!, help: done(await run(name, [command!, '--help'])) })
    }
  }
  return found
}

test('the help of every command has examples, with options that exist', async () => {
  for (const { name, command, help } of await helpOfCommands()) {
    const known = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option]) => option)
    const [, examples = ''] = help.split('\nExamples:\n')
    const lines = examples.trim().split('\n')
    assert.ok(lines.length >= 2, `${command}: ${help}`)
    for (const line of lines) {
      assert.ok(line.trim().startsWith(`${name} ${command}`), line)
      for (const [option] of line.matchAll(/--[\w-]+/g)) assert.ok(known.includes(option), line)
    }
  }
})

test('no help page has more than eight commands or options in one group', async () => {
  let groups = 0
  for (const { help } of await helpPages()) {
    for (const [, heading, lines] of help.matchAll(/^([A-Z].*:)\n((?: .*\n?)+)/gm)) {
      groups++
      assert.ok(lines!.match(/^ {2}\S/gm)!.length <= 8, `${heading}\n${lines}`)
    }
  }
  assert.ok(groups > 40, `${groups} groups`)
})

test('options that share an environment variable have the same name and the same default', async () => {
  const shared = new Map<string, Set<string>>()
  for (const { help } of await helpOfCommands()) {
    for (const option of help.split(/\n {2}(?=-)/).map((text) => text.replace(/\s+/g, ' '))) {
      const variable = /env: (VULNSHELF_\w+)/.exec(option)?.[1]
      if (variable === undefined) continue
      const what = `${/^--[\w-]+/.exec(option)![0]} ${/default: (.*?)(?:, env|$)/.exec(option)?.[1] ?? 'no default'}`
      shared.set(variable, (shared.get(variable) ?? new Set()).add(what))
    }
  }
  assert.ok(shared.size > 30, [...shared.keys()].join())
  for (const [variable, options] of shared) assert.is(options.size, 1, `${variable}: ${[...options].join(' and ')}`)
})

test('snapshots lists what is kept, newest first, with the size and the version of the current one', async () => {
  const { current, earlier } = json<{ current: Record<string, unknown>; earlier: Record<string, unknown>[] }>(
    done(await vulnshelf(['snapshots', dist, '--json'])),
  )
  const manifest = json<{
    snapshot: string
    created_at: string
    parent: { snapshot: string }
    files: { sha256: string; size: number }[]
  }>(done(await vulnshelf(['show', dist])))
  const { counts } = json<{ counts: { cves: number } }>(done(await vulnshelf(['show', dist, 'about'])))
  const objects = new Map(manifest.files.map(({ sha256, size }) => [sha256, size]))
  assert.equal(current, {
    id: manifest.snapshot,
    createdAt: manifest.created_at,
    parent: manifest.parent.snapshot,
    cves: counts.cves,
    complete: true,
    derivable: false,
    bytes: [...objects.values()].reduce((sum, size) => sum + size, 0),
    version: 2,
    signatures: [],
    expiresAt: null,
    years: null,
  })
  assert.equal(
    earlier.map(({ id, parent, complete }) => [id, parent, complete]),
    [[manifest.parent.snapshot, null, true]],
  )
  const words = done(await vulnshelf(['snapshots', dist]))
    .trimEnd()
    .split('\n')
  assert.is(words.length, 2)
  assert.match(words[0]!, /^\* [0-9a-f]{12} {2}\S+Z {2}\d+ CVEs, \d+\.\d MB, version 2, unsigned$/)
  assert.match(words[1]!, /^ {2}[0-9a-f]{12} {2}\S+Z {2}\d+ CVEs, \d+\.\d MB$/)
  assert.ok(manifest.snapshot.startsWith(words[0]!.slice(2, 14)))
})

test('snapshots marks what is no ancestor of the current snapshot, and names a manifest that it cannot read', async () => {
  const copy = at('copy')
  cpSync(dist, copy, { recursive: true })
  const manifests = join(copy, 'manifests')
  const { manifest } = readCurrent(copy)
  const aside = encodeManifest({ ...manifest, parent: null, delta: null, created_at: '2020-01-01T00:00:00.000Z' })
  writeFileSync(join(manifests, `${sha256(aside)}.json`), aside)
  writeFileSync(join(manifests, `${'5'.repeat(64)}.json`), '{')
  const { earlier, damaged } = json<{ earlier: { ancestor: boolean }[]; damaged: string[] }>(
    done(await vulnshelf(['snapshots', copy, '--json'])),
  )
  assert.equal(
    earlier.map(({ ancestor }) => ancestor),
    [true, false],
  )
  assert.equal(damaged, ['5'.repeat(64)])
  const words = done(await vulnshelf(['snapshots', copy]))
  assert.match(words, /^ {2}.* MB, not an ancestor$/m)
  assert.match(words, /^! unreadable manifest 555555555555$/m)
})

test('derived files of an earlier snapshot are removed on request, verify states it, and derive makes them again', async () => {
  const copy = at('lean')
  cpSync(dist, copy, { recursive: true })
  const { parent } = readCurrent(copy).manifest
  const id = parent!.snapshot.slice(0, 12)
  const pruned = done(await vulnshelf(['prune', copy, '--keep-last', '2', '--keep-derived', '1']))
  assert.match(pruned, /^kept 2 snapshots; removed 0 snapshots and \d+ files/)
  assert.match(done(await vulnshelf(['snapshots', copy])), /^ {2}.* MB without derived files$/m)
  const remedy = new RegExp(` derived files not here; \`vulnshelf derive \\S+ ${id}\` makes them again$`, 'm')
  const lean = done(await vulnshelf(['verify', copy, '--at', id]))
  assert.match(lean, /^snapshot [0-9a-f]{64} is intact$/m)
  assert.match(lean, remedy)
  assert.match(done(await vulnshelf(['derive', copy, id])), /^snapshot [0-9a-f]{64} has all files; \d+ derived \(/)
  assert.not.match(done(await vulnshelf(['verify', copy, '--at', id])), remedy)
  assert.equal(filesOf(copy), filesOf(dist))
  assert.match(
    failed(await vulnshelf(['verify', copy, '--at', '0000000'])),
    / has no snapshot 0000000; `vulnshelf snapshots /,
  )
})

test('prune keeps what its rules keep; a dry run lists all and removes nothing', async () => {
  const report = json(done(await vulnshelf(['prune', dist, '--keep-last', '2', '--json'])))
  assert.is((report.kept as string[]).length, 2)
  const before = filesOf(dist)
  const dry = done(await vulnshelf(['prune', dist, '--keep-daily', '7', '--keep-yearly', 'unlimited', '--dry-run']))
  assert.match(
    dry,
    /^keep {4}[0-9a-f]{12} {2}\S+Z {2}current, daily \d{4}-\d\d-\d\d, yearly \d{4}\nremove {2}[0-9a-f]{12} {2}\S+Z {2}no rule keeps it\nwould keep 1 snapshot; would remove 1 snapshot and \d+ files \(\d+\.\d MB\)\n$/,
  )
  assert.equal(filesOf(dist), before)
  const removed = done(await vulnshelf(['prune', dist, '--keep-daily', '7', '--keep-yearly', 'unlimited']))
  assert.is(
    `would keep ${removed.slice('kept '.length).replace('removed', 'would remove')}`,
    dry.slice(dry.indexOf('would keep')),
  )
  done(await vulnshelf(['verify', dist]))
})

test('token makes a key set and a token, serve takes them, and stops at a signal', async () => {
  const made = await gateway(['token', '--keys', at('keys'), '--expires', '30m', '--tier', '3'])
  const token = done(made).trim()
  const claims = json(Buffer.from(token.split('.')[1]!, 'base64url').toString())
  assert.equal([claims.role, claims.tier, Number(claims.exp) - Number(claims.iat)], ['admin', 3, 1800])

  const env = { VULNSHELF_PORT: '0', VULNSHELF_JWKS: join(at('keys'), 'jwks.json') }
  const server = start('vulnshelf-gateway', ['serve', dist], { env })
  const url = await new Promise<string>((resolve, reject) => {
    let err = ''
    server.stderr!.on('data', (text) => {
      err += text
      const found = /listening on (\S+)/.exec(err)?.[1]
      if (found) resolve(found)
    })
    server.on('close', () => reject(new Error(err)))
  })
  const ask = heldFetch(CONTRACT)
  const answer = await ask(`${url}/api/v1/cves`, { headers: { authorization: `Bearer ${token}` } })
  const page = (await answer.json()) as { data: unknown[] }
  assert.equal([answer.status, page.data.length], [200, 25])
  assert.is((await ask(`${url}/api/v1/cves`)).status, 401)
  server.kill('SIGTERM')
  assert.is(await new Promise((resolve) => server.on('close', resolve)), 0)
})

test('serve without keys is refused, with the ways to have some: it could answer nothing but 503', async () => {
  const line = /Add --jwks <file or URL>, or --issuer <URL> .*`vulnshelf-gateway token` and add --jwks \S+\/jwks\.json$/
  for (const more of [[], ['--workers', '2']]) {
    assert.match(failed(await gateway(['serve', dist, '--port', '0', ...more]), 2), line)
  }
})

test('serve starts though its issuer is away for the moment', async () => {
  const server = start('vulnshelf-gateway', ['serve', dist, '--port', '0', '--issuer', 'http://127.0.0.1:1'])
  let said = ''
  server.stderr!.on('data', (text) => (said += text))
  await until(
    () => said.includes('listening on') || server.exitCode !== null,
    () => said,
  )
  const url = /listening on (\S+)/.exec(said)?.[1]
  assert.ok(url, said)
  // Not a valid token: the gateway requests the keys first.
  const jws = ['{"alg":"RS256","kid":"1"}', '{}', 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.')
  const answer = await fetch(`${url}/api/v1/cves`, { headers: { authorization: `Bearer ${jws}` } })
  assert.is(answer.status, 503)
  server.kill('SIGTERM')
  assert.is(await new Promise((resolve) => server.on('close', resolve)), 0)
})

test('--help and --version are answers, not errors', async () => {
  for (const args of [['--help'], ['ingest', '--help'], ['help', 'build'], ['--version']]) {
    const { code, out, err } = await vulnshelf(args)
    assert.equal([code, err], [0, []], args.join(' '))
    assert.ok(out.length > 5)
  }
  for (const args of [['--help'], ['serve', '--help'], ['--version']]) assert.is((await gateway(args)).code, 0)
})

test('wrong usage gives one line and exit code 2', async () => {
  const cases: [string[], RegExp][] = [
    [['publich', dist], /^unknown command 'publich' \(Did you mean publish\?\) \(see --help\)$/],
    [['ingest', feeds], /^required option '--corpus <file>' not specified/],
    [['ingest', '--corpus', corpus], /^missing required argument 'feeds'/],
    [['ingest', feeds, '--corpus'], /^option '--corpus <file>' argument missing/],
    [
      ['ingest', feeds, '--corpus', corpus, '--as-of', '2024-02-30'],
      /'2024-02-30' is invalid\. It must be a day, YYYY-MM-DD/,
    ],
    [['ingest', feeds, '--corpus', corpus, '--as-of', 'yesterday'], /'yesterday' is invalid/],
    [['ingest', feeds, '--corpus', corpus, '--mission', 'none'], /Allowed choices are low, medium, high/],
    [['ingest', feeds, feeds, '--corpus', corpus], /^too many arguments for 'ingest'/],
    [['build', '--corpus', corpus, '--out', dist, '--job', '2'], /^unknown option '--job' \(Did you mean --jobs\?\)/],
    [
      ['build', '--corpus', corpus, '--out', dist, '--jobs', '-1'],
      /'-1' is invalid\. It must be a whole number from 0 to 256/,
    ],
    [['prune', dist, '--keep-last', '0'], /'0' is invalid\. It must be a whole number from 1 on, or 'unlimited'/],
    [
      ['prune', dist, '--keep-daily', 'all'],
      /^option '--keep-daily <n>' argument 'all' is invalid\. It must be a whole /,
    ],
    [['prune', dist, '--keep-weekly', '-3'], /'-3' is invalid/],
    [['prune', dist, '--keep-monthly', '1.5'], /'1\.5' is invalid/],
    [['prune', dist, '--keep-yearly', '99999999999999999999'], /'99999999999999999999' is invalid/],
    [['prune', dist], /^no snapshots to keep: set one or more of --keep-last, --keep-daily, .*, --keep-yearly \(see/],
    [['prune', dist, '--dry-run'], /^no snapshots to keep: /],
    [['build', '--corpsu', corpus], /^unknown option '--corpsu' \(Did you mean --corpus\?\)/],
    [['sign', dist, '--sing-key', 'k'], /^unknown option '--sing-key' \(Did you mean --sign-key\?\)/],
    [['sample', feeds, '--cves', '1e3'], /'1e3' is invalid\. It must be a whole number from 1 to 5000000/],
    [['sample', feeds, '--nights', '101'], /from 1 to 100/],
    [['sample', feeds, '--advisories', '-1'], /from 0 to 10000000/],
  ]
  for (const [args, line] of cases) assert.match(failed(await vulnshelf(args), 2), line)
  const gatewayCases: [string[], RegExp][] = [
    [['serve'], /^missing required argument 'dist'/],
    [['sreve', dist], /^unknown command 'sreve' \(Did you mean serve\?\) \(see --help\)$/],
    [
      ['serve', dist, '--max-conections', '9'],
      /^unknown option '--max-conections' \(Did you mean --max-connections\?\)/,
    ],
    [['serve', dist, '--port', '70000'], /'70000' is invalid\. It must be a whole number from 0 to 65535/],
    [['serve', dist, '--port', 'abc'], /'abc' is invalid/],
    [['serve', dist, '--jwks', at('nowhere')], /^cannot read the key set \S+: the file does not exist/],
    [['serve', dist, '--jwks', corpus], /^cannot use the key set \S+: \S+ is larger than 1 MiB, the limit$/],
    [['serve', dist, '--jwks', import.meta.filename], /^cannot use the key set \S+: Unexpected token/],
    [['serve', dist, '--jwks', join(at('keys'), 'jwks.json'), '--algorithms', 'HS256'], /HS256/],
    [['serve', dist, '--issuer', 'example.com'], /^cannot discover keys from the issuer 'example\.com': .* Add --jwks/],
    [['token', '--expires', 'soon'], /^invalid lifetime 'soon'; use a duration such as 30m, 1h or 2d/],
    [['token', '--tier', 'high'], /'high' is invalid/],
  ]
  for (const [args, line] of gatewayCases) assert.match(failed(await gateway(args), 2), line)
  // VULNSHELF_KEYS is the file of keys that mirrors trust. It must not become the folder of the token's keys.
  assert.not.match(done(await gateway(['token', '--help'])), 'VULNSHELF_KEYS')
  const notPrivate = await gateway(['serve', dist, '--port', '0'], { env: { VULNSHELF_NO_PREVIEW: 'perhaps' } })
  assert.match(failed(notPrivate, 2), /^VULNSHELF_NO_PREVIEW must be true or false, not 'perhaps'/)
})

test.after(() => {
  endAll()
  folder.remove()
})

test.run()
