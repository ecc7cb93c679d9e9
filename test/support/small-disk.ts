/** A separate small file system that tests can fill: a tmpfs, which only root can mount. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  path: string
  /** Writes until no byte is free. */
  fill(): void
  /** Removes what `fill` wrote. */
  empty(): void
  /** Makes it read-only. */
  lock(): void
  remove(): void
}

const mount = (...words: string[]) => spawnSync('mount', words, { stdio: 'ignore' }).status === 0
const unmount = (path: string) => spawnSync('umount', [path], { stdio: 'ignore' }).status === 0

/** Mounts a disk at `path`; `options` are those of tmpfs: `size=20m`. */
export function smallDisk(path: string, options: string): SmallDisk {
  mkdirSync(path)
  if (!mount('-t', 'tmpfs', '-o', options, 'tmpfs', path)) throw new Error(`cannot mount ${path}`)
  const filler = join(path, 'filler')
  return {
    path,
    fill() {
      const file = openSync(filler, 'a')
      const { bavail, bsize } = statfsSync(path)
      try {
        writeSync(file, Buffer.alloc(bavail * bsize))
      } finally {
        closeSync(file)
      }
    },
    empty: () => rmSync(filler, { force: true }),
    lock() {
      if (!mount('-o', 'remount,ro', path)) throw new Error(`cannot make ${path} read-only`)
    },
    remove() {
      if (!unmount(path)) throw new Error(`cannot unmount ${path}`)
      rmdirSync(path)
    },
  }
}

export function mayMount(): boolean {
  const path = mkdtempSync(join(tmpdir(), 'vulnshelf-mount-'))
  try {
    return mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path) && unmount(path)
  } finally {
    rmdirSync(path)
  }
}
