/**
 * Truncated, changed and swollen files of every format, from the file system to the exit code of `check`: an error names the
 * file and is one line, and nothing else is thrown. `FC_TIMES=20` checks 20,000 files instead of 1,000.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type CheckReader, checkInventories } from '../../../builder/check/check.ts'
import { EXIT_CODES } from '../../../builder/check/command.ts'
import { readInventories } from '../../../builder/check/read.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { FORMATS, formatOf } from '../../../corpus/inventory/formats/table.ts'
import { ECOSYSTEMS } from '../../../corpus/model/versions/ecosystems.ts'
import { Random } from '../../../corpus/sample/random.ts'
import { FAIL_ON_HIGH, readerOf } from '../../support/check-report.ts'
import { temporaryFolder } from '../../support/dist.ts'

const FILES = 1_000 * Number(process.env.FC_TIMES ?? 1)

/** What decides about brackets, quotes, indentation, references and encodings. */
const PARTS = [
  ...['{', '}', '[', ']', '"', "'", ':', ',', '\n', '\r', '\t', '  ', '#', '\\', '<', '>', '&', '=', '%', '@', '\0'],
  ...['null', '-1', '1e999', '__proto__', '\u2028', '\ud83d\ude00', '<!DOCTYPE a>', '<![CDATA[', '*a', '&a ', '<<: *a'],
  ...['[[package]]\n', `\${a}`, '../../etc/passwd', 'pkg:npm/a@1\n', '"version": 1,', '- ', '\ufeff'],
]

const samples = join(import.meta.dirname, '../../corpus/inventory/lock-files')
const folder = temporaryFolder('hostile-files')

type Change = 'truncated' | 'bytes' | 'parts' | 'lines' | 'repeated' | 'joined'
const CHANGES: readonly Change[] = ['truncated', 'bytes', 'parts', 'lines', 'repeated', 'joined']

function changed(original: Buffer, other: Buffer, change: Change, random: Random): Buffer {
  const at = random.int(original.length)
  const head = original.subarray(0, at)
  const tail = original.subarray(at)
  switch (change) {
    case 'truncated':
      return head
    case 'bytes': {
      const bytes = Buffer.from(original)
      for (let n = random.between(1, 8); n > 0; n--) bytes[random.int(bytes.length)] = random.int(256)
      return bytes
    }
    case 'parts': {
      const parts = Array.from({ length: random.between(1, 20) }, () => random.pick(PARTS)).join('')
      return Buffer.concat([head, Buffer.from(parts), tail.subarray(random.int(20))])
    }
    case 'lines': {
      const lines = original.toString().split('\n')
      const [from, to] = [random.int(lines.length), random.int(lines.length)]
      lines.splice(to, random.int(3), ...lines.slice(from, from + random.between(1, 6)))
      return Buffer.from(lines.join('\n'))
    }
    case 'repeated':
      return Buffer.concat([head, Buffer.from(random.pick(PARTS).repeat(random.between(1_000, 100_000))), tail])
    case 'joined':
      return Buffer.concat([head, other.subarray(random.int(other.length))])
  }
}

const paths = readdirSync(samples, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .sort()
const contents = paths.map((path) => readFileSync(path))
const formats = paths.map((path, i) => formatOf(basename(path), contents[i]!.toString(), path)?.name ?? basename(path))

/** Has advisories for the ecosystems of all files, and none that affects a package. */
const reader = {
  ...(readerOf({}) as CheckReader),
  ecosystems: ECOSYSTEMS,
  releases: Object.fromEntries(ECOSYSTEMS.map((name) => [name, ['12']])),
}

interface Count {
  files: number
  /** By exit code. */
  codes: [passed: number, failed: number, unreadable: number, nothing: number]
  slowestMs: number
}

test('each format has a file', () => {
  assert.equal(
    FORMATS.filter(({ name }) => !formats.includes(name)).map(({ name }) => name),
    [],
  )
})

test(`${FILES} hostile files are read, or refused with one line that names the file`, async () => {
  const counts = new Map<string, Count>()
  const faults: string[] = []
  const random = new Random('hostile files')
  for (let n = 0; n < FILES; n++) {
    const i = n % paths.length
    const change = CHANGES[Math.floor(n / paths.length) % CHANGES.length]!
    const bytes = changed(contents[i]!, random.pick(contents), change, random)
    const file = join(folder.path, relative(samples, paths[i]!))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
    const count = counts.get(formats[i]!) ?? { files: 0, codes: [0, 0, 0, 0], slowestMs: 0 }
    counts.set(formats[i]!, count)
    const start = performance.now()
    const about = `${formats[i]} ${change} ${n}`
    try {
      const read = await readInventories([file], [])
      count.slowestMs = Math.max(count.slowestMs, performance.now() - start)
      for (const { message } of read.unreadable) {
        if (!message.includes(file) || message.includes('\n')) faults.push(`${about}: ${message}`)
      }
      const options = { failOn: FAIL_ON_HIGH, omit: [], decisions: [], today: '2026-06-01', earlier: null }
      const { outcome } = await checkInventories(read, reader, options, noProgress)
      count.codes[EXIT_CODES[outcome]]++
      // JSON and XML end with the end of their root, so a part of a file is never a smaller one.
      const hasRoot = /^\s*[{<]/.test(contents[i]!.toString()) && !file.endsWith('.jsonl')
      const isPart = change === 'truncated' && bytes.length < contents[i]!.toString().trimEnd().length
      if (hasRoot && isPart && outcome === 'passed') faults.push(`${about}: passed`)
    } catch (error) {
      faults.push(`${about}: ${(error as Error).stack}`)
    }
    count.files++
  }
  for (const [format, { files, codes, slowestMs }] of [...counts].sort()) {
    const [passed, , unreadable, nothing] = codes
    console.log(
      `# ${format}: ${files} files, exit 0: ${passed}, 2: ${unreadable}, 3: ${nothing}, slowest ${Math.round(slowestMs)} ms`,
    )
  }
  console.log(`# ${FILES} files, ${Math.round(process.resourceUsage().maxRSS / 1024)} MB at most`)
  assert.equal(faults.slice(0, 20), [], `${faults.length} faults`)
})

test.after(() => folder.remove())

test.run()
