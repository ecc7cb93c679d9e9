/**
 * Measures the memory of a snapshot's packages, as a program: heap and buffers of their tables, and of the packages that
 * an open snapshot caches. Prints `PackageMemory` as JSON.
 *
 *     package-memory.ts <dist>
 */
import { matchAdvisories } from '../../../corpus/model/packages/match.ts'
import { Random } from '../../../corpus/sample/random.ts'
import { decodeListTable } from '../../../corpus/snapshot/derive/lists.ts'
import { readPackageTables } from '../../../corpus/snapshot/derive/package-tables.ts'
import { fileOf, readCurrent, readObject } from '../../../corpus/snapshot/files/layout.ts'
import type { FileEntry, Role } from '../../../corpus/snapshot/files/manifest.ts'
import { openSnapshot } from '../../../corpus/snapshot/memory/open-snapshot.ts'
import { usedBytes } from '../../support/used-bytes.ts'
import { versionsOf } from './package-requests.ts'

/** In bytes, and counts. */
export interface PackageMemory {
  /** The tables of packages, advisories and aliases. */
  tables: number
  /** The same, and the packages that the gateway caches. */
  used: number
  advisories: number
  packages: number
}

/** Packages that are looked up, in turn and with a version each: more than the gateway caches. */
const LOOKED_UP = 50_000

/** Stays in memory to the end. */
const held: unknown[] = []

/** Returns how many more bytes are in use with the result of `make`. */
async function bytesOf(make: () => unknown): Promise<number> {
  const before = await usedBytes()
  held.push(make())
  return (await usedBytes()) - before
}

async function measure(dist: string): Promise<PackageMemory> {
  const { manifest } = readCurrent(dist)
  // The first one also loads what every snapshot needs once.
  openSnapshot(dist, manifest, { checkQuery: false }).close()
  const read = (file: FileEntry) => readObject(dist, file)
  const list = read(fileOf(manifest, 'list', 'packages'))
  // As a gateway has them.
  const tables = await bytesOf(() => [readPackageTables(manifest, read), decodeListTable('packages', list)])
  const snapshot = openSnapshot(dist, manifest, { checkQuery: false })
  const draw = versionsOf(snapshot, new Random('package-memory'))
  const cached = await bytesOf(() => {
    for (let i = 0; i < LOOKED_UP; i++) {
      const { entry, version } = draw(i % snapshot.openLists.packages.count)
      matchAdvisories(entry.advisories, { ecosystem: entry.ecosystem, version }, { preferList: true })
    }
  })
  snapshot.close()
  const count = (role: Role) => manifest.files.reduce((sum, file) => sum + (file.role === role ? file.count : 0), 0)
  return { tables, used: tables + cached, advisories: count('advisories'), packages: count('packages') }
}

process.stdout.write(`${JSON.stringify(await measure(process.argv[2] ?? ''))}\n`)
