/** `vulnshelf check` as an operator runs it: exit codes, standard input, a web server, signatures. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CheckReport } from '../../builder/check/check.ts'
import { temporaryFolder } from '../support/dist.ts'
import { ownSample } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { serveFolder } from '../support/web-folder.ts'
import { done, endAll, failed, start, vulnshelf } from './command.ts'

const folder = temporaryFolder('check')
const at = (name: string) => join(folder.path, name)
const sample = await ownSample('usual', folder.path)
const { dist } = sample

/** Versions of a package of the sample that has findings, as purls. */
const VERSIONS = Array.from({ length: 40 }, (_, i) => `${i % 4}.${i}.0`)
const purls = VERSIONS.map((version) => `pkg:npm/lantern-http@${version}\n`).join('')
const file = at('purls.purl')
writeFileSync(file, `${purls}pkg:docker/nginx@1.25\npkg:npm/left\n`)

const json = (text: string) => JSON.parse(text) as CheckReport

test('the report names the findings, and their severities decide the exit code', async () => {
  const report = json(
    done(await vulnshelf(['check', file, '--snapshot', dist, '--output', 'json', '--fail-on', 'none'])),
  )
  assert.equal(
    { packages: report.counts.packages, notChecked: report.notChecked.map(({ name }) => name) },
    { packages: 42, notChecked: ['pkg:docker/nginx@1.25', 'pkg:npm/left'] },
  )
  assert.ok(report.counts.affected > 0)
  const severities = new Set(report.findings.flatMap(({ advisory: one }) => [one.severity, one.stated_severity]))
  const ranks = ['low', 'medium', 'high', 'critical']
  const highest = Math.max(...Array.from(severities, (one) => Math.max(0, ranks.indexOf(one ?? 'low'))))
  for (const [i, level] of ranks.entries()) {
    const { code, out } = await vulnshelf(['check', file, '--snapshot', dist, '--fail-on', level, '--unscored', 'pass'])
    assert.is(code, i <= highest ? 1 : 0, out)
    assert.match(out, i <= highest ? /\nfailed: \d/ : /\npassed: \d/)
    assert.match(out, /^package +version +safe version +advisory .*\nnpm\/lantern-http +\d\.\d+\.0 +\S+ /)
    assert.match(out, `\nnot checked: pkg:npm/left (${file}:42, no version)\n`)
    assert.match(
      out,
      `\nnot checked: pkg:docker/nginx@1.25 1.25 (${file}:41, its purl names no known ecosystem or distribution)\n`,
    )
  }
  const byVariable = await vulnshelf(['check', file, '--snapshot', dist], { env: { VULNSHELF_FAIL_ON: 'none' } })
  assert.match(done(byVariable), '(--fail-on none)')
})

test('SARIF names the file relative to the working folder, with its lines', async () => {
  const { out } = await vulnshelf(['check', 'purls.purl', '--snapshot', 'dist', '--output', 'sarif'], {
    cwd: folder.path,
  })
  const { runs } = JSON.parse(out)
  const lines = readFileSync(file, 'utf8').split('\n')
  for (const { locations, properties } of runs[0].results) {
    const { artifactLocation, region } = locations[0].physicalLocation
    assert.is(artifactLocation.uri, 'purls.purl')
    assert.is(lines[region.startLine - 1], `pkg:npm/${properties.package}@${properties.version}`)
  }
  assert.ok(runs[0].results.length > 0)
})

