/**
 * The shelf: the snapshot that is served, and the ones before it that cursors may still name. A new one is opened and
 * checked beside the old, then takes its place in one assignment.
 */

import { SnapshotError } from '../../corpus/snapshot/error.ts'
import { type SnapshotBits, snapshotBits, warmBits } from '../../corpus/snapshot/find/snapshot-bits.ts'
import { readCurrent, readManifest } from '../../corpus/snapshot/layout.ts'
import type { Log } from '../log.ts'
import { type OpenSnapshot, openSnapshot, openTables, openTablesInTurns } from './open-snapshot.ts'
import { type Reading, readTablesAside } from './reading.ts'
import type { SnapshotTables } from './tables.ts'
import { stampOf, watchPointer } from './watch.ts'

/** A snapshot in use. */
export interface Shelved extends OpenSnapshot {
  bits: SnapshotBits
  /** Keeps the snapshot open while something waits for another thread; the result lets it go. */
  hold(): () => void
}

export interface Shelf {
  readonly current: Shelved
  /** The snapshot that a cursor names by the first characters of its id, while it is retained. */
  retained(prefix: string): Shelved | null
  /** The snapshots that are open, the current one first. Cursors can go on in each of them. */
  readonly opened: readonly Shelved[]
  /** The snapshot with this id while it is open, but no newer one than `than`. */
  open(id: string, than: Shelved): Shelved | null
  /** Looks whether another snapshot was put up, and serves it if it is sound. Resolves when that is decided. */
  refresh(): Promise<void>
  /**
   * Opens the snapshot of a manifest whose files are sound, beside the served one. Cursors that name it go on in it, for
   * another process may serve it already.
   */
  prepare(digest: string): Promise<void>
  /** Serves the prepared snapshot, or lets go of it. */
  commit(): void
  abandon(): void
  /** Resolves when the files of the snapshot that was served first have been checked, and those before it opened. */
  readonly settled: Promise<void>
  readonly figures: ShelfFigures
  close(): void
}

/** How the shelf fares, for the metrics. */
export interface ShelfFigures {
  /** Id of the snapshot that is served, and its date in ms since 1970. */
  snapshot: string
  createdAt: number
  /** Snapshots kept open, the served one included. */
  open: number
  /** New snapshots taken up and refused since the start. */
  swaps: number
  refusals: number
}

export interface ShelfOptions {
  /** How many snapshots stay open, the current one among them. */
  keep?: number
  /** How often the pointer is looked at, in ms; 0 for never. */
  pollMs?: number
  /** Whether somebody else watches the pointer and checks files, and says what to prepare and when to serve it. */
  led?: boolean
  /** The tables of the snapshot to begin with, where they were read already. */
  tables?: SnapshotTables
  log: Log
  /** Called when a snapshot is opened, before it answers. */
  onOpen?: (snapshot: OpenSnapshot) => void
  /** Called when a snapshot is closed. */
  onClose?: (snapshot: OpenSnapshot) => void
}

/**
 * Opens the current snapshot of `dist`. What is held in memory is checked before this returns, the other files after.
 * @throws SnapshotError when there is nothing fit to be served
 */
export function openShelf(dist: string, options: ShelfOptions): Shelf {
  const { keep = 3, pollMs = 2000, led = false, tables, log, onOpen = () => {}, onClose = () => {} } = options
  const shelve = (snapshot: OpenSnapshot) => {
    onOpen(snapshot)
    return shelved(snapshot, onClose)
  }
  // Tables that were read before are perhaps not those of the current pointer any more: the first look will tell.
  const seen = tables ? '' : stampOf(dist)
  let current = shelve(tables ? openTables(dist, tables) : openSnapshot(dist, readCurrent(dist).manifest))
  /** Older ones, the newest first. */
  const older: Shelved[] = []
  let prepared: Shelved | null = null
  let reading: Reading<SnapshotTables> | null = null
  let closed = false

  log.info({ snapshot: current.id, cves: current.about.counts.cves }, 'serving snapshot')
  warmBits(current.bits)

  async function open(digest: string): Promise<Shelved> {
    reading = readTablesAside(dist, digest, false)
    return shelve(await openTablesInTurns(dist, await reading.result, () => closed))
  }

  /** Opens the snapshots before the current one, as far as they are still there, for cursors from before a restart. */
  async function openParents({ manifest }: Shelved): Promise<void> {
    let last = manifest
    while (last.parent && older.length < keep - 1 && !closed) {
      const { snapshot, manifest: digest } = last.parent
      // Whatever it is, it concerns only cursors from before the start: the current snapshot is served.
      const tell = (error: unknown) => {
        if (closed) return
        // A new mirror has none of them, and prune leaves few.
        const isGone = error instanceof SnapshotError && error.code === 'missing'
        if (isGone) log.info({ snapshot }, 'an earlier snapshot is not here any more, or never was')
        else log.warn({ err: error, snapshot }, 'an earlier snapshot cannot be opened')
      }
      try {
        last = readManifest(dist, digest)
      } catch (error) {
        return tell(error)
      }
      try {
        older.push(await open(digest))
      } catch (error) {
        // A mirror has passed over some nights, and may have those before them.
        tell(error)
      }
    }
  }

  async function prepare(digest: string): Promise<void> {
    await settled
    prepared = await open(digest)
  }

  function commit(): void {
    if (prepared === null) return
    older.unshift(current)
    current = prepared
    prepared = null
    warmBits(current.bits)
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
  const settled = (led ? Promise.resolve() : watch.checkServed(first.manifest)).then(() => openParents(first))

  return {
    get current() {
      return current
    },
    get opened() {
      return [current, ...older]
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
      return { snapshot: current.id, createdAt: current.createdAt, open: 1 + older.length, ...watch.figures }
    },
    close() {
      closed = true
      reading?.cancel()
      watch.close()
      for (const snapshot of [current, ...older, ...(prepared ? [prepared] : [])]) snapshot.close()
    },
  }
}

/** Adds what a gateway works out once for a snapshot, and closes it only when nobody holds it any more. */
function shelved(snapshot: OpenSnapshot, onClose: (snapshot: OpenSnapshot) => void): Shelved {
  let holders = 0
  let closing = false
  const closeIfFree = () => {
    if (!closing || holders > 0) return
    snapshot.close()
    onClose(snapshot)
  }
  return {
    ...snapshot,
    bits: snapshotBits(snapshot),
    hold() {
      holders++
      return () => {
        holders--
        closeIfFree()
      }
    },
    close() {
      closing = true
      closeIfFree()
    },
  }
}
