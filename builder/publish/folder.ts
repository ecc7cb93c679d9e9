/** Publishes to a folder. It becomes a `dist` that any web server can serve. */
import { lstatSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { writingTo } from '../../corpus/command/system-error.ts'
import { folderSource } from '../../corpus/repository/folder-source.ts'
import { distRefusal } from '../../corpus/snapshot/index.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { lockDist } from '../snapshot/lock.ts'
import type { Content } from './content.ts'
import { PublishError } from './error.ts'
import type { Target } from './target.ts'

/** Emptied by each run. Unlike `tmp`, no other program writes to it. */
const STAGED = 'publishing'

/** Errors of a file system that cannot link a file: another device, no hard links, no permission, too many links. */
const NO_LINKS = new Set(['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

export interface FolderOptions {
  /** The command that writes, for messages. */
  taker?: string
  /** Make hard links to files of the source, where the file system can. */
  hardLinks?: boolean
}

/**
 * Locks the folder; creates it if necessary.
 * @throws PublishError `unusable`, BuildError `busy`
 */
export async function openFolder(
  dist: string,
  effects: NetworkEffects,
  { taker = 'publish', hardLinks = false }: FolderOptions = {},
): Promise<Target> {
  const why = distRefusal(dist, taker)
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
  let canLink = hardLinks
  let parts = 0
  /** Returns whether `part` is now a link to the content, which is checked. */
  async function linked({ from, read }: Content, part: string): Promise<boolean> {
    // A hard link to a symbolic link is one too: the web server would follow it out of the folder.
    if (!canLink || from === undefined || lstatSync(from, { throwIfNoEntry: false })?.isSymbolicLink()) return false
    for await (const _ of read());
    try {
      await effects.link(from, part)
      return true
    } catch (error) {
      if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error
      canLink = false
      return false
    }
  }
  async function copied({ read }: Content, part: string): Promise<void> {
    const growing = await effects.grow(part, 0)
    try {
      for await (const chunk of read()) await growing.write(chunk)
    } finally {
      await growing.close()
    }
    await effects.sync(part)
  }
  return {
    ...folderSource(dist),
    list: async (folder) => sizesIn(dist, folder),
    put: (content) =>
      writingTo(dist, async () => {
        // Two files can have the same content.
        const [part, position] = [join(staged, String(parts++)), join(dist, content.path)]
        try {
          if (!(await linked(content, part))) await copied(content, part)
          await effects.mkdir(dirname(position))
          await effects.rename(part, position)
        } catch (error) {
          await effects.remove(part)
          throw error
        }
      }),
    remove: (path) => writingTo(dist, () => effects.remove(join(dist, path))),
    textPath: (path) => `${path}.gz`,
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
