/**
 * The shelf: the snapshot that is served, and the ones before it that cursors may still name. A new one is opened and
 * checked beside the old, then takes its place in one assignment.
 */
import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import { describe, objectPath, pointerPath, readCurrent, readManifest } from '../../corpus/snapshot/layout.ts'
import type { Manifest } from '../../corpus/snapshot/manifest.ts'
import type { Log } from '../log.ts'
import { type SnapshotBits, snapshotBits } from '../plan/snapshot-bits.ts'
import { type OpenSnapshot, openSnapshot } from './open-snapshot.ts'

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
  /** The snapshot with this id while it is open, but no newer one than `than`. */
  open(id: string, than: Shelved): Shelved | null
  /** Looks whether another snapshot was put up, and serves it if it is sound. Resolves when that is decided. */
  refresh(): Promise<void>
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
  const { keep = 3, pollMs = 2000, log, onOpen = () => {}, onClose = () => {} } = options
  const shelve = (snapshot: OpenSnapshot) => {
    onOpen(snapshot)
    return shelved(snapshot, onClose)
  }
  /** Objects whose bytes have been read and found right. */
  const sound = new Set<string>()
  let seen = stampOf(dist)
  let { manifest } = readCurrent(dist)
  let current = shelve(openSnapshot(dist, manifest))
  /** Older ones, the newest first. */
  const older: Shelved[] = []
  let refreshing: Promise<void> | null = null
  let closed = false
  let swaps = 0
  let refusals = 0

  log.info({ snapshot: current.id, cves: current.about.counts.cves }, 'serving snapshot')
  const checking = checkFiles(dist, manifest, sound, () => closed).catch((error) => {
    if (closed) return
    log.error(
      { err: error, snapshot: manifest.snapshot },
      'a file of the served snapshot is damaged; what it holds will not be answered',
    )
  })
  const parents = checking.then(() => openParents())

  /** Opens the snapshots before the current one, as far as they are still there, for cursors from before a restart. */
  function openParents(): void {
    let last = manifest
    while (last.parent && older.length < keep - 1 && !closed) {
      const { snapshot, manifest: digest } = last.parent
      try {
        last = readManifest(dist, digest)
        older.push(shelve(openSnapshot(dist, last)))
      } catch (error) {
        // Whatever it is, it concerns only cursors from before the start: the current snapshot is served.
        log.warn({ err: error, snapshot }, 'an earlier snapshot cannot be opened')
        return
      }
    }
  }

  async function swap(): Promise<void> {
    let stamp = seen
    try {
      stamp = stampOf(dist)
      if (stamp === seen) return
      await parents
      const next = readCurrent(dist)
      seen = stamp
      if (next.manifest.snapshot === current.id) return
      const opened = openSnapshot(dist, next.manifest, { checkQuery: false })
      try {
        await checkFiles(dist, next.manifest, sound, () => closed)
      } catch (error) {
        opened.close()
        throw error
      }
      older.unshift(current)
      manifest = next.manifest
      current = shelve(opened)
      swaps++
      for (const gone of older.splice(keep - 1)) gone.close()
      log.info({ snapshot: current.id, version: next.pointer.version }, 'serving new snapshot')
    } catch (error) {
      seen = stamp
      if (closed) return
      refusals++
      log.error({ err: error, serving: current.id }, 'a new snapshot is refused; the old one stays')
    }
  }

  function refresh(): Promise<void> {
    refreshing ??= swap().finally(() => {
      refreshing = null
    })
    return refreshing
  }

  const timer = pollMs > 0 ? setInterval(() => void refresh(), pollMs).unref() : null
  return {
    get current() {
      return current
    },
    retained: (prefix) => [current, ...older].find((snapshot) => snapshot.prefix === prefix) ?? null,
    open: (id, than) => older.find((snapshot) => snapshot.id === id && snapshot.createdAt < than.createdAt) ?? null,
    refresh,
    get figures() {
      return { snapshot: current.id, createdAt: current.createdAt, open: 1 + older.length, swaps, refusals }
    },
    close() {
      closed = true
      if (timer) clearInterval(timer)
      for (const snapshot of [current, ...older]) snapshot.close()
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
    bits: snapshotBits(snapshot.columns),
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

/** What tells one state of the pointer from another without reading it. */
function stampOf(dist: string): string {
  const stat = statSync(pointerPath(dist), { throwIfNoEntry: false })
  return stat ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : ''
}

/**
 * Reads every file and checks its digest, except what is known to be sound.
 * @throws SnapshotError `digest` or `missing`
 */
async function checkFiles(dist: string, manifest: Manifest, sound: Set<string>, stop: () => boolean): Promise<void> {
  for (const file of manifest.files) {
    if (sound.has(file.sha256)) continue
    if (stop()) throw new Error('the gateway is closing')
    const hash = createHash('sha256')
    try {
      for await (const chunk of createReadStream(objectPath(dist, file.sha256))) hash.update(chunk as Buffer)
    } catch (cause) {
      throw new SnapshotError('missing', `${describe(file)} cannot be read`, { cause })
    }
    if (hash.digest('hex') !== file.sha256) {
      throw new SnapshotError('digest', `${describe(file)} does not have the digest it is named by`)
    }
    sound.add(file.sha256)
  }
}
