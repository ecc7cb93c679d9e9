/**
 * The registry of open snapshots: the current one, and earlier ones that cursors may still name. A new snapshot is
 * opened and checked while the old one serves, and then replaces it in one assignment.
 */

import { readCurrent, readManifest, SnapshotError } from '../../corpus/snapshot/index.ts'
import { fill, hold, release } from '../../corpus/snapshot/memory/hold.ts'
import {
  type OpenSnapshot,
  openSnapshot,
  openTables,
  openTablesInTurns,
} from '../../corpus/snapshot/memory/open-snapshot.ts'
import type { SnapshotTables } from '../../corpus/snapshot/memory/tables.ts'
import type { Log } from '../process/log.ts'
import { type Loading, loadTables } from './table-loader.ts'
import { stampOf, watchPointer } from './watch.ts'

export interface ServedSnapshot extends OpenSnapshot {
  /** Keeps the snapshot open while a request waits for another thread. Returns the release function. */
  hold(): () => void
}

export interface SnapshotRegistry {
  readonly current: ServedSnapshot
  /** Returns the open snapshot with this id prefix, as in cursors, or null. */
  retained(prefix: string): ServedSnapshot | null
  /** Current one first. Cursors can continue in each of them. */
  readonly opened: readonly ServedSnapshot[]
  /** Keeps the open snapshots open while a request waits. Returns the release function. */
  hold(): () => void
  /** Returns null unless the open snapshot is older than `than`. */
  open(id: string, than: ServedSnapshot): ServedSnapshot | null
  /** Checks the pointer, and serves a new snapshot if it is intact. Resolves when that is decided. */
  refresh(): Promise<void>
  /**
   * Opens a snapshot with verified files, but keeps serving the current one. Cursors that name it already work,
   * because another process may serve it.
   */
  prepare(digest: string): Promise<void>
  /** Serves the prepared snapshot, or releases it. */
  commit(): void
  abandon(): void
  /** Resolves when the first snapshot's files are checked and earlier snapshots are open. */
  readonly settled: Promise<void>
  readonly figures: RegistryFigures
  close(): void
}

export interface RegistryFigures {
  /** `createdAt` is in ms since 1970. */
  snapshot: string
  createdAt: number
  /** The date of each feed of the current snapshot, in ms since 1970. */
  feeds: ReadonlyMap<string, number>
  /** Includes the current one. */
  open: number
  /** Since the start. */
  swaps: number
  refusals: number
}

export interface RegistryOptions {
  /** Number of open snapshots, with the current one. */
  keep?: number
  /** Interval of pointer checks in ms; 0 for none. */
  pollMs?: number
  /** Whether another process watches the pointer, checks files, and calls `prepare` and `commit`. */
  led?: boolean
  /** Memory for rows and pages of the current snapshot, in bytes. Default: unlimited. */
  holdBytes?: number
  /** Tables of the first snapshot, if they are already read. */
  tables?: SnapshotTables
  log: Log
  /** Called before the snapshot answers. */
  onOpen?: (snapshot: OpenSnapshot) => void
  /** Called when the snapshot becomes the current one. */
  onServe?: (snapshot: OpenSnapshot) => void
  onClose?: (snapshot: OpenSnapshot) => void
}

/**
 * Checks data in memory before it returns, other files afterwards.
 * @throws SnapshotError if there is no usable snapshot
 */
