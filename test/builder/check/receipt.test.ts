/** Receipts of `vulnshelf check`, their replay, and the ignore files that it finds. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type CheckFlags, checkFromCommand } from '../../../builder/check/command.ts'
import { reportJson } from '../../../builder/check/output/json.ts'
import { decisionsFor } from '../../../builder/check/read-decisions.ts'
import { type Receipt, writeReceipt } from '../../../builder/check/receipt.ts'
import { formatReplayReport, replayReceipt } from '../../../builder/check/replay.ts'
import { prune } from '../../../builder/prune.ts'
import { realEffects } from '../../../corpus/command/effects.ts'
import { VERSION } from '../../../corpus/command/version.ts'
import { openReader } from '../../../corpus/reader/reader.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { pointerPath } from '../../../corpus/snapshot/files/layout.ts'
import { makeKeyPair, readSigningKey, signPointer } from '../../../corpus/snapshot/files/signature.ts'
import { readCurrent } from '../../../corpus/snapshot/index.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { failed } from '../../support/refusal.ts'
import { sampleNights } from '../../support/samples.ts'
import { assertStandard } from '../../support/schemas/validate.ts'

const folder = temporaryFolder('check-receipt')
const at = (name: string) => join(folder.path, name)
const { first, second, fourth } = await sampleNights()

const reader = await openReader(fourth)
const { data } = await reader.entries('packages', { ecosystem: 'npm', limit: 25 })
await reader.close()
const packages = Object.fromEntries(data.map(({ name }) => [`node_modules/${name}`, { version: '1.0.0' }]))
const lock = `${JSON.stringify({ name: 'app', lockfileVersion: 3, packages: { '': {}, ...packages } }, null, 1)}\n`

/** A folder with a lock file, and an ignore file beside it. */
function project(name: string): string {
  mkdirSync(at(name))
  writeFileSync(at(`${name}/package-lock.json`), lock)
  writeFileSync(at(`${name}/package.json`), '{}')
  return at(name)
}

const FLAGS: Omit<CheckFlags, 'snapshot'> = { exclude: [], omit: [], vex: [], failOn: 'high', unscored: 'fail' }

const check = async (operand: string, flags: Partial<CheckFlags> = {}) =>
  (await checkFromCommand([operand], { ...FLAGS, snapshot: fourth, ...flags }, assert.unreachable))!

/** Writes the receipt of a check beside the folder. */
async function receiptOf(operand: string, flags: Partial<CheckFlags> = {}) {
  const result = await check(operand, flags)
  const path = `${operand}.receipt.json`
  await writeReceipt(path, result)
  return { ...result, path, receipt: JSON.parse(readFileSync(path, 'utf8')) as Receipt }
}

test('a receipt is an in-toto statement with the digests of files, decisions and report', async () => {
  const root = project('stated')
  const { findings } = (await check(root)).report
  assert.ok(findings.length > 1)
  const ignore = JSON.stringify({ ignore: [{ id: findings[0]!.advisory.advisory_id, reason: 'r' }] })
  writeFileSync(join(root, 'vulnshelf.ignore.json'), ignore)
  const { report, receipt } = await receiptOf(root)
  assert.ok(report.counts.suppressed > 0)
  assertStandard('in-toto v1', receipt)
  const { predicate, ...statement } = receipt
  assert.equal(statement, {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      { name: join(root, 'package-lock.json'), digest: { sha256: sha256(lock) } },
      { name: join(root, 'vulnshelf.ignore.json'), digest: { sha256: sha256(ignore) } },
      { name: 'report.json', digest: { sha256: sha256(reportJson(report)) } },
    ],
    predicateType: 'urn:vulnshelf:check:v1',
  })
  const { pointer, date, ...others } = predicate
  assert.match(date, /^\d{4}-\d\d-\d\d$/)
  assert.equal(pointer, { text: readFileSync(pointerPath(fourth), 'utf8'), keyIds: [], verified: false })
  assert.equal(others, {
    vulnshelf: VERSION,
    snapshot: report.snapshot,
    since: null,
    options: { failOn: report.failOn, omit: [] },
    files: [
      { role: 'input', file: join(root, 'package-lock.json'), sha256: sha256(lock) },
      { role: 'beside', file: join(root, 'vulnshelf.ignore.json'), sha256: sha256(ignore) },
    ],
    notRead: [],
    result: { sha256: sha256(reportJson(report)), outcome: report.outcome },
  })
})

