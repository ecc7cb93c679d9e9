/** Watches the pointer of a `dist`. All files of a new snapshot are checked before it is activated. */
import { statSync } from 'node:fs'
import { type Manifest, type Pointer, pointerPath, readCurrent } from '../../corpus/snapshot/index.ts'
import type { Log } from '../process/log.ts'
import { checkFiles, type Loading } from './table-loader.ts'

export interface NewSnapshot {
  manifest: Manifest
  pointer: Pointer
}

export interface Watched {
  /** Interval of pointer checks in ms; 0 for none. */
  pollMs: number
  log: Log
  /** Id of the current snapshot. */
  serving(): string
  /** The files of `next` are verified. */
  take(next: NewSnapshot): Promise<void>
}

export interface Watch {
  /** Resolves when a new snapshot is activated or rejected. */
  refresh(): Promise<void>
  /** Logs damaged files of the current snapshot. */
  checkServed(manifest: Manifest): Promise<void>
  readonly figures: { swaps: number; refusals: number }
  close(): void
}

/** Identifies a pointer state without reading it. */
export function stampOf(dist: string): string {
  const stat = statSync(pointerPath(dist), { throwIfNoEntry: false })
  return stat ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : ''
}

/** `seen` is the stamp when the current snapshot was read. */
export function watchPointer(dist: string, seen: string, { pollMs, log, serving, take }: Watched): Watch {
  /** Verified objects. */
  const sound = new Set<string>()
  let refreshing: Promise<void> | null = null
  let checking: Loading<void> | null = null
  let closed = false
  let swaps = 0
  let refusals = 0

  async function check(manifest: Manifest): Promise<void> {
    checking = checkFiles(dist, manifest.files, sound)
    await checking.result
  }

  async function look(): Promise<void> {
    let stamp = seen
    try {
      stamp = stampOf(dist)
      if (stamp === seen) return
      const next = readCurrent(dist)
      seen = stamp
      if (next.manifest.snapshot === serving()) return
      await check(next.manifest)
      await take(next)
      swaps++
      log.info({ snapshot: next.manifest.snapshot, version: next.pointer.version }, 'serving new snapshot')
    } catch (error) {
      seen = stamp
      if (closed) return
      refusals++
      log.error({ err: error, serving: serving() }, 'new snapshot rejected, still serving the previous one')
    }
  }

  /** One check at a time, the current snapshot's first. */
  let queue: Promise<void> = Promise.resolve()
  const inTurn = (work: () => Promise<void>) => {
    queue = queue.then(work)
    return queue
  }
  function refresh(): Promise<void> {
    refreshing ??= inTurn(look).finally(() => {
      refreshing = null
    })
    return refreshing
  }

  const timer = pollMs > 0 ? setInterval(() => void refresh(), pollMs).unref() : null
  return {
    refresh,
    checkServed: (manifest) =>
      inTurn(async () => {
        try {
          await check(manifest)
        } catch (error) {
          if (closed) return
          log.error(
            { err: error, snapshot: manifest.snapshot },
            'damaged file in the served snapshot, requests for its data will fail',
          )
        }
      }),
    get figures() {
      return { swaps, refusals }
    },
    close() {
      closed = true
      if (timer) clearInterval(timer)
      checking?.cancel()
    },
  }
}
