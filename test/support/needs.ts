/** Requirements of tests in addition to the clone. Tests with a missing requirement are skipped and counted. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Callback, type Context, suite, type Test } from 'uvu'
import { haveNginx } from './nginx.ts'
import { isShared } from './shared.ts'
import { mayMount } from './small-disk.ts'

/** Folders that can exist next to the checkout: upstream's files, and documents about them. */
export const REAL_FEEDS = join(import.meta.dirname, '../../../shared/feeds')

const runs = (program: string, option: string): boolean =>
  spawnSync(program, [option], { stdio: 'ignore' }).status === 0

/** Checks by the name under which skipped tests are listed. */
const CHECKS = {
  'real feeds': () => existsSync(REAL_FEEDS),
  nginx: haveNginx,
  Redis: () => runs('redis-server', '--version'),
  openssl: () => runs('openssl', 'version'),
  python3: () => runs('python3', '--version'),
  'leave to mount': mayMount,
}
export type Need = keyof typeof CHECKS

/** `npm test` sets it to `quick`: only tests that need nothing but the clone run. If unset, all possible tests run. */
export const TIER_VARIABLE = 'VULNSHELF_TEST_TIER'

const answers = new Map<Need, boolean>()

/** Returns the first missing requirement of this run. Checks each program once. */
function missingOf(needs: readonly Need[]): Need | undefined {
  if (process.env[TIER_VARIABLE] === 'quick') return needs[0]
  return needs.find((need) => {
    if (!answers.has(need)) answers.set(need, CHECKS[need]())
    return !answers.get(need)
  })
}

export interface Skipped {
  title: string
  need: Need
}

/** The tests of this process that were skipped since the runner's last call of `takeSkipped`. */
const skipped: Skipped[] = []
export const takeSkipped = (): Skipped[] => skipped.splice(0)

export class MissingNeed extends Error {
  readonly need: Need

  constructor(need: Need) {
    super(`these tests need ${need}`)
    this.need = need
  }
}

/**
 * States the requirements of a whole file; call it first. If one is missing, the file counts as one skipped test.
 * @throws MissingNeed
 */
export function needs(...all: Need[]): void {
  const need = missingOf(all)
  if (need === undefined) return
  if (isShared()) throw new MissingNeed(need)
  console.log(`skipped: these tests need ${need}`)
  process.exit()
}

/** Returns a suite of tests with requirements. If one is missing, its tests and hooks do not run. */
export function suiteNeeding<T = Context>(name: string, ...needs: Need[]): Test<T> {
  const real = suite<T>(name)
  const need = missingOf(needs)
  if (need === undefined) return real
  const skip = (title: string, _: Callback<T>) => {
    skipped.push({ title: `${name}: ${title}`, need })
    real.skip()
  }
  const ignore = Object.assign(() => {}, { each: () => {} })
  return Object.assign(skip, { only: skip, skip, before: ignore, after: ignore, run: real.run })
}
