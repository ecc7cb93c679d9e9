/** Runs second implementations of rules: scripts in Python beside this file, which print lines of JSON. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import * as assert from 'uvu/assert'
import { all } from '../support/all.ts'

/** Yields the value of each line. Rejects if the script fails. */
export async function* answersOf<T>(script: string, ...words: string[]): AsyncGenerator<T> {
  const python = spawn('python3', [join(import.meta.dirname, script), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(python, 'close')
  try {
    for await (const line of createInterface({ input: python.stdout })) yield JSON.parse(line)
  } finally {
    python.kill()
  }
  assert.equal(await closed, [0, null])
}

type Found = [name: string, version: string, advisory: string, ecosystem: string]

/** What `audit-findings.py` says of a lock file or SBOM. */
export interface Findings {
  packages: [name: string, version: string, ecosystem: string][]
  findings: Found[]
  undecided: Found[]
}

/** Returns the findings of each file, by the records of the exports alone. */
export const findingsOf = (exports: readonly string[], files: readonly string[]): Promise<Findings[]> =>
  all(answersOf<Findings>('audit-findings.py', ...exports, ...files))
