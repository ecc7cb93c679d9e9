/** Requests about packages and advisories, drawn from a whole snapshot. */
import type { PackageEntry } from '../../../corpus/model/packages/package-entry.ts'
import type { Random } from '../../../corpus/sample/random.ts'
import type { OpenSnapshot } from '../../../corpus/snapshot/memory/open-snapshot.ts'
import type { Catalog } from './catalog.ts'

/** The packages with the most advisories. */
const POPULAR = 200

/** A version of a package, and the package. The version is one that an advisory states. */
export interface DrawnVersion {
  entry: PackageEntry
  version: string
}

/**
 * Returns a function that draws a version of the package at a position in the list of packages. Those with the most
 * advisories are first.
 * @throws Error if the snapshot has no packages
 */
export function versionsOf(
  { openLists, openPackages }: OpenSnapshot,
  random: Random,
): (ordinal: number) => DrawnVersion {
  if (openLists.packages.count === 0) throw new Error('this snapshot is too small: it has no packages')
  return (ordinal) => {
    const entry = entryAt({ openLists, openPackages }, ordinal)
    const { ranges, versions } = random.pick(random.pick(entry.advisories).affected)
    const stated = [...versions, ...ranges.flatMap(({ events }) => events.flatMap((event) => Object.values(event)))]
    return { entry, version: stated.length === 0 ? '1.0.0' : random.pick(stated) }
  }
}

type PackageTables = Pick<OpenSnapshot, 'openLists' | 'openPackages'>

function entryAt({ openLists, openPackages }: PackageTables, ordinal: number): PackageEntry {
  const key = openLists.packages.id(ordinal)
  const slash = key.indexOf('/')
  const entry = openPackages.package(key.slice(0, slash), key.slice(slash + 1))
  if (!entry) throw new Error(`the list of packages has ${key}, which is no package`)
  return entry
}

/** `most` is the number of packages to draw from; all by default. */
export function affected({ snapshot, random }: Catalog, most = Number.POSITIVE_INFINITY): () => string {
  const draw = versionsOf(snapshot, random)
  const count = Math.min(most, snapshot.openLists.packages.count)
  return () => {
    const { entry, version } = draw(random.int(count))
    const { ecosystem, name, purl } = entry
    const query = purl === null ? { ecosystem, name, version } : { purl: `${purl}@${encodeURIComponent(version)}` }
    return `/api/v1/affected?${new URLSearchParams(query)}`
  }
}

export const affectedPopular = (catalog: Catalog) => affected(catalog, POPULAR)

export function advisory({ snapshot, random }: Catalog): () => string {
  const draw = versionsOf(snapshot, random)
  return () => {
    const { entry } = draw(random.int(snapshot.openLists.packages.count))
    return `/api/v1/advisories/${encodeURIComponent(random.pick(entry.advisories).id)}`
  }
}
