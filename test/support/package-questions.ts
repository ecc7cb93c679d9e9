/** Questions about the packages of a snapshot: all packages, with the versions that their advisories state. */
import type { PackageEntry } from '../../corpus/model/packages/package-entry.ts'
import type { PackageQuestion } from '../../corpus/reader/reader.ts'
import { Random } from '../../corpus/sample/random.ts'
import { plainBytes } from '../../corpus/snapshot/codec/segment-bytes.ts'
import { readCurrent, readObject } from '../../corpus/snapshot/files/layout.ts'
import type { HashedRole } from '../../corpus/snapshot/record/hashed-shard.ts'
import { membersOf } from '../../corpus/snapshot/record/shard.ts'

/** Returns the JSON of all members of a role. */
function entriesOf<Entry>(dist: string, role: HashedRole): Entry[] {
  const { manifest } = readCurrent(dist)
  return manifest.files
    .filter((file) => file.role === role)
    .flatMap((file) => {
      const shard = readObject(dist, file)
      return Array.from(membersOf(shard), ({ at, length, segments }) => {
        const member = shard.subarray(at, at + length)
        return JSON.parse(plainBytes(member, segments[0]!).toString()) as Entry
      })
    })
}

export const advisoryIds = (dist: string): string[] => entriesOf<{ id: string }>(dist, 'advisories').map(({ id }) => id)

/** Names every package by its parts and by its purl: without a version, and with each version that an advisory states. */
export function packageQuestions(dist: string): Exclude<PackageQuestion, string>[] {
  return entriesOf<PackageEntry>(dist, 'packages').flatMap(({ name, purl, advisories }) => {
    const entries = advisories.flatMap(({ affected }) => affected)
    const versions = entries.flatMap(({ ranges, versions }) => [
      ...versions,
      ...ranges.flatMap(({ events }) => events.flatMap((event) => Object.values(event))),
    ])
    // A blank in a query string is a `+` that was not encoded, so the gateway refuses it.
    const asked = versions.filter((version) => !/\s/.test(version))
    const ecosystems = [...new Set(entries.map(({ ecosystem }) => ecosystem))]
    const named = [undefined, ...new Set(asked)].flatMap((version) =>
      ecosystems.map((ecosystem) => ({ ecosystem, name, version })),
    )
    const purls =
      purl === null ? [] : [purl, ...asked.slice(0, 2).map((version) => `${purl}@${encodeURIComponent(version)}`)]
    return [...named, ...purls.map((one) => ({ purl: one }))]
  })
}

const TYPES = ['npm', 'pypi', 'cargo', 'golang', 'maven', 'deb', 'docker', 'nuget', 'gem', 'composer']

/** Returns purls of known and unknown packages, types and versions; some are malformed. */
export function randomPurls(dist: string, count: number): string[] {
  const random = new Random('purls')
  const names = entriesOf<PackageEntry>(dist, 'packages').map(({ name }) => name)
  return Array.from({ length: count }, () => {
    const type = random.pick(TYPES)
    const namespace = type === 'deb' ? 'debian/' : random.pick(['', '', 'acme/', '%40acme/', '%zz/'])
    const version = random.pick(['', '', '@', '@0', '@1.0.0', '@2.3.4-rc.1', '@9999', '@%2B', '@latest'])
    const rest = random.pick(['', '', '', '?distro=debian-12', '#lib', '?a'])
    return `pkg:${type}/${namespace}${random.pick([...names, 'no-such'])}${version}${rest}`
  })
}
