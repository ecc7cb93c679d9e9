import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import wabt from 'wabt'

const SOURCE = 'corpus/snapshot/query/find-entries.wat'
const MODULE = 'corpus/snapshot/query/find-entries.ts'
const WASM_BINARY = /(?<=const WASM_BINARY =\s*')[\w+/=]*(?=')/

test('find-entries.ts contains the binary of find-entries.wat', async () => {
  const { parseWat } = await wabt()
  const source = parseWat(SOURCE, readFileSync(SOURCE, 'utf8'), { simd: true })
  try {
    source.validate()
    const assembled = Buffer.from(source.toBinary({}).buffer).toString('base64')
    const text = readFileSync(MODULE, 'utf8')
    if (process.env.VULNSHELF_TEST_WRITE) writeFileSync(MODULE, text.replace(WASM_BINARY, assembled))
    else assert.is(WASM_BINARY.exec(text)?.[0], assembled)
  } finally {
    source.destroy()
  }
})

test.run()
