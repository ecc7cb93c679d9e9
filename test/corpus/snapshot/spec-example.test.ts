/** The Python of SPEC.md, written from the specification only, reads the encoder's output. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import { PART_NAMES, type PartName } from '../../../corpus/model/record.ts'
import { CVE_PARTS, encodeCveMember, type PartTexts } from '../../../corpus/snapshot/record/cve-member.ts'
import { temporaryFolder } from '../../support/dist.ts'

const SPEC = join(import.meta.dirname, '../../../corpus/snapshot/SPEC.md')
const { path: folder, remove } = temporaryFolder('spec')

function texts(id: string, parts: Partial<Record<PartName, unknown>>): PartTexts {
  const entries = PART_NAMES.map((name) => [name, name in parts ? JSON.stringify(parts[name]) : CVE_PARTS[name].empty])
  return {
    ...Object.fromEntries(entries),
    core: JSON.stringify({ cve_id: id, title: 'A title with "quotes" and [brackets]' }),
  }
}

test('fifteen lines of Python read one part of one CVE', () => {
  const script = /```python\n([\s\S]*?)```/.exec(readFileSync(SPEC, 'utf8'))![1]!
  const affected = Array.from({ length: 60 }, (_, i) => ({
    source: 'cna',
    product: `engine ${i}`,
    nested: [{ a: '}]"\\' }],
  }))
  const cvss = { metrics: [{ base_score: 9.8, vector_string: 'CVSS:3.1/AV:N' }], svc_assessment: null }
  const members = ['CVE-2024-0001', 'CVE-2024-0002', 'CVE-2024-0003'].map((id, i) =>
    encodeCveMember(id as CveId, texts(id, i === 1 ? { affected, cvss } : {}), new Uint8Array(16).fill(i)),
  )
  const shard = join(folder, 'shard')
  writeFileSync(join(folder, 'read.py'), script)
  writeFileSync(shard, Buffer.concat(members.map(({ bytes }) => bytes)))
  const read = (id: string, kind: number) =>
    JSON.parse(execFileSync('python3', [join(folder, 'read.py'), shard, id, String(kind)], { encoding: 'utf8' }))

  assert.equal(read('CVE-2024-0002', CVE_PARTS.affected.kind), affected)
  assert.is(read('CVE-2024-0002', CVE_PARTS.core.kind).cve_id, 'CVE-2024-0002')
  assert.equal(read('CVE-2024-0002', CVE_PARTS.cvss.kind), cvss)
  assert.is(read('CVE-2024-0003', CVE_PARTS.affected.kind), null)
  assert.is(read('CVE-2024-0004', CVE_PARTS.affected.kind), null)
  assert.is(members[1]!.segments.find(({ kind }) => kind === CVE_PARTS.affected.kind)!.count, 60)
  const lines = script
    .trim()
    .split('\n')
    .filter((line) => line.startsWith(' '))
  assert.ok(lines.length <= 15, `${lines.length} lines`)
})

test.after(remove)

test.run()
