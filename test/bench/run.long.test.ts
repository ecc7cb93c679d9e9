/** The bench runs: it measures, writes and stores results. The results themselves are not checked. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../support/dist.ts'
import { ROOT } from './build/program.ts'
import type { BenchReport } from './report/report.ts'

const folder = temporaryFolder('bench-run')
const within = (name: string) => join(folder.path, name)
test.after(() => folder.remove())

function bench(...args: string[]): Promise<{ code: number | null; out: string; said: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'test/bench/run.ts', ...args], { cwd: ROOT })
    let [out, said] = ['', '']
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      said += chunk
    })
    child.on('close', (code) => resolve({ code, out, said }))
  })
}

const SMALL = ['--short', '--cves', '120', '--rounds', '1', '--work', folder.path]

test('lines are measured, printed, written and drawn, whether or not they keep their budgets', async () => {
  const files = ['--json', within('figures.json'), '--plot', within('growth.svg')]
  const { code, out, said } = await bench(...SMALL, '--only', 'build', ...files)
  assert.is(code, 0, said)
  const report = JSON.parse(readFileSync(within('figures.json'), 'utf8')) as BenchReport
  const names = report.lines.map(({ name }) => name)
  assert.equal(names, [
    'build/full',
    'build/memory',
    'build/night',
    'build/written',
    'build/mirror',
    'build/mirror-objects',
    'build/mirror-advisories',
    'build/wire25',
    'build/wire50',
    'build/wire100',
  ])
  for (const { name, cves, figure } of report.lines) {
    assert.is(cves, 120)
    assert.ok(figure > 0, name)
    assert.ok(out.includes(`\n${name} `), name)
  }
  assert.ok(out.includes('- --short: '), 'what is left out is said')
  assert.is(readFileSync(within('growth.svg'), 'utf8').match(/class="panel"/g)?.length, names.length)
})

test('an unknown line is rejected, and the message lists the known ones', async () => {
  const { code, said } = await bench('--only', 'nothing')
  assert.is(code, 1)
  assert.ok(said.includes('build'), said)
})

test('the next run keeps the corpus; servers read from the folder of --memory, which is emptied afterwards', async () => {
  const memory = within('memory')
  mkdirSync(memory)
  const seen: string[] = []
  const watcher = watch(memory, (_, name) => seen.push(`${name}`))
  const { code, out, said } = await bench(...SMALL, '--only', 'http/page25', '--memory', memory)
  watcher.close()
  assert.is(code, 0, said)
  assert.ok(said.includes('cves-120: kept'), said)
  assert.not.ok(said.includes('synthetic CVEs'))
  assert.match(said, 'measured http/page25 at 120 CVEs')
  assert.equal(out.match(/^\w+\/\w+(?= )/gm), ['http/page25'])
  assert.ok(seen.some((name) => name.startsWith('vulnshelf-bench-')))
  assert.equal(readdirSync(memory), [])

  const refused = await bench(...SMALL, '--only', 'http/page25', '--memory', within('nowhere'))
  assert.is(refused.code, 1)
  assert.match(refused.said, 'there is no such folder')
})

test.run()
