/** One writer at a time: a lock file that names its process, and gives way when that process is gone. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BuildError } from './error.ts'

/** Takes the lock of a `dist`; the result gives it back. Throws `BuildError` `busy`. */
export function lockDist(dist: string): () => void {
  const path = join(dist, 'lock')
  for (;;) {
    try {
      writeFileSync(path, `${process.pid}\n`, { flag: 'wx' })
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const holder = Number(readFileSync(path, 'utf8'))
    if (isAlive(holder)) {
      throw new BuildError(
        'busy',
        `process ${holder} is writing to ${dist}; wait for it, or remove ${path} if it hangs`,
      )
    }
    rmSync(path, { force: true })
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
