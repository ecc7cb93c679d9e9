/** The example of the reader's README, on a folder and on a URL. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveSummary } from '../../corpus/reader/reader.ts'
import { askDirectly } from '../support/ask.ts'
import { temporaryFolder } from '../support/dist.ts'
import { byFrequency } from '../support/plain.ts'
import { sharedSample } from '../support/samples.ts'
import { serveFolder } from '../support/web-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const EXAMPLE = 'test/examples/kev-of-a-cna.ts'
const folder = temporaryFolder('example')
const { dist } = await sharedSample('large')
const asked = askDirectly(dist)
const web = await serveFolder(dist)

const page = async (query: string) =>
  (JSON.parse((await asked.ask('/cves', `limit=100&${query}`)).text) as { data: CveSummary[] }).data
const listed = (await page('kev=true')).map((row) => row.assigner)
const cna = byFrequency(listed)[0]!
const expected = await page(`kev=true&assigner=${encodeURIComponent(cna)}`)

/** Returns the lines that a program prints. */
function printed(cwd: string, program: string, words: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ['--conditions=@vulnshelf/source', '--import', import.meta.resolve('tsx'), program, ...words],
      { cwd },
    )
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve(out.trim().split('\n')) : reject(new Error(err))))
  })
}

const idsOf = (lines: readonly string[]) => lines.map((line) => line.split('\t')[0])

test('it prints what /cves?kev=true&assigner=… lists, from a folder and from a URL', async () => {
  assert.ok(expected.length > 1)
  const ids = expected.map((row) => row.cve_id)
  const lines = await printed(ROOT, EXAMPLE, [dist, cna])
  assert.equal(idsOf(lines), ids)
  assert.is(lines[0], `${ids[0]}\t${expected[0]!.kev.date_added}\t${expected[0]!.title}`)
  assert.equal(await printed(ROOT, EXAMPLE, [web.url, cna.toUpperCase()]), lines)
})

test.after(async () => {
  await web.close()
  await asked.close()
  folder.remove()
})

test.run()
