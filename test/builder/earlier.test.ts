/** `show --at` and `check --at`: what a folder said in an earlier night. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkFromCommand } from '../../builder/check/command.ts'
import { show } from '../../builder/show.ts'
import { openReader } from '../../corpus/reader/reader.ts'
import { readCurrent } from '../../corpus/snapshot/index.ts'
import { temporaryFolder } from '../support/dist.ts'
import { sampleNights } from '../support/samples.ts'

const folder = temporaryFolder('earlier')
const { first, second, third, fourth } = await sampleNights()
const NIGHTS = [first, second, third, fourth]

test('`show` prints each part as in that night', async () => {
  const changed = new Set<string>()
  for (const night of NIGHTS) {
    const { manifest } = readCurrent(night)
    const at = manifest.snapshot
    assert.equal(show(fourth, 'manifest', at), manifest)
    for (const part of ['about', 'list/cwes', 'columns', 'epss']) {
      const printed = JSON.stringify(show(fourth, part, at.slice(0, 12)))
      assert.is(printed, JSON.stringify(show(night, part)), part)
      changed.add(`${part} ${printed}`)
    }
  }
  assert.ok(changed.size > NIGHTS.length, 'the nights differ')
  assert.equal(show(fourth), readCurrent(fourth).manifest)
})

test('`check` says what it would have said', async () => {
  const reader = await openReader(fourth)
  const { data } = await reader.entries('packages', { ecosystem: 'npm', limit: 25 })
  await reader.close()
  const file = join(folder.path, 'package-lock.json')
  const packages = Object.fromEntries(data.map(({ name }) => [`node_modules/${name}`, { version: '1.0.0' }]))
  writeFileSync(file, JSON.stringify({ name: 'app', lockfileVersion: 3, packages: { '': {}, ...packages } }))
  const flags = { exclude: [], omit: [], vex: [], failOn: 'high', unscored: 'fail' } as const
  const check = async (snapshot: string, at?: string) =>
    (await checkFromCommand([file], { ...flags, snapshot, at }, assert.unreachable))!.report
  for (const night of NIGHTS) {
    const at = readCurrent(night).manifest.snapshot
    const report = await check(fourth, at)
    assert.is(report.snapshot.id, at)
    assert.equal(report, await check(night))
  }
})

test('an unknown snapshot is an error that names it and the remedy', () => {
  for (const [at, message] of [
    [
      'f'.repeat(64),
      `${fourth} has no snapshot ${'f'.repeat(64)}; \`vulnshelf snapshots ${fourth}\` lists the kept ones`,
    ],
    ['1999-12-31', `${fourth} has no snapshot that was created at or before 1999-12-31; \`vulnshelf snapshots`],
    ['x', "'x' is no id of a snapshot, nor a date (YYYY-MM-DD) or an RFC 3339 timestamp"],
  ] as const) {
    assert.throws(
      () => show(fourth, 'about', at),
      (error: Error & { code?: string }) => error.code === 'missing' && error.message.startsWith(message),
      at,
    )
  }
})

test.after(() => folder.remove())

test.run()
