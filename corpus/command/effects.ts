/**
 * All side effects of commands: disk, database commits, clock and log. They are one object, so that a test can stop
 * before any step and inspect the result.
 */
import { existsSync } from 'node:fs'
import { link, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { printableLine } from './printable.ts'
import { clearProgress } from './progress.ts'

export interface Effects {
  /** Creates a folder and its parents, and syncs them. */
  mkdir(path: string): Promise<void>
  /** Writes a new file and syncs it to disk. `rename` then moves it to its final name. */
  write(path: string, bytes: Uint8Array): Promise<void>
  /** Syncs a file written by other code (SQLite, a stream). */
  sync(path: string): Promise<void>
  /** Replaces `to` with `from` atomically and syncs the folder of `to`. */
  rename(from: string, to: string): Promise<void>
  /** Creates a hard link. @throws the error of the system, for example `EXDEV` between file systems */
  link(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Runs `work`, which ends in the database commit `name`. */
  commit<T>(name: string, work: () => T): T
  now(): Date
  /** Writes a line for the operator. */
  log(line: string): void
}

/** Returns the real effects. `log` writes to standard error by default, because standard output is for results. */
export function realEffects(log: (line: string) => void = logLine): Effects {
  return {
    mkdir: makeFolder,
    write: async (path, bytes) => {
      const file = await open(path, 'w')
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
    },
    sync: syncPath,
    rename: async (from, to) => {
      await rename(from, to)
      await syncPath(dirname(to))
    },
    link,
    remove: (path) => rm(path, { force: true, recursive: true }),
    commit: (_name, work) => work(),
    now: () => new Date(),
    log,
  }
}

function logLine(line: string): void {
  clearProgress()
  process.stderr.write(`${printableLine(line)}\n`)
}

/** Creates a folder and its parents, and syncs the parent of each new one. */
async function makeFolder(path: string): Promise<void> {
  const first = await makeFolders(path)
  if (first === undefined) return
  for (let made = resolve(path); made.length >= resolve(first).length; made = dirname(made))
    await syncPath(dirname(made))
}

/**
 * Makes a folder and those above it. Returns the topmost that it made; undefined where all are there.
 * @throws the error of the system
 */
export async function makeFolders(path: string, mode?: number): Promise<string | undefined> {
  try {
    return await mkdir(path, { recursive: true, mode })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    // Node reports a full or read-only disk as ENOENT. Making the topmost folder by itself fails with the cause.
    let top = resolve(path)
    while (!existsSync(dirname(top))) top = dirname(top)
    await mkdir(top)
    throw error
  }
}

/** Puts bytes in the place of a file in one step, by way of `staged`, and makes the folder for it. */
export async function replaceFile(path: string, bytes: Uint8Array, staged: string, effects: Effects): Promise<void> {
  await effects.mkdir(dirname(path))
  await effects.write(staged, bytes)
  await effects.rename(staged, path)
}

/** Replaces `path` atomically with a file written by other code, and creates its folder. */
export async function moveFile(from: string, path: string, effects: Effects): Promise<void> {
  await effects.mkdir(dirname(path))
  await effects.sync(from)
  await effects.rename(from, path)
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
