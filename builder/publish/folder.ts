/** Publishes to a folder. It becomes a `dist` that any web server can serve. */
import { readdirSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { writingTo } from '../../corpus/command/system-error.ts'
import { folderSource } from '../../corpus/repository/folder-source.ts'
import { distRefusal } from '../../corpus/snapshot/index.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { lockDist } from '../snapshot/lock.ts'
import { PublishError } from './error.ts'
import type { Target } from './target.ts'

/** Emptied by each run. Unlike `tmp`, no other program writes to it. */
const STAGED = 'publishing'

/**
 * Locks the folder; creates it if necessary.
 * @throws PublishError `unusable`, BuildError `busy`
 */
export async function openFolder(dist: string, effects: NetworkEffects): Promise<Target> {
  const why = distRefusal(dist, 'publish')
  if (why !== null) throw new PublishError('unusable', why)
  const staged = join(dist, STAGED)
  await writingTo(dist, () => effects.mkdir(dist))
  const unlock = lockDist(dist)
  try {
    await writingTo(dist, () => effects.remove(staged).then(() => effects.mkdir(staged)))
  } catch (error) {
    unlock()
    throw error
  }
  return {
    ...folderSource(dist),
    list: async (folder) => sizesIn(dist, folder),
    put: ({ path, sha256, read }) =>
      writingTo(dist, async () => {
        const [part, position] = [join(staged, sha256), join(dist, path)]
        try {
          const growing = await effects.grow(part, 0)
          try {
            for await (const chunk of read()) await growing.write(chunk)
          } finally {
            await growing.close()
          }
          await effects.sync(part)
          await effects.mkdir(dirname(position))
          await effects.rename(part, position)
        } catch (error) {
          await effects.remove(part)
          throw error
        }
      }),
    async close() {
      try {
        await effects.remove(staged)
      } finally {
        unlock()
      }
    },
  }
}

function sizesIn(dist: string, folder: string): Map<string, number> {
  const root = join(dist, folder)
  if (!statSync(root, { throwIfNoEntry: false })) return new Map()
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [relative(dist, path).split(sep).join('/'), statSync(path).size]
    }),
  )
}
