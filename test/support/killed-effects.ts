/** Effects that stop before one of their steps, as a kill would: nothing runs after it, not even clean-up. */
import type { Effects } from '../../corpus/command/effects.ts'
import { quietEffects } from './dist.ts'

export class Killed extends Error {
  override readonly name = 'Killed'
}

/** The steps that change the disk. */
const STEPS = ['mkdir', 'write', 'sync', 'rename', 'link', 'remove', 'commit'] as const

export interface CountedEffects {
  effects: Effects
  steps: string[]
}

/**
 * Returns real effects that are killed before step `at` (from 0); without `at`, they only count. A killed write leaves
 * half of its bytes.
 */
export function killedEffects(at = Number.POSITIVE_INFINITY): CountedEffects {
  const real = quietEffects()
  const steps: string[] = []
  let dead = false
  const step = (name: string) => {
    if (dead || steps.length >= at) {
      dead = true
      throw new Killed(`killed before step ${steps.length}: ${name}`)
    }
    steps.push(name)
  }
  const effects: Effects = {
    ...real,
    async write(path, bytes) {
      if (!dead && steps.length === at) await real.write(path, bytes.subarray(0, bytes.length >> 1))
      step('write')
      await real.write(path, bytes)
    },
    commit(name, work) {
      step(`commit ${name}`)
      return real.commit(name, work)
    },
  }
  for (const name of STEPS) {
    if (name === 'write' || name === 'commit') continue
    const act = real[name] as (...paths: string[]) => Promise<void>
    effects[name] = async (...paths: string[]) => {
      step(name)
      await act(...paths)
    }
  }
  return { effects, steps }
}
