/**
 * Measures the memory of a snapshot's packages, as a program: heap and buffers of the open snapshot, less those of the
 * same snapshot without the files of packages. Prints `PackageMemory` as JSON.
 *
 *     package-memory.ts <dist>
 */
import { matchAdvisories } from '../../../corpus/model/packages/match.ts'
import { Random } from '../../../corpus/sample/random.ts'
import { readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import type { FileEntry, Manifest, Role } from '../../../corpus/snapshot/files/manifest.ts'
import { openSnapshot } from '../../../gateway/snapshots/open-snapshot.ts'
import { usedBytes } from '../../support/used-bytes.ts'
import { versionsOf } from './package-requests.ts'

/** In bytes, and counts. */
export interface PackageMemory {
  /** The tables of packages, advisories and aliases, and the posting lists of vendors, products and packages. */
  tables: number
  /** The same, and the packages that the gateway caches. */
  used: number
  advisories: number
  packages: number
}

const OF_PACKAGES = ['advisories', 'packages', 'aliases']
/** The posting lists need the packages, and have those of vendors and products in the same file. */
const isOfPackages = ({ role, name }: FileEntry): boolean =>
  OF_PACKAGES.includes(role) ||
  (role === 'columns' && name === 'lists') ||
  (['index', 'list', 'pages'].includes(role) && /^(?:advisories|packages)\b/.test(name))

/** Packages that are looked up, in turn and with a version each: more than the gateway caches. */
const LOOKED_UP = 50_000

async function measure(dist: string): Promise<PackageMemory> {
  const { manifest } = readCurrent(dist)
  const without: Manifest = { ...manifest, files: manifest.files.filter((file) => !isOfPackages(file)) }
  // The first one also loads what every snapshot needs once.
  await bytesOf(dist, without, () => {})
  const other = await bytesOf(dist, without, () => {})
  const own = await bytesOf(dist, manifest, ({ lists, packages, ...rest }) => {
    const draw = versionsOf({ lists, packages, ...rest }, new Random('package-memory'))
    for (let i = 0; i < LOOKED_UP; i++) {
      const { entry, version } = draw(i % lists.packages.count)
      matchAdvisories(entry.advisories, { ecosystem: entry.ecosystem, version }, { preferList: true })
    }
  })
  const count = (role: Role) => manifest.files.reduce((sum, file) => sum + (file.role === role ? file.count : 0), 0)
  return {
    tables: own.opened - other.opened,
    used: own.used - other.opened,
    advisories: count('advisories'),
    packages: count('packages'),
  }
}

async function bytesOf(dist: string, manifest: Manifest, use: (snapshot: ReturnType<typeof openSnapshot>) => void) {
  const before = await usedBytes()
  const snapshot = openSnapshot(dist, manifest, { checkQuery: false })
  const opened = (await usedBytes()) - before
  use(snapshot)
  const used = (await usedBytes()) - before
  snapshot.close()
  return { opened, used }
}

process.stdout.write(`${JSON.stringify(await measure(process.argv[2] ?? ''))}\n`)
