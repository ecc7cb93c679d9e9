/** Verifies files on this machine, and copies those of another one into a temporary folder. */
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { downloadObject } from '../repository/download.ts'
import { folderSource } from '../repository/folder-source.ts'
import { describe, objectName, temporaryFolder } from '../snapshot/index.ts'
import type { NetworkEffects } from '../transfer/network.ts'
import { type FileVerifier, otherDigest } from './objects.ts'

export function fileVerifier(effects: NetworkEffects): FileVerifier {
  let copies: Promise<string> | null = null
  return {
    async verified(file, reading) {
      const { source } = reading
      if (!source.isLocal) {
        copies ??= copiesFolder(effects).catch((error) => {
          copies = null
          throw error
        })
        const dist = await copies
        await downloadObject(file, describe(file), { ...reading, effects, dist })
        return { ...reading, source: folderSource(dist) }
      }
      const digest = createHash('sha256')
      // One more byte, to detect longer files.
      const { bytes } = await source.open(objectName(file.sha256), 0, file.size + 1)
      for await (const chunk of bytes) digest.update(chunk)
      if (digest.digest('hex') !== file.sha256) throw otherDigest(file)
      return reading
    },
    async close() {
      // A folder that could not be made has already been reported.
      const dist = await copies?.catch(() => null)
      if (dist) await rm(dist, { recursive: true, force: true })
    },
  }
}

/** Makes a temporary folder with the layout of a `dist`. */
async function copiesFolder(effects: NetworkEffects): Promise<string> {
  const dist = await mkdtemp(join(tmpdir(), 'vulnshelf-reader-'))
  await effects.mkdir(temporaryFolder(dist))
  return dist
}
