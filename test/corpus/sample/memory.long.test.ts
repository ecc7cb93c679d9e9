/** The generator needs the same memory at eight times the size: its output is being written or is released. */
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { SampleDisk } from '../../../corpus/sample/disk.ts'
import { generateSample } from '../../../corpus/sample/generate.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const MB = 2 ** 20
/** Allows for data being written; KEV's entries and the indexes of changes also grow, by a few bytes per CVE. */
const ALLOWED_MB = 1.5

/** A disk that forgets what is written and notes, by feed, the most that was alive then. `pieces` gives back as much. */
function forgetfulDisk() {
  const held = new Map<string, number>()
  const note = async (path: string) => {
    const feed = path.split('/')[1]!
    // Like a real disk, it yields to other work: compressors are released in one turn and collected in the next.
    for (let round = 0; round < 2; round++) {
      await turn()
      collectGarbage()
    }
    const { heapUsed, external } = process.memoryUsage()
    held.set(feed, Math.max(held.get(feed) ?? 0, heapUsed + external))
  }
  const disk: SampleDisk = {
    mkdir: async () => {},
    create: async (path) => {
      let total = 0
      return {
        write: async (bytes) => {
          total += bytes.length
          await note(path)
        },
        pieces: async function* () {
          for (let left = total; left > 0; left -= MB) yield Buffer.alloc(Math.min(left, MB))
        },
        close: () => note(path),
        abandon: async () => {},
      }
    },
  }
  return { disk, held }
}

async function heldAt(cves: number): Promise<Map<string, number>> {
  const { disk, held } = forgetfulDisk()
  await generateSample({ feeds: 'f', cves }, disk)
  return held
}

test('12,000 CVEs take no more memory than 1,500, in any feed', async () => {
  const [few, many] = [await heldAt(1500), await heldAt(12_000)]
  assert.is(many.size, 14)
  for (const [feed, bytes] of many) {
    const grown = (bytes - few.get(feed)!) / MB
    assert.ok(grown < ALLOWED_MB, `${feed}: ${grown.toFixed(2)} MB more`)
  }
})

test.run()
