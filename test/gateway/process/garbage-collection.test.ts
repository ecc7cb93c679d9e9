import { execFileSync } from 'node:child_process'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const MODULE = new URL('../../../gateway/process/garbage-collection.ts', import.meta.url).href

/** Like a gateway: holds 400 MB of buffers, and creates 2 GB of short-lived ones. Prints the number of full collections. */
const program = (prepare: string) => `
  import { collectLessOften } from '${MODULE}'
  ${prepare}
  let full = 0
  const count = (entries) => { for (const { detail } of entries) if (detail.kind === 4) full++ }
  const observer = new PerformanceObserver((list) => count(list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  globalThis.held = Array.from({ length: 400 }, () => Buffer.alloc(1024 * 1024, 1))
  for (let turn = 0; turn < 100; turn++) {
    const answers = Array.from({ length: 1000 }, () => Buffer.allocUnsafeSlow(20 * 1024))
    await new Promise((resolve) => setImmediate(resolve, answers))
  }
  count(observer.takeRecords())
  console.log(full)
`

/** Collections by one thread at once: their number does not depend on the load of the machine. */
const ONE_THREAD = ['--single-threaded-gc', '--no-incremental-marking']

function fullCollections(prepare: string): number {
  const args = [...ONE_THREAD, '--import', 'tsx', '--input-type=module', '--eval', program(prepare)]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 }))
}

test('collectLessOften at least halves the number of full collections', () => {
  const usual = fullCollections('')
  const fewer = fullCollections('collectLessOften()')
  assert.ok(usual >= 4, `${usual} without the options`)
  assert.ok(fewer <= usual / 2, `${fewer} with the options, ${usual} without`)
})

test.run()