test('standard input can have any format', async () => {
  const outcome = await vulnshelf(['check', file, '--snapshot', dist, '--output', 'json', '--fail-on', 'low'])
  const expected = json(outcome.out)
  const root = join(import.meta.dirname, '../..')
  const args = [join(root, 'builder/bin.js'), 'check', '-', '--snapshot', dist, '--output', 'json', '--fail-on', 'low']
  const run = (input: string) => spawnSync(process.execPath, args, { input, encoding: 'utf8', cwd: root })
  const { stdout, status } = run(readFileSync(file, 'utf8'))
  assert.is(status, 1)
  const at = ({ findings }: CheckReport) => findings.map(({ line, advisory }) => `${line} ${advisory.advisory_id}`)
  assert.equal(json(stdout).counts, expected.counts)
  assert.equal(at(json(stdout)), at(expected))
  const bom = {
    bomFormat: 'CycloneDX',
    components: purls
      .trim()
      .split('\n')
      .map((purl) => ({ name: 'x', purl })),
  }
  assert.is(json(run(JSON.stringify(bom)).stdout).counts.affected, expected.counts.affected)
  const unknown = run('nothing known')
  assert.is(unknown.status, 2)
  assert.match(unknown.stderr, /^vulnshelf: standard input is in no known format\. Known formats: /)
})

test('a web server gives the same, and sees no names of packages', async () => {
  const web = await serveFolder(dist)
  try {
    const words = ['--output', 'json', '--fail-on', 'none']
    const remote = json(done(await vulnshelf(['check', file, '--snapshot', web.url, ...words])))
    assert.equal(remote, json(done(await vulnshelf(['check', file, '--snapshot', dist, ...words]))))
    const paths = web.asked.map(({ path }) => path)
    assert.ok(paths.length > 3)
    assert.equal(
      paths.filter(
        (path) =>
          !/^(?:latest\.json|manifests\/[0-9a-f]{64}\.json|objects\/[0-9a-f]{2}\/[0-9a-f]{64}\S{0,8})$/.test(path),
      ),
      [],
    )
  } finally {
    await web.close()
  }
})

test('standard error states that a server is silent', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const child = start('vulnshelf', ['check', file, '--snapshot', `http://127.0.0.1:${port}/`])
  let text = ''
  child.stderr!.setEncoding('utf8').on('data', (part: string) => (text += part))
  try {
    await until(
      () => text !== '',
      () => 'nothing is stated',
    )
    assert.match(text, `127.0.0.1:${port} has not answered for 10 s; waiting up to 40 s\n`)
  } finally {
    child.kill('SIGKILL')
    silent.close()
  }
})

test('a folder is searched; a file that cannot be read has the exit code 2, and the others are reported', async () => {
  const tree = at('tree')
  for (const [path, text] of Object.entries({
    'a/found.purl': 'pkg:npm/lantern-http@1.2.0\npkg:npm/fine@1.0.0\n',
    'b/found.purl': 'pkg:npm/lantern-http@1.2.0\n',
    'b/package.json': '{}',
    'left/out.purl': 'broken',
  })) {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), text)
  }
  const words = ['check', 'tree', '--exclude', 'left', '--snapshot', 'dist', '--output', 'json', '--fail-on', 'none']
  const run = () => vulnshelf(words, { cwd: folder.path })
  const report = json(done(await run()))
  assert.equal(
    report.files.map(({ file, packages }) => [file, packages]),
    [
      ['tree/a/found.purl', 2],
      ['tree/b/found.purl', 1],
    ],
  )
  assert.equal(
    report.notChecked.map(({ file }) => file),
    ['tree/b/package.json'],
  )
  const inA = report.findings.filter(({ file }) => file === 'tree/a/found.purl')
  assert.ok(inA.length > 0)
  assert.is(report.findings.length, 2 * inA.length)
  writeFileSync(join(tree, 'b/go.sum'), 'broken')
  const { code, out, err } = await run()
  assert.is(code, 2)
  assert.match(err[0]!, /^vulnshelf: tree\/b\/go\.sum:1: not a valid go\.sum/)
  assert.equal(json(out).findings, report.findings)
  assert.is(json(out).outcome, 'unreadable')
  mkdirSync(at('bare'))
  const bare = await vulnshelf(['check', 'bare', '--snapshot', 'dist'], { cwd: folder.path })
  assert.is(bare.code, 3)
  assert.match(bare.out, 'not checked: bare (bare, no lock file or SBOM in this folder)')
})