export function openRegistry(dist: string, options: RegistryOptions): SnapshotRegistry {
  const {
    keep = 3,
    pollMs = 2000,
    led = false,
    holdBytes = Number.POSITIVE_INFINITY,
    tables,
    log,
    onOpen = () => {},
    onServe = () => {},
    onClose = () => {},
  } = options
  const shelve = (snapshot: OpenSnapshot) => {
    onOpen(snapshot)
    return shelved(snapshot, onClose)
  }
  // Tables may be older than the pointer; the first check detects that.
  const seen = tables ? '' : stampOf(dist)
  let current = shelve(tables ? openTables(dist, tables) : openSnapshot(dist, readCurrent(dist).manifest))
  onServe(current)
  hold(current, holdBytes)
  /** Newest first. */
  const older: ServedSnapshot[] = []
  let prepared: ServedSnapshot | null = null
  let reading: Loading<SnapshotTables> | null = null
  let closed = false

  log.info({ snapshot: current.id, cves: current.about.counts.cves }, 'serving snapshot')

  async function open(digest: string): Promise<ServedSnapshot> {
    reading = loadTables(dist, digest, false)
    return shelve(await openTablesInTurns(dist, await reading.result, () => closed))
  }

  /** Opens earlier snapshots, for cursors from before a restart. */
  async function openParents({ manifest }: ServedSnapshot): Promise<void> {
    let last = manifest
    while (last.parent && older.length < keep - 1 && !closed) {
      const { snapshot, manifest: digest } = last.parent
      // Never fatal: it concerns only cursors from before the start.
      const tell = (error: unknown) => {
        if (closed) return
        // Normal: a new mirror has none of them, and prune keeps few.
        const isGone = error instanceof SnapshotError && error.code === 'missing'
        if (isGone) log.info({ snapshot }, 'earlier snapshot not available')
        else log.warn({ err: error, snapshot }, 'earlier snapshot cannot be opened')
      }
      try {
        last = readManifest(dist, digest)
      } catch (error) {
        return tell(error)
      }
      try {
        older.push(await open(digest))
      } catch (error) {
        // A mirror may have skipped only this night.
        tell(error)
      }
    }
  }

  async function prepare(digest: string): Promise<void> {
    await settled
    prepared = await open(digest)
  }

  function readInAdvance(snapshot: ServedSnapshot): void {
    fill(snapshot).catch((error: unknown) => {
      log.warn({ err: error, snapshot: snapshot.id }, 'cannot read rows in advance, reading them when requested')
    })
  }

  function commit(): void {
    if (prepared === null) return
    release(current)
    older.unshift(current)
    current = prepared
    onServe(current)
    hold(current, holdBytes)
    readInAdvance(current)
    prepared = null
    for (const gone of older.splice(keep - 1)) gone.close()
  }

  const watch = watchPointer(dist, seen, {
    pollMs: led ? 0 : pollMs,
    log,
    serving: () => current.id,
    async take({ pointer }) {
      await prepare(pointer.manifest.sha256)
      commit()
    },
  })
  const first = current
  // The check reads all files first, so that filling finds them in the page cache.
  const checked = led ? Promise.resolve() : watch.checkServed(first.manifest)
  const settled = checked.then(() => openParents(first))
  void settled.then(() => readInAdvance(first))

  return {
    get current() {
      return current
    },
    get opened() {
      return [current, ...older]
    },
    hold() {
      const releases = [current, ...older, ...(prepared ? [prepared] : [])].map((snapshot) => snapshot.hold())
      return () => {
        for (const release of releases) release()
      }
    },
    retained: (prefix) =>
      [current, ...older].find((snapshot) => snapshot.prefix === prefix) ??
      (prepared?.prefix === prefix ? prepared : null),
    open: (id, than) => older.find((snapshot) => snapshot.id === id && snapshot.createdAt < than.createdAt) ?? null,
    refresh: watch.refresh,
    prepare,
    commit,
    abandon() {
      prepared?.close()
      prepared = null
    },
    settled,
    get figures() {
      const { id: snapshot, createdAt, feedDates: feeds } = current
      return { snapshot, createdAt, feeds, open: 1 + older.length, ...watch.figures }
    },
    close() {
      closed = true
      release(current)
      reading?.cancel()
      watch.close()
      for (const snapshot of [current, ...older, ...(prepared ? [prepared] : [])]) snapshot.close()
    },
  }
}

/** Closes the snapshot only after its last use. */
function shelved(snapshot: OpenSnapshot, onClose: (snapshot: OpenSnapshot) => void): ServedSnapshot {
  let holders = 0
  let closing = false
  const { close } = snapshot
  const closeIfFree = () => {
    if (!closing || holders > 0) return
    close()
    onClose(snapshot)
  }
  // The same object: its rows and pages belong to it. Object.assign would make all its properties slow.
  const served = snapshot as ServedSnapshot
  served.hold = () => {
    holders++
    return () => {
      holders--
      closeIfFree()
    }
  }
  served.close = () => {
    closing = true
    closeIfFree()
  }
  return served
}
