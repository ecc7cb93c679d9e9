/** Gets the missing objects of a snapshot: with packs, derived, or whole. */
import { type Download, downloadAll } from '../../corpus/repository/download.ts'
import { describe, type FileEntry, type Manifest, type Pointer, type Stored } from '../../corpus/snapshot/index.ts'
import { bytesOf, isHere, onceEach, type Sound } from './objects.ts'
import { rebuiltByDeriving } from './rebuild-by-deriving.ts'
import { rebuiltFromPacks, worthwhileLinks } from './rebuild-from-packs.ts'

/** The largest missing come first, so that the slowest transfer does not start last. */
export async function missingOf(
  dist: string,
  files: readonly FileEntry[],
  sound: Sound,
): Promise<{ here: FileEntry[]; missing: FileEntry[] }> {
  const [here, missing]: [FileEntry[], FileEntry[]] = [[], []]
  for (const file of onceEach(files)) {
    if (await isHere(dist, file, sound)) here.push(file)
    else missing.push(file)
  }
  return { here, missing: missing.sort((a, b) => b.size - a.size) }
}

/** How a mirror downloads objects. */
export interface Transfers extends Omit<Download, 'onBytes'> {
  parallel: number
}

export interface Received {
  /** The used packs, and those fetched in this run. */
  packs: Stored[]
  fetchedPacks: readonly Stored[]
  /** Digests of the manifests along the packs. */
  between: string[]
  made: FileEntry[]
  derived: FileEntry[]
  whole: FileEntry[]
}

/**
 * Derived files come last, because they need the others. `jobs` is null to fetch them.
 * @throws TransferError
 */
export async function getMissing(
  manifest: Manifest,
  missing: readonly FileEntry[],
  have: Pointer | null,
  jobs: number | null,
  transfers: Transfers,
  onBytes: (bytes: number, wanted: number) => void,
): Promise<Received> {
  const [toDerive, toGet] = parted(missing, ({ derived }) => derived && jobs !== null)
  const fetch = (files: readonly FileEntry[], wanted: number) =>
    downloadAll(
      files.map((object) => ({ object, name: describe(object) })),
      { ...transfers, onBytes: (count) => onBytes(count, wanted) },
    )
  const links = have ? await worthwhileLinks(manifest, toGet, have, transfers) : []
  const offered = links.map(({ pack }) => pack)
  const { made: packed, fetched } = await rebuiltFromPacks(links, toGet, transfers, (count) =>
    onBytes(count, bytesOf(offered)),
  )
  const [made, rest] = parted(toGet, ({ sha256 }) => packed.has(sha256))
  const bytes = bytesOf(offered) + bytesOf(rest)
  await fetch(rest, bytes)
  // Packs that rebuilt nothing here are useless in a bundle too.
  const used = made.length > 0 ? links : []
  const packs = used.map(({ pack }) => pack)
  const fetchedPacks = made.length > 0 ? fetched : []
  const between = used.slice(1).map(({ child }) => child.parent!.manifest)
  if (jobs === null) return { packs, fetchedPacks, between, made, derived: [], whole: rest }

  const same = await rebuiltByDeriving(manifest, toDerive, jobs, transfers)
  const [derived, others] = parted(toDerive, ({ sha256 }) => same.has(sha256))
  await fetch(others, bytes + bytesOf(others))
  return { packs, fetchedPacks, between, made, derived, whole: [...rest, ...others] }
}

function parted<T>(all: readonly T[], passes: (one: T) => boolean): [T[], T[]] {
  return [all.filter(passes), all.filter((one) => !passes(one))]
}
