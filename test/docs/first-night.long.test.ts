/** The steps of "Run a night in ten minutes" work in their order, with sample feeds instead of the download. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { temporaryFolder } from '../support/dist.ts'
import { freePort } from '../support/listening.ts'
import { ownSample } from '../support/samples.ts'
import { root } from './markdown.ts'

const TIMEOUT_MS = 100_000
const folder = temporaryFolder('first-night')
test.after(() => folder.remove())

/** Returns the `bash` blocks of a numbered list below a heading, without the indent of the list. */
function stepsBelow(heading: string, path: string): string[] {
  const [, section = ''] = readFileSync(join(root, path), 'utf8').split(`## ${heading}\n`)
  const blocks = section.split('\n## ')[0]!.matchAll(/^ {3}```bash\n([\s\S]*?)^ {3}```$/gm)
  return Array.from(blocks, ([, block]) => block!.replace(/^ {3}/gm, ''))
}

/** Writes the installed commands into a folder of `PATH`. */
function commandsIn(bin: string): void {
  mkdirSync(bin, { recursive: true })
  const files = { vulnshelf: 'builder/bin.js', 'vulnshelf-gateway': 'gateway/bin.js' }
  for (const [name, file] of Object.entries(files)) {
    const script = `#!/bin/sh\nexec '${process.execPath}' '${join(root, file)}' "$@"\n`
    writeFileSync(join(bin, name), script, { mode: 0o755 })
  }
}

test('the steps of the first night work in their order', async () => {
  const cwd = join(folder.path, 'operator')
  const bin = join(cwd, 'bin')
  commandsIn(bin)
  const { feeds } = await ownSample('small', folder.path)
  cpSync(feeds, join(cwd, 'feeds'), { recursive: true })
  const steps = stepsBelow('Run a night in ten minutes', 'builder/README.md')
  assert.is(steps.length, 4)
  const port = String(await freePort())
  const script = `set -e\ntrap 'kill $!' EXIT\n${steps.join('').replaceAll('8080', port)}`
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    VULNSHELF_JOBS: '0',
    VULNSHELF_PORT: port,
    VULNSHELF_SKIP_FETCH: 'true',
  }
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd, env, timeout: TIMEOUT_MS })
  assert.match(stdout, /\{"data":\[\{"cve_id":"CVE-[^\n]*"kev":\{"listed":true/)
  assert.match(stdout, /signature valid, key /)
  assert.is(readCurrent(join(cwd, 'copy')).pointer.snapshot, readCurrent(join(cwd, 'dist')).pointer.snapshot)
})

test.run()
