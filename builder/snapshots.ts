/** `vulnshelf snapshots`: lists the snapshots in a `dist`. */
import { existsSync } from 'node:fs'
import { DATE_BOUND_FORM, parseDateBound, untilMs } from '../corpus/model/values/date-bound.ts'
import { formatYears } from '../corpus/model/values/years.ts'
import { earlierSnapshots, type KnownSnapshot, knownSnapshot, objectDigests } from '../corpus/repository/snapshots.ts'
import {
  checkSignatures,
  manifestDigests,
  objectPath,
  readCurrent,
  readSubset,
  type SignatureVerdict,
  SnapshotError,
} from '../corpus/snapshot/index.ts'

export interface RetainedSnapshot {
  id: string
  createdAt: string
  /** The snapshot that it was built on. */
  parent: string | null
  cves: number
  /** Whether all files exist; `/changes` needs them for a comparison. `prune` and mirrors leave manifests without files. */
  complete: boolean
  /** Whether only derived files are missing: `derive` makes them again. */
  derivable: boolean
  /** Size of the existing files together. Includes files that other snapshots share. */
  bytes: number
}

/** Earlier pointers are not kept. */
export interface CurrentSnapshot extends RetainedSnapshot {
  version: number
  /** Not verified: use `verify --keys`. */
  signatures: SignatureVerdict[]
  expiresAt: string | null
  /** The years of the records in a partial mirror, such as `2024-`; null for a complete folder. */
  years: string | null
}

export interface SnapshotsReport {
  current: CurrentSnapshot
  /** In the order in which `prune` keeps them. */
  earlier: (RetainedSnapshot & Pick<KnownSnapshot, 'ancestor'>)[]
  damaged: string[]
}

/**
 * Returns the snapshot that `choice` selects: its id, the first digits of it, or the newest at or before a date or time.
 * A date means the end of its day in UTC.
 * @throws SnapshotError `missing` for none, several, or one without files; and as `readCurrent`
 */
export function findSnapshot(dist: string, choice: string): KnownSnapshot {
  const { pointer, manifest } = readCurrent(dist)
  const { sha256: digest, size: length } = pointer.manifest
  const current = knownSnapshot({ digest, manifest, bytes: { length } }, new Set(objectDigests(dist)), readSubset(dist))
  const known = [{ ...current, ancestor: true }, ...earlierSnapshots(dist, manifestDigests(dist), digest).earlier]
  const remedy = `\`vulnshelf snapshots ${dist}\` lists the kept ones`
  const missing = (what: string) => new SnapshotError('missing', `${what}; ${remedy}`)
  const bound = parseDateBound(choice)
  if (bound !== null) {
    const found = known.find(
      ({ ancestor, files, createdAt }, i) =>
        ancestor && (files !== 'incomplete' || i === 0) && Date.parse(createdAt) <= untilMs(bound),
    )
    if (!found) throw missing(`${dist} has no snapshot that was created at or before ${choice}`)
    return found
  }
  if (!ID_START.test(choice)) throw missing(`'${choice}' is no id of a snapshot, nor ${DATE_BOUND_FORM}`)
  const found = known.filter(({ id }) => id.startsWith(choice.toLowerCase()))
  const [first] = found
  if (!first) throw missing(`${dist} has no snapshot ${choice}`)
  if (found.some(({ id }) => id !== first.id)) throw missing(`several snapshots in ${dist} begin with ${choice}`)
  if (first.index === null || existsSync(objectPath(dist, first.index))) return first
  throw missing(`snapshot ${first.id} was removed: only its manifest is in ${dist}`)
}

/** As `/changes?since=`. */
const ID_START = /^[0-9a-f]{7,64}$/i

/** @throws SnapshotError if there is no current snapshot, or its manifest is damaged */
export async function listSnapshots(dist: string, now = new Date()): Promise<SnapshotsReport> {
  const { pointer, pointerBytes, manifest } = readCurrent(dist)
  const { sha256: digest, size: length } = pointer.manifest
  const { earlier, damaged } = earlierSnapshots(dist, manifestDigests(dist), digest)
  const subset = readSubset(dist)
  return {
    current: {
      ...summaryOf(knownSnapshot({ digest, manifest, bytes: { length } }, new Set(objectDigests(dist)), subset)),
      version: pointer.version,
      signatures: await checkSignatures(pointerBytes, null, now),
      expiresAt: pointer.expires_at ?? null,
      years: subset && formatYears(subset),
    },
    earlier: earlier.map((snapshot) => ({ ...summaryOf(snapshot), ancestor: snapshot.ancestor })),
    damaged,
  }
}

const summaryOf = ({ id, createdAt, parent, cves, files, bytes }: KnownSnapshot): RetainedSnapshot => ({
  id,
  createdAt,
  parent: parent?.snapshot ?? null,
  cves,
  complete: files === 'all',
  derivable: files === 'sources',
  bytes,
})
