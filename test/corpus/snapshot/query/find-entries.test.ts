import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import wabt from 'wabt'

const SOURCE = 'corpus/snapshot/query/find-entries.wat'
const MODULE = 'corpus/snapshot/query/find-entries.ts'
const ASSEMBLED = /(?<=const ASSEMBLED =\s*')[\w+/=]*(?=')/

test('the module has the assembled form of its source', async () => {
  const { parseWat } = await wabt()
  const source = parseWat(SOURCE, readFileSync(SOURCE, 'utf8'), { simd: true })
  try {
    source.validate()
    const assembled = Buffer.from(source.toBinary({}).buffer).toString('base64')
    const text = readFileSync(MODULE, 'utf8')
    if (process.env.VULNSHELF_TEST_WRITE) writeFileSync(MODULE, text.replace(ASSEMBLED, assembled))
    else assert.is(ASSEMBLED.exec(text)?.[0], assembled)
  } finally {
    source.destroy()
  }
})

test.run()
