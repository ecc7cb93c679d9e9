/** Writes OSV's exports: a zip of entries per ecosystem. They repeat GHSA, and contain further databases. */
import { type Advisory, advisoriesOf } from '../../advisories/advisory.ts'
import { packageOf } from '../../advisories/package.ts'
import { DAY_MS, FIRST_NIGHT, nightDate } from '../../calendar.ts'
import { cpeKey } from '../../names.ts'
import { writeZips, type ZipLayout } from '../../nightly.ts'
import { withdrawals } from '../../packages/items.ts'
import { type Facts, publishedFrom, type World } from '../../world.ts'
import type { SampleFeed } from '../feed.ts'
import { secondOf } from '../ghsa.ts'
import { copyEntry, DATABASES, type Exported, exported, NUMBERS_EACH, type OsvEntry } from './entries.ts'
import { packageEntries } from './package-entries.ts'

const ECOSYSTEMS = ['Go', 'PyPI', 'npm', 'Maven', 'Packagist', 'NuGet', 'RubyGems', 'crates.io', 'Debian'] as const
/** The ecosystems with entries that are only related to a CVE. */
const WITH_RELATED = ['Go', 'PyPI', 'npm'] as const
/** Shares of entries that are only related to a CVE, and of packages that were malicious from the start. */
const RELATED_SHARE = 0.0005
const MALICIOUS_SHARE = 0.002
/** Share of GitHub's advisories of which the export has the state before the last change. */
const OUTDATED_SHARE = 0.05

export const osv: SampleFeed = {
  name: 'osv',
  write: (world, folder) => {
    const withdrawn = withdrawals(world)
    let [index, entries] = [-1, [] as Exported[]]
    const entriesAt = (facts: Facts) => {
      if (facts.index !== index) [index, entries] = [facts.index, [...entriesOf(world, facts, withdrawn)]]
      return entries
    }
    const layouts = ECOSYSTEMS.map(
      (ecosystem): ZipLayout => ({
        positionOf: (night) =>
          world.nights === 1 ? `${ecosystem}/all.zip` : `${ecosystem}/all-${nightDate(night)}.zip`,
        entriesOf: (facts) =>
          entriesAt(facts).flatMap(({ folders, entry }) => (folders.includes(ecosystem) ? [entry] : [])),
      }),
    )
    return writeZips(world, folder, ...layouts)
  },
}

/** Returns the entries at a CVE. */
function* entriesOf(world: World, facts: Facts, withdrawn: ReadonlyMap<number, number>): Generator<Exported> {
  for (const advisory of advisoriesOf(world, facts)) {
    const folders = [...new Set(advisory.packages.map((one) => one.package.ecosystem))]
    if (folders.length > 0) yield copyOf(world, facts, advisory, folders)
    for (const ecosystem of ['Go', 'PyPI'] as const) {
      if (!folders.includes(ecosystem)) continue
      const write = DATABASES.get(ecosystem)!
      const number = facts.index * NUMBERS_EACH + advisory.position
      yield exported([ecosystem], advisory, (night) => write(world, facts, advisory, night, number))
    }
  }
  if (publishedFrom(facts) === 0) {
    for (const ecosystem of WITH_RELATED) {
      const random = world.random(facts.id, `osv-${ecosystem}`)
      const turn = facts.showcase === null ? null : facts.showcase % 10
      if (random.chance(RELATED_SHARE) || turn === 7) yield alone(ecosystem, relatedEntry(world, facts, ecosystem))
      if (ecosystem === 'npm' && (random.chance(MALICIOUS_SHARE) || turn === 9))
        yield alone('npm', maliciousEntry(facts))
    }
  }
  yield* packageEntries(world, facts, withdrawn)
}

/** Returns the copy of GitHub's advisory. An outdated copy is in the first state. */
function copyOf(world: World, facts: Facts, advisory: Advisory, folders: readonly string[]): Exported {
  const isOutdated =
    advisory.withdrawnIn === null && world.random(facts.id, `export ${advisory.id}`).chance(OUTDATED_SHARE)
  if (!isOutdated) return exported(folders, advisory, (night) => copyEntry(world, facts, advisory, night))
  const first = { ...advisory, changedIn: null }
  const published = secondOf(advisory.publishedAt)
  return exported(folders, first, (night) => ({ ...copyEntry(world, facts, first, night), modified: published }))
}

function alone(folder: string, entry: OsvEntry): Exported {
  const unchanged = { from: 0, changedIn: null, withdrawnIn: null }
  return exported([folder], unchanged, () => entry)
}

/** Returns an entry that names the CVE as related and makes no claim about it (rule 29). */
function relatedEntry(world: World, facts: Facts, ecosystem: string) {
  const { name } = packageOf(world, facts)
  const at = secondOf(Math.min(facts.publishedAt + DAY_MS, FIRST_NIGHT))
  return {
    schema_version: '1.7.3',
    id: `SAMPLE-${ecosystem.toUpperCase()}-${facts.index}`,
    modified: at,
    published: at,
    related: [facts.id],
    summary: `${facts.product} looks like it, but is not affected`,
    details: 'The flawed code is there and never called.',
    affected: [{ package: { name, ecosystem }, ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }] }],
  }
}

function maliciousEntry(facts: Facts) {
  const name = `${cpeKey(facts.product).replaceAll('_', '-')}-free`
  const at = secondOf(Math.min(facts.publishedAt + DAY_MS, FIRST_NIGHT))
  return {
    id: `MAL-${at.slice(0, 4)}-${facts.index}`,
    summary: `Malicious code in ${name} (npm)`,
    details: 'The package sends what it finds in the environment to a host of its author.',
    modified: at,
    published: at,
    affected: [{ package: { ecosystem: 'npm', name, purl: `pkg:npm/${name}` }, versions: ['1.0.0'] }],
    schema_version: '1.7.3',
  }
}
