/** The command in README.md and SPEC.md that prints all CVEs of a snapshot without our programs. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openReader } from '../../corpus/reader/reader.ts'
import { temporaryFolder } from '../support/dist.ts'
import { needs } from '../support/needs.ts'
import { ownSample } from '../support/samples.ts'
import { readPage } from './markdown.ts'

needs('jq')

const test = suite('zcat')
const folder = temporaryFolder('zcat')
const { dist } = await ownSample('small', folder.path)
test.after(() => folder.remove())

for (const page of ['README.md', 'corpus/snapshot/SPEC.md']) {
  test(`the command of ${page} writes every CVE as one line`, async () => {
    const fences = readPage(page).fences.filter(({ lines }) => lines.some((line) => line.includes('zcat')))
    assert.is(fences.length, 1)
    execFileSync('bash', ['-eo', 'pipefail', '-c', fences[0]!.lines.join('\n')], { cwd: join(dist, '..') })
    const lines = readFileSync(join(dist, '../cves.ndjson'), 'utf8').trimEnd().split('\n')
    const ids = lines.map((line) => JSON.parse(line).core.cve_id)
    const reader = await openReader(dist)
    const answered: string[] = []
    let cursor: string | undefined
    do {
      const page = await reader.list({ limit: 100, ...(cursor ? { cursor } : {}) })
      answered.push(...page.data.map(({ cve_id }) => cve_id))
      cursor = page.pagination.next_cursor ?? undefined
    } while (cursor)
    await reader.close()
    assert.equal(ids.sort(), answered.sort())
  })
}

test.run()
