/** The generator needs the same memory at eight times the size: its output is being written or is released. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { SampleDisk } from '../../../corpus/sample/disk.ts'
import { generateSample } from '../../../corpus/sample/generate.ts'
import { usedBytes } from '../../support/used-bytes.ts'

const MB = 2 ** 20
/**
 * Allows for data being written, which is more on a busy machine, and for the directories of zip files, which grow by 90
 * bytes per entry. KEV and the indexes of changes grow by a few bytes per CVE.
 */
const ALLOWED_MB = 8
/** The catalogs grow up to the size of the real ones, and are written at once. */
const CATALOGS_MB = 16

/** Collecting garbage at every write would take minutes. The first write of a file, and its end, are always measured. */
const WRITES_PER_MEASUREMENT = 50

/**
 * A disk that keeps nothing. `held` has the largest memory of each feed, measured at some writes of each file and at its
 * end.
 */
function forgetfulDisk() {
  const held = new Map<string, number>()
  const note = async (path: string) => {
    const feed = path.split('/')[1]!
    held.set(feed, Math.max(held.get(feed) ?? 0, await usedBytes()))
  }
  const disk: SampleDisk = {
    mkdir: async () => {},
    create: async (path) => {
      let writes = 0
      return {
        write: async () => {
          if (writes++ % WRITES_PER_MEASUREMENT === 0) await note(path)
        },
        // After a single write, the memory is what it was.
        close: async () => {
          if (writes > 1) await note(path)
        },
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

test('6,000 CVEs take no more memory than 750, in any feed', async () => {
  const [few, many] = [await heldAt(750), await heldAt(6000)]
  assert.is(many.size, 16)
  for (const [feed, bytes] of many) {
    const grown = (bytes - few.get(feed)!) / MB
    const allowed = feed === 'capec' || feed === 'cwe' ? CATALOGS_MB : ALLOWED_MB
    assert.ok(grown < allowed, `${feed}: ${grown.toFixed(2)} MB more`)
  }
})

test.run()
