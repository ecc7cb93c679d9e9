/** The bench runs: it measures, writes and stores results. The results themselves are not checked. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../support/dist.ts'
import { ROOT } from './build/program.ts'
import { corpusOf } from './corpora.ts'
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

const CVES = 120
const SMALL = ['--short', '--cves', `${CVES}`, '--rounds', '1', '--long-rounds', '1', '--work', folder.path]

test('lines are measured, printed and written; servers read from the folder of --memory, which is emptied', async () => {
  const memory = within('memory')
  mkdirSync(memory)
  const seen: string[] = []
  const watcher = watch(memory, (_, name) => seen.push(`${name}`))
  const files = ['--memory', memory, '--json', within('figures.json')]
  const { code, out, said } = await bench(...SMALL, '--only', 'build,http/page25', ...files)
  watcher.close()
  assert.is(code, 0, said)
  const report = JSON.parse(readFileSync(within('figures.json'), 'utf8')) as BenchReport
  const wires = [25, 50, 100].map((limit) => `build/wire${limit}`)
  assert.equal(
    report.lines.map(({ name }) => name),
    ['build/full', 'build/memory', 'build/night', 'build/written', 'build/mirror', ...wires, 'http/page25'],
  )
  for (const { name, cves, figure } of report.lines) {
    assert.is(cves, CVES)
    assert.ok(figure > 0, name)
    assert.ok(out.includes(`\n${name} `), name)
  }
  assert.ok(out.includes('- --short: '), 'the report states what a short run omits')
  assert.ok(seen.some((name) => name.startsWith('vulnshelf-bench-')))
  assert.equal(readdirSync(memory), [])
})

test('the next run keeps the corpus', async () => {
  const said: string[] = []
  const say = (line: string) => void said.push(line)
  const { cves, dist } = await corpusOf({ cves: CVES }, { work: folder.path, fresh: false, say })
  assert.equal([cves, dist], [CVES, within(`cves-${CVES}/dist`)])
  assert.equal([said.length, said[0]?.includes('kept, made by')], [1, true], said.join())
})

test('an unknown line and a missing folder are rejected, and the message lists the known groups', async () => {
  const unknown = await bench('--only', 'nothing')
  assert.is(unknown.code, 1)
  assert.ok(unknown.said.includes('build'), unknown.said)
  const missing = await bench(...SMALL, '--only', 'http/page25', '--memory', within('nowhere'))
  assert.is(missing.code, 1)
  assert.match(missing.said, 'there is no such folder')
})

test.run()