test('an ignore file in the working folder suppresses, a receipt is replayed, OpenVEX states both', async () => {
  const cwd = at('decisions')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'purls.purl'), purls)
  const words = ['check', 'purls.purl', '--snapshot', dist]
  const run = (...more: string[]) => vulnshelf([...words, ...more], { cwd })
  const { findings } = json((await run('--output', 'json')).out)
  const { advisory_id } = findings[0]!.advisory
  const ignored = [...new Set(findings.map((one) => one.advisory.advisory_id))].map((id) => ({ id, reason: 'test' }))
  writeFileSync(join(cwd, 'vulnshelf.ignore.json'), JSON.stringify({ ignore: ignored }))
  assert.match(
    done(await run('--fail-on', 'low')),
    /\nsuppressed: npm\/lantern-http \S+ \S+ \(ignored: test; vulnshelf\.ignore\.json:1\)\n/,
  )
  const written = done(await run('--output', 'json', '--receipt', 'receipt.json'))
  const replay = (...more: string[]) =>
    vulnshelf(['check', '--replay', 'receipt.json', '--snapshot', dist, ...more], { cwd })
  assert.match(
    done(await replay()),
    /^same result, byte for byte: snapshot [0-9a-f]{12} of \S+, 2 files \(receipt\.json\)\n$/,
  )
  const { subject } = JSON.parse(readFileSync(join(cwd, 'receipt.json'), 'utf8'))
  assert.is(subject.at(-1).digest.sha256, createHash('sha256').update(written).digest('hex'), 'of the printed report')
  const openvex = JSON.parse(done(await run('--output', 'openvex', '--vex-author', 'Example Ltd')))
  assert.ok(openvex.statements.every((one: { status: string }) => one.status === 'affected'))
  writeFileSync(join(cwd, 'vex.json'), JSON.stringify(openvex).replaceAll('"affected"', '"fixed"'))
  rmSync(join(cwd, 'vulnshelf.ignore.json'))
  assert.match(done(await run('--vex', 'vex.json')), ` ${advisory_id} (fixed: accepted: test; vex.json:1)`)
  const gone = await replay('--output', 'json')
  assert.is(gone.code, 1)
  assert.equal(
    JSON.parse(gone.out).changed.map((one: { file: string }) => one.file),
    ['vulnshelf.ignore.json'],
  )
  assert.match(
    done(await run('--since', '2999-12-31', '--fail-on', 'low')),
    /\nnews since snapshot .*; \d+ findings known then\npassed: 0 findings/,
  )
})

test('a file without a package that can be judged has the exit code 3', async () => {
  for (const text of ['# no package\n', 'pkg:docker/nginx@1.25\n']) {
    writeFileSync(at('empty.purl'), text)
    const { code, out } = await vulnshelf(['check', at('empty.purl'), '--snapshot', dist])
    assert.is(code, 3)
    assert.match(out, /nothing to check: no package in .*empty\.purl can be judged\n$/)
  }
})

