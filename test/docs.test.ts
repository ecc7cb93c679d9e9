/** Every rule and every statement of the API that a document, a comment or a test cites exists. */

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { rulesOf, statementsOf } from './contract/support/contract.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const files = execFileSync('git', ['ls-files', '*.ts', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))

/** The numbers that follow a word, as in `rules 18, 21 and 24`; each with its file and line. */
function cited(word: RegExp, number: RegExp): { number: string; position: string }[] {
  const list = new RegExp(`${word.source} (${number.source}(?:(?:,| and| to| or|, and) ${number.source})*)`, 'g')
  return files.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, i) =>
        Array.from(line.matchAll(list), ([, numbers]) => numbers!.match(new RegExp(number.source, 'g'))!)
          .flat()
          .map((one) => ({ number: one, position: `${file}:${i + 1}` })),
      ),
  )
}

function allExist(what: string, found: { number: string; position: string }[], known: readonly string[]): void {
  assert.ok(found.length > 50, `only ${found.length} citations of a ${what} found`)
  assert.equal(
    found
      .filter(({ number }) => !known.includes(number))
      .map(({ number, position }) => `${position}: ${what} ${number}`),
    [],
  )
}

test('every cited rule is a heading of corpus/model/RULES.md', () => {
  allExist('rule', cited(/\b[Rr]ules?/, /\d{1,3}\b(?!\.\d)/), rulesOf(read('corpus/model/RULES.md')))
})

test('every cited statement is one of gateway/API.md', () => {
  allExist('API', cited(/\bAPI/, /\d+\.\d+/), statementsOf(read('gateway/API.md')))
})

test('every cited section is one of gateway/API.md', () => {
  const sections = Array.from(read('gateway/API.md').matchAll(/^## (\d+)\. /gm), ([, number]) => number!)
  allExist('section', cited(/\bAPI\.md, sections?/, /\d+/), sections)
})

test('no text cites a document that is not in the repository', () => {
  const outside = files.filter((file) => /decisions \d|\b(?:api|decisions)[.]md\b/.test(read(file)))
  assert.equal(outside, [])
})

test.run()