test('a receipt has the signed pointer and the ids of its keys', async () => {
  const dist = at('signed')
  cpSync(fourth, dist, { recursive: true })
  const { privateKey, publicKey } = await makeKeyPair('EdDSA')
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const bytes = await signPointer({ ...readCurrent(fourth).pointer, expires_at }, [
    await readSigningKey(JSON.stringify(privateKey), 'key'),
  ])
  writeFileSync(pointerPath(dist), bytes)
  writeFileSync(at('keys.json'), JSON.stringify({ keys: [publicKey] }))
  const { path, receipt } = await receiptOf(project('of-signed'), { snapshot: dist, keys: at('keys.json') })
  assert.equal(receipt.predicate.pointer, { text: bytes.toString(), keyIds: [publicKey.kid], verified: true })
  assert.is((await replayReceipt(path, { snapshot: fourth })).outcome, 'same', 'in another repository')
})

test('a replay gives the same bytes, also of an earlier snapshot, of news and of files that are not read', async () => {
  for (const [name, flags] of [
    ['now', {}],
    ['then', { at: readCurrent(second).manifest.snapshot }],
    ['news', { since: readCurrent(first).manifest.snapshot }],
    ['rules', { failOn: 'none', unscored: 'pass', failOnUnchecked: true }],
  ] as const) {
    const root = project(name)
    writeFileSync(join(root, 'pixi.lock'), 'version: 6\n')
    const { path, receipt, report } = await receiptOf(root, flags)
    assert.ok(report.notChecked.length > 0 && receipt.predicate.notRead.length > 0, name)
    const replay = await replayReceipt(path, { snapshot: fourth })
    assert.equal([replay.outcome, replay.result.replay], ['same', receipt.predicate.result.sha256], name)
    assert.match(formatReplayReport(replay), /^same result, byte for byte: snapshot [0-9a-f]{12} of \S+, 1 file \(/)
  }
})

test('decisions are judged by the day of the receipt', async () => {
  const root = project('expiring')
  const { findings } = (await check(root)).report
  const entry = { id: findings[0]!.advisory.advisory_id, reason: 'r', until: '2999-12-30' }
  writeFileSync(join(root, 'vulnshelf.ignore.json'), JSON.stringify({ ignore: [entry] }))
  const { path, receipt } = await receiptOf(root)
  assert.is((await replayReceipt(path, { snapshot: fourth })).outcome, 'same')
  receipt.predicate.date = '2999-12-31'
  writeFileSync(path, JSON.stringify(receipt))
  const replay = await replayReceipt(path, { snapshot: fourth })
  assert.is(replay.outcome, 'different')
  assert.match(
    formatReplayReport(replay),
    /^different result: the report has the SHA-256 [0-9a-f]{64}, [0-9a-f]{64} in the receipt; vulnshelf/,
  )
})

test('a changed or missing file is named, and nothing is repeated', async () => {
  const root = project('changed')
  writeFileSync(join(root, 'vulnshelf.ignore.json'), '{ "ignore": [] }')
  writeFileSync(join(root, 'yarn.lock'), '# yarn lockfile v1\n\na@1:\n  version "1.0.0"\n')
  const { path } = await receiptOf(root)
  assert.is((await replayReceipt(path, { snapshot: fourth })).outcome, 'same')
  for (const [name, content] of [
    ['package-lock.json', lock.replace('"1.0.0"', '"1.0.1"')],
    ['package-lock.json', lock.slice(0, -20)],
    ['vulnshelf.ignore.json', '{ "ignore": [ ] }'],
    ['yarn.lock', null],
  ] as const) {
    const file = join(root, name)
    const before = readFileSync(file)
    if (content === null) writeFileSync(path, readFileSync(path, 'utf8').replaceAll(file, `${file}.gone`))
    else writeFileSync(file, content)
    const replay = await replayReceipt(path, { snapshot: at('no repository') })
    const named = content === null ? `${file}.gone` : file
    assert.equal([replay.outcome, replay.changed.map((one) => one.file)], ['changed', [named]])
    assert.is(replay.changed[0]!.found, content === null ? null : sha256(content))
    const what = content === null ? 'cannot be read any more' : `has the SHA-256 ${sha256(content)}`
    assert.match(formatReplayReport(replay), `changed: ${named} ${what}`)
    writeFileSync(file, before)
  }
})

test('a snapshot that is gone is an error that names it', async () => {
  const dist = at('pruned')
  cpSync(fourth, dist, { recursive: true })
  const id = readCurrent(second).manifest.snapshot
  const { path } = await receiptOf(project('gone'), { snapshot: dist, at: id })
  await prune(
    dist,
    { keep: { last: 1 }, keepDerived: undefined, dryRun: false } as never,
    realEffects(() => {}),
  )
  const error = await failed(replayReceipt(path, { snapshot: dist }))
  assert.equal([error?.name, error?.code], ['SnapshotError', 'missing'])
  assert.match(error!.message, id)
})

test('what is no receipt is an error that says why', async () => {
  const { receipt } = await receiptOf(project('malformed'))
  const { predicate } = receipt
  const path = at('no-receipt.json')
  for (const [value, fault] of [
    ['{', 'it is not JSON'],
    [{}, "its '_type' is not https://in-toto.io/Statement/v1"],
    [{ ...receipt, predicateType: 'x' }, "its 'predicateType' is not urn:vulnshelf:check:v1"],
    [{ ...receipt, predicate: undefined }, "'predicate' is not an object"],
    [{ ...receipt, predicate: { ...predicate, date: 'now' } }, "'date' is not a day"],
    [{ ...receipt, predicate: { ...predicate, snapshot: {} } }, "'snapshot' names no snapshot"],
    [{ ...receipt, predicate: { ...predicate, files: [{ role: 'x' }] } }, "'files' are no files with digests"],
    [{ ...receipt, predicate: { ...predicate, result: null } }, "'result' has no digest"],
  ] as const) {
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value))
    const error = await failed(replayReceipt(path, { snapshot: fourth }))
    assert.is(error?.message, `${path} is not a receipt of vulnshelf check: ${fault}`)
  }
})

