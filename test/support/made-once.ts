/** Folders that one test file makes and the others of a run use in place, in all its processes. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './dist.ts'
import { until } from './until.ts'

/** `test/run.ts` sets it to a folder of the run. A file that runs alone makes everything itself. */
export const CACHE_VARIABLE = 'VULNSHELF_TEST_CACHE'
const cache = process.env[CACHE_VARIABLE] ?? temporaryFolder('made').path
/** Some folders are installed from a registry, or made of the real feeds. A process that ends releases its lock. */
const LONGEST_MS = 600_000
const known = new Map<string, Promise<string>>()

/** Returns the folder of this name, which `make` fills once per run. Tests must not change its files. */
export function madeOnce(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const made = known.get(name) ?? found(join(cache, name), make)
  known.set(name, made)
  return made
}

async function found(folder: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const lock = `${folder}.lock`
  await until(
    () => existsSync(folder) || hasTaken(lock),
    () => `another process has not made ${folder}`,
    LONGEST_MS,
  )
  if (existsSync(folder)) return folder
  const part = `${folder}.part`
  try {
    rmSync(part, { recursive: true, force: true })
    mkdirSync(part, { recursive: true })
    await make(part)
    writeFileSync(`${folder}.json`, JSON.stringify(stampsOf(part)))
    renameSync(part, folder)
    return folder
  } finally {
    rmSync(lock)
  }
}

/** Returns whether this process has the lock now. A process that has ended leaves its lock to the next. */
function hasTaken(lock: string): boolean {
  try {
    mkdirSync(cache, { recursive: true })
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (existsSync(lock) && !isAlive(Number(readFileSync(lock, 'utf8')))) rmSync(lock, { force: true })
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Returns size and time of change by file. Readers of a corpus create SQLite's `-shm` and `-wal`. */
function stampsOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !/\.db-(?:shm|wal)$/.test(entry.name),
  )
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const { size, mtimeMs } = statSync(path)
      return [path.slice(folder.length + 1), `${size} ${mtimeMs}`]
    }),
  )
}

/** Returns the files of a run's folders that were changed, added or removed since they were made. */
export function changedFiles(cache: string): string[] {
  const folders = readdirSync(cache).filter((name) => existsSync(join(cache, `${name}.json`)))
  return folders.flatMap((name) => {
    const before = JSON.parse(readFileSync(join(cache, `${name}.json`), 'utf8')) as Record<string, string>
    const now = stampsOf(join(cache, name))
    const paths = new Set([...Object.keys(before), ...Object.keys(now)])
    return [...paths].filter((path) => before[path] !== now[path]).map((path) => join(name, path))
  })
}
