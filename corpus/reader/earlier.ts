/** Opens the snapshots of a repository that requests ask for with `snapshot`. */
import { ApiError } from '../answers/errors.ts'
import type { SnapshotChoice } from '../answers/parameters/ids.ts'
import type { LentSnapshot } from '../answers/request.ts'
import { isFullId, keptId } from '../answers/snapshot-choice.ts'
import { decodeAbout, fileOf, gunzipFile, type Manifest, type SnapshotData, SnapshotError } from '../snapshot/index.ts'
import type { Lineage, Link } from '../snapshot/ranges/lineage.ts'
import { openRangeSnapshot } from '../snapshot/ranges/open-snapshot.ts'
import type { Objects } from './objects.ts'
import { openTexts } from './texts.ts'

export interface EarlierSnapshots {
  /**
   * Opens the snapshot that a choice selects, or returns the open one. As `findSnapshot`. If as many as may be open are
   * in use, it waits for one of them.
   */
  open(choice: SnapshotChoice): Promise<LentSnapshot>
  /** Closes each snapshot when it is not in use. */
  close(): Promise<void>
}

type OpenTexts = typeof openTexts

/** An open snapshot, and the requests that use it. */
interface Opened {
  snapshot: Promise<OpenSnapshot>
  users: number
}

interface OpenSnapshot {
  data: SnapshotData
  close(): Promise<void>
}

/**
 * @param most snapshots that are open at once
 * @param current the newest one, if it is open anyway
 * @param texts opens the text search of a snapshot
 */
export function openEarlier(
  lineage: Lineage,
  objects: Objects,
  most: number,
  current: SnapshotData | null = null,
  texts: OpenTexts = openTexts,
): EarlierSnapshots {
  /** In the order of their last use. */
  const opened = new Map<string, Opened>()
  const waiting: (() => void)[] = []
  let isClosed = false

  /** Closes the snapshot that was not used for longest. Returns null if all are in use. */
  function closeOne(): Promise<void> | null {
    for (const [id, { snapshot, users }] of opened) {
      if (users > 0) continue
      opened.delete(id)
      return snapshot.then(
        ({ close }) => close(),
        () => {},
      )
    }
    return null
  }

  async function use({ summary: { id }, manifest }: Link): Promise<Opened> {
    for (;;) {
      const known = opened.get(id)
      if (known) {
        opened.delete(id)
        opened.set(id, known)
        known.users++
        return known
      }
      if (opened.size < most || closeOne()) {
        const one = { snapshot: manifest().then((read) => openManifest(read, objects, texts)), users: 1 }
        // The next request tries again.
        one.snapshot.catch(() => opened.get(id) === one && opened.delete(id))
        opened.set(id, one)
        return one
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }

  function giveBack(one: Opened): void {
    one.users--
    if (isClosed) closeOne()
    waiting.shift()?.()
  }

  return {
    async open(choice) {
      const link = await findSnapshot(lineage, choice)
      if (link.summary.id === current?.id) return { data: current, release() {} }
      const one = await use(link)
      try {
        const { data } = await one.snapshot
        return { data, release: () => giveBack(one) }
      } catch (error) {
        giveBack(one)
        throw error
      }
    },
    async close() {
      isClosed = true
      const closing: (Promise<void> | null)[] = []
      for (let last = closeOne(); last; last = closeOne()) closing.push(last)
      await Promise.all(closing)
    },
  }
}

/**
 * Returns the link of the snapshot that a choice selects.
 * @throws ApiError `gone`, `not_found`, `invalid_parameter`; SnapshotError, TransferError
 */
export async function findSnapshot(lineage: Lineage, choice: SnapshotChoice): Promise<Link> {
  const kept: Link[] = []
  const removed: Link[] = []
  let damage: SnapshotError | null = null
  // A prefix could be one of several ids, so it needs all of them.
  const isFound = ({ summary: { id, created_at: at } }: Link) =>
    typeof choice === 'string' ? isFullId(choice) && id === choice : Date.parse(at) <= choice.ms
  for (let nights = 0; ; nights++) {
    try {
      const link = await lineage.at(nights)
      if (!link) break
      const isKept = nights === 0 || (await lineage.isReadable(link))
      if (isKept && isFound(link)) return link
      ;(isKept ? kept : removed).push(link)
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error
      damage = error
      break
    }
  }
  try {
    const summaries = (links: readonly Link[]) => links.map(({ summary }) => summary)
    const id = keptId(choice, { kept: summaries(kept), removed: summaries(removed) })
    return kept.find(({ summary }) => summary.id === id)!
  } catch (error) {
    // A damaged manifest may hide the snapshot.
    throw damage && error instanceof ApiError && error.code !== 'invalid_parameter' ? damage : error
  }
}

/** @throws SnapshotError, TransferError */
export async function openManifest(
  manifest: Manifest,
  objects: Objects,
  open: OpenTexts = openTexts,
): Promise<OpenSnapshot> {
  const about = decodeAbout(gunzipFile('about', await objects.whole(fileOf(manifest, 'about'))))
  const texts = open(manifest, objects)
  return { data: openRangeSnapshot(manifest, about, objects, texts), close: texts.close }
}