test('every error has the exit code 2, and one line', async () => {
  writeFileSync(at('package-lock.json'), '{\n"packages": 1}')
  const check = async (...words: string[]) => failed(await vulnshelf(['check', ...words]), 2)
  assert.match(
    await check(at('package-lock.json'), '--snapshot', dist),
    /package-lock\.json:1: not a valid package-lock\.json/,
  )
  assert.match(await check(at('none.json'), '--snapshot', dist), /^cannot read .*none\.json: ENOENT/)
  execFileSync('mkfifo', [at('fifo')])
  symlinkSync('/dev/zero', at('zero'))
  assert.match(await check(at('fifo'), '--snapshot', dist), /^cannot read .* is a FIFO; use a regular file$/)
  assert.match(await check(at('zero'), '--snapshot', dist), /^cannot read .* is a device; use a regular file$/)
  assert.match(await check(file, '--snapshot', at('empty')), /empty/)
  assert.match(await check('--snapshot', dist), 'no files: name lock files, SBOMs or folders')
  assert.match(
    await check(file, '--replay', file, '--snapshot', dist),
    '--replay takes no files: the receipt names them',
  )
  assert.match(await check('--replay', file, '--snapshot', dist), /is not a receipt of vulnshelf check: it is not JSON/)
  assert.match(await check(file, '--snapshot', dist, '--output', 'openvex'), '--output openvex requires --vex-author')
  writeFileSync(at('vulnshelf.ignore.json'), '{ "ignore": [{ "id": "CVE-2024-1" }] }')
  assert.match(
    await check(file, '--snapshot', dist),
    /vulnshelf\.ignore\.json:1: entry 1 of 'ignore' \(CVE-2024-1\) has no reason: set "reason"\. Correct the file$/,
  )
  rmSync(at('vulnshelf.ignore.json'))
  const { code, err } = await vulnshelf(['check', file, '--snapshot', 'http://127.0.0.1:1/'])
  assert.is(code, 2)
  assert.match(err[0]!, /^latest\.json: .*ECONNREFUSED.*; retrying in 1 s$/)
  assert.match(err.at(-1)!, /^vulnshelf: http:\/\/127\.0\.0\.1:1\/: .*ECONNREFUSED/)
  assert.match(await check(file), "required option '--snapshot <dist or url>' not specified")
  assert.match(await check(file, '--snapshot', dist, '--fail-on', 'any'), /Allowed choices are low, medium/)
  assert.match(await check(file, '--snapshot', dist, '--output', 'xml'), /Allowed choices are table, json/)
  assert.match(await check(file, '--snapshot', dist, '--omit', 'dev,test'), /one or more of dev, optional, peer/)
})

/** Files within 256 MiB whose parsers took several GB. */
const HEAVY: [name: string, text: () => string, bound: string][] = [
  ['pnpm-lock.yaml', () => `lockfileVersion: '9.0'\npackages: [${'[],'.repeat(5_000_000)}]\n`, 'tokens of YAML'],
  ['Cargo.lock', () => '[[package]]\nname = "a"\n'.repeat(1_000_000), 'tokens of TOML'],
  ['bom.json', () => `{"bomFormat":"CycloneDX","x":[${'[],'.repeat(8_000_000)}0]}`, 'keys and values'],
  ['yarn.lock', () => `# yarn lockfile v1\n${'\n'.repeat(64 << 20)}`, 'lines'],
  ['many.purl', () => Array.from({ length: 900_000 }, (_, i) => `pkg:npm/a@1.0.${i}`).join('\n'), 'entries'],
]

for (const [name, text, bound] of HEAVY) {
  test(`a ${name} with too many ${bound} is an error within 1 GB of memory`, async () => {
    writeFileSync(at(name), text())
    const env = { NODE_OPTIONS: '--max-old-space-size=1024' }
    const error = failed(await vulnshelf(['check', at(name), '--snapshot', dist], { env }), 2)
    assert.match(
      error,
      new RegExp(`^\\S+/${name} is too large for a .*: it has more than [\\d,]+ ${bound}, the limit\\.`),
    )
    rmSync(at(name))
  })
}

test('with --keys, only a signed snapshot counts', async () => {
  const keys = at('keys.json')
  done(await vulnshelf(['key', at('key.json'), '--public', keys]))
  assert.match(failed(await vulnshelf(['check', file, '--snapshot', dist, '--keys', keys]), 2), /sign/)
  done(await vulnshelf(['sign', dist, '--sign-key', at('key.json')]))
  const { code } = await vulnshelf(['check', file, '--snapshot', dist, '--keys', keys, '--fail-on', 'none'])
  assert.is(code, 0)
})

test.after(() => {
  endAll()
  folder.remove()
})

test.run()
