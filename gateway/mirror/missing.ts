/** What of a snapshot is missing here, and the ways in which it comes: with packs, derived, and whole. */
import { describe } from '../../corpus/snapshot/layout.ts'
import type { FileEntry, Manifest, Stored } from '../../corpus/snapshot/manifest.ts'
import type { Pointer } from '../../corpus/snapshot/pointer.ts'
import { madeFromPacks, worthwhileLinks } from './deltas.ts'
import { madeByDeriving } from './derived.ts'
import { bytesOf, isHere, type Sound } from './objects.ts'
import { fetchAll, type Transfers } from './transfers.ts'

/**
 * Which objects of a snapshot are here, and which are missing; of these the largest first, for what takes longest should
 * not begin last.
 */
export async function missingOf(
  dist: string,
  { files }: Manifest,
  sound: Sound,
): Promise<{ here: FileEntry[]; missing: FileEntry[] }> {
  const [here, missing]: [FileEntry[], FileEntry[]] = [[], []]
  for (const file of onceEach(files)) {
    if (await isHere(dist, file, sound)) here.push(file)
    else missing.push(file)
  }
  return { here, missing: missing.sort((a, b) => b.size - a.size) }
}

/** Each object once: several files of a snapshot may be the same. */
export const onceEach = (files: readonly FileEntry[]): FileEntry[] => [
  ...new Map(files.map((file) => [file.sha256, file])).values(),
]

/** How what was missing has come. */
export interface Came {
  /** With which something was made, and those of them that came now. */
  packs: Stored[]
  fetchedPacks: readonly Stored[]
  /** Digests of the manifests that the packs lead over, from the snapshot that was here. */
  between: string[]
  /** Made with packs. */
  made: FileEntry[]
  derived: FileEntry[]
  /** Fetched as they are. */
  whole: FileEntry[]
}

/**
 * Gets what is missing. What is derived comes last, since it is made of the others: with `jobs` threads, or whole where
 * that is null.
 * @throws TransferError
 */
export async function getMissing(
  manifest: Manifest,
  missing: readonly FileEntry[],
  have: Pointer | null,
  jobs: number | null,
  transfers: Transfers,
  onBytes: (bytes: number, wanted: number) => void,
): Promise<Came> {
  const [toDerive, toGet] = parted(missing, ({ derived }) => derived && jobs !== null)
  const fetch = (files: readonly FileEntry[], wanted: number) =>
    fetchAll(
      files.map((object) => ({ object, name: describe(object) })),
      transfers,
      (count) => onBytes(count, wanted),
    )
  const links = have ? await worthwhileLinks(manifest, toGet, have, transfers) : []
  const offered = links.map(({ pack }) => pack)
  const { made: packed, fetched } = await madeFromPacks(links, toGet, transfers, (count) =>
    onBytes(count, bytesOf(offered)),
  )
  const [made, rest] = parted(toGet, ({ sha256 }) => packed.has(sha256))
  const bytes = bytesOf(offered) + bytesOf(rest)
  await fetch(rest, bytes)
  // Packs of which nothing was made are of no use to anybody else either.
  const used = made.length > 0 ? links : []
  const packs = used.map(({ pack }) => pack)
  const fetchedPacks = made.length > 0 ? fetched : []
  const between = used.slice(1).map(({ child }) => child.parent!.manifest)
  if (jobs === null) return { packs, fetchedPacks, between, made, derived: [], whole: rest }

  const same = await madeByDeriving(manifest, toDerive, jobs, transfers)
  const [derived, others] = parted(toDerive, ({ sha256 }) => same.has(sha256))
  await fetch(others, bytes + bytesOf(others))
  return { packs, fetchedPacks, between, made, derived, whole: [...rest, ...others] }
}

/** What passes a test, and what does not. */
function parted<T>(all: readonly T[], passes: (one: T) => boolean): [T[], T[]] {
  return [all.filter(passes), all.filter((one) => !passes(one))]
}