test('a check of a file that cannot be read has no receipt', async () => {
  const root = project('unreadable')
  writeFileSync(join(root, 'yarn.lock'), Buffer.from([0xff, 0x00, 0xfe]))
  const messages: string[] = []
  const result = await checkFromCommand([root], { ...FLAGS, snapshot: fourth }, ({ message }) => messages.push(message))
  const error = await failed(writeReceipt(at('x.json'), result!))
  assert.is(error?.message, `no receipt: a file cannot be read: ${messages[0]}. Correct it, or exclude it`)
})

test('ignore files beside a file count for the files in this folder, that of the working folder for all', async () => {
  const root = project('beside')
  const below = project('beside/below')
  const { findings } = (await check(root)).report
  const { advisory_id } = findings[0]!.advisory
  const entry = JSON.stringify({ ignore: [{ id: advisory_id, reason: 'r' }] })
  writeFileSync(join(below, 'vulnshelf.ignore.json'), entry)
  const suppressed = async () => {
    const { report } = await check(root)
    return report.findings.filter(({ decision }) => decision !== null).map(({ file }) => file)
  }
  assert.equal([...new Set(await suppressed())], [join(below, 'package-lock.json')])
  const before = process.cwd()
  writeFileSync(at('vulnshelf.ignore.json'), entry)
  process.chdir(folder.path)
  try {
    assert.equal([...new Set(await suppressed())].sort(), [
      join(below, 'package-lock.json'),
      join(root, 'package-lock.json'),
    ])
    assert.equal(
      decisionsFor(['-', 'package-lock.json', 'beside/below/yarn.lock', 'beside/below/go.mod'], undefined, ['v.json']),
      [
        { role: 'ignore', file: 'vulnshelf.ignore.json' },
        { role: 'beside', file: 'beside/below/vulnshelf.ignore.json' },
        { role: 'vex', file: 'v.json' },
      ],
    )
    assert.equal(decisionsFor(['beside/below/go.mod'], 'own.json', []), [{ role: 'ignore', file: 'own.json' }])
  } finally {
    process.chdir(before)
  }
})

test.after(() => folder.remove())

test.run()
