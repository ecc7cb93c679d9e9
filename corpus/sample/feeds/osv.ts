/** Writes OSV's exports: a zip of entries per ecosystem. Go and PyPI have their own databases; npm repeats GHSA. */
import { type Advisory, advisoriesOf, eventsOf } from '../advisories/advisory.ts'
import { type Ecosystem, packageOf } from '../advisories/package.ts'
import { DAY_MS, FIRST_NIGHT, nightDate } from '../calendar.ts'
import { cpeKey } from '../names.ts'
import { writeZips, type ZipEntry, type ZipLayout } from '../nightly.ts'
import { cvss } from '../record/metrics.ts'
import { FUNCTION_NAMES } from '../words.ts'
import { type Facts, publishedFrom, type World } from '../world.ts'
import type { SampleFeed } from './feed.ts'
import { advisoryNights, detailsOf, modifiedAt, secondOf, summaryOf, withdrawnAt } from './ghsa.ts'

type Written = (world: World, facts: Facts, advisory: Advisory, night: number) => object & { id: string }

const WRITERS: Partial<Record<Ecosystem, Written>> = { Go: goEntry, PyPI: pyEntry, npm: npmEntry }
/** Shares of entries that are only related to a CVE, and of packages that were malicious from the start. */
const RELATED_SHARE = 0.0005
const MALICIOUS_SHARE = 0.002
const NUMBERS_EACH = 4

export const osv: SampleFeed = {
  name: 'osv',
  write: (world, folder) => {
    const layouts = (Object.entries(WRITERS) as [Ecosystem, Written][]).map(
      ([ecosystem, write]): ZipLayout => ({
        positionOf: (night) =>
          world.nights === 1 ? `${ecosystem}/all.zip` : `${ecosystem}/all-${nightDate(night)}.zip`,
        entriesOf: (facts) => entriesOf(world, facts, ecosystem, write),
      }),
    )
    return writeZips(world, folder, ...layouts)
  },
}

function* entriesOf(world: World, facts: Facts, ecosystem: Ecosystem, write: Written): Generator<ZipEntry> {
  for (const advisory of advisoriesOf(world, facts)) {
    if (!advisory.packages.some((one) => one.package.ecosystem === ecosystem)) continue
    const editions = advisoryNights(advisory).map((night) => {
      const entry = write(world, facts, advisory, night)
      return { name: `${entry.id}.json`, night, text: JSON.stringify(entry) }
    })
    yield { name: editions[0]!.name, editions }
  }
  if (publishedFrom(facts) !== 0) return
  const random = world.random(facts.id, `osv-${ecosystem}`)
  const turn = facts.showcase === null ? null : facts.showcase % 10
  if (random.chance(RELATED_SHARE) || turn === 7) yield alone(relatedEntry(world, facts, ecosystem))
  if (ecosystem === 'npm' && (random.chance(MALICIOUS_SHARE) || turn === 9)) yield alone(maliciousEntry(facts))
}

function alone(entry: object & { id: string }): ZipEntry {
  return { name: `${entry.id}.json`, editions: [{ night: 0, text: JSON.stringify(entry) }] }
}

/** Returns the id of an entry. It derives from the record's index, so it is stable. */
function numbered(prefix: string, facts: Facts, advisory: Advisory): string {
  return `${prefix}-${secondOf(advisory.publishedAt).slice(0, 4)}-${String(facts.index * NUMBERS_EACH + advisory.position).padStart(4, '0')}`
}

const withdrawnMember = (advisory: Advisory, night: number) => {
  const at = withdrawnAt(advisory, night)
  return at === null ? {} : { withdrawn: secondOf(at) }
}

/** Returns an entry in the form of Go's database repository. Some dates are placeholders there. */
function goEntry(world: World, facts: Facts, advisory: Advisory, night: number) {
  const random = world.random(facts.id, `go ${advisory.id}`)
  const id = numbered('GO', facts, advisory)
  const dated = advisory.withdrawnIn !== null || random.chance(0.7)
  const placeholder = '0001-01-01T00:00:00Z'
  return {
    schema_version: '1.3.1',
    id,
    modified: dated ? secondOf(modifiedAt(advisory, night)) : placeholder,
    published: dated ? secondOf(advisory.publishedAt) : placeholder,
    ...withdrawnMember(advisory, night),
    aliases: [...advisory.aliases, advisory.id],
    summary: `${summaryOf(facts)} in ${packageOf(world, facts).name}`,
    details: detailsOf(world, facts, advisory, night),
    affected: membersIn('Go', advisory, (bounds) => ({
      ranges: [{ type: 'SEMVER', events: eventsOf(bounds) ?? [{ introduced: '0' }] }],
      ecosystem_specific: random.chance(0.3)
        ? { imports: [{ path: `forge.example.com/${facts.vendor.key}`, symbols: [random.pick(FUNCTION_NAMES)] }] }
        : {},
    })),
    references: referencesOf(facts, advisory),
    database_specific: {
      url: `https://go.example.org/vuln/${id}`,
      review_status: random.chance(0.5) ? 'REVIEWED' : 'UNREVIEWED',
    },
  }
}

/** Returns an entry with commit and release ranges. Releases are also listed individually. */
function pyEntry(world: World, facts: Facts, advisory: Advisory, night: number) {
  const random = world.random(facts.id, `py ${advisory.id}`)
  const commits = [{ introduced: '0' }, { fixed: random.hex(40) }]
  return {
    id: numbered('PYSEC', facts, advisory),
    details: detailsOf(world, facts, advisory, night),
    aliases: [...advisory.aliases, advisory.id],
    modified: `${secondOf(modifiedAt(advisory, night)).slice(0, -1)}.${random.between(100_000, 999_999)}Z`,
    published: secondOf(advisory.publishedAt),
    ...withdrawnMember(advisory, night),
    references: referencesOf(facts, advisory),
    affected: membersIn('PyPI', advisory, (bounds, repository) => {
      const events = eventsOf(bounds)
      return {
        ranges: [
          ...(random.chance(0.5) ? [{ type: 'GIT', repo: repository, events: commits }] : []),
          ...(events ? [{ type: 'ECOSYSTEM', events }] : []),
        ],
        versions: 'exact' in bounds ? [bounds.exact] : ['0.1.0', '0.2.0', '0.2.1'],
      }
    }),
    schema_version: '1.7.3',
  }
}

/** Returns GHSA's entry as the export repeats it. */
function npmEntry(world: World, facts: Facts, advisory: Advisory, night: number) {
  const random = world.random(facts.id, `npm ${advisory.id}`)
  const score = cvss('3.1', random.float())
  return {
    id: advisory.id,
    summary: summaryOf(facts),
    details: detailsOf(world, facts, advisory, night),
    aliases: advisory.aliases,
    modified: `${secondOf(modifiedAt(advisory, night)).slice(0, -1)}.${random.between(100_000, 999_999)}Z`,
    published: secondOf(advisory.publishedAt),
    ...withdrawnMember(advisory, night),
    database_specific: { cwe_ids: [`CWE-${facts.weakness}`], github_reviewed: true, severity: 'MODERATE' },
    references: referencesOf(facts, advisory),
    affected: membersIn('npm', advisory, (bounds) => {
      const events = eventsOf(bounds)
      return {
        ...(events ? { ranges: [{ type: 'SEMVER', events }] } : { versions: 'exact' in bounds ? [bounds.exact] : [] }),
        database_specific: { source: 'https://forge.example.com/advisory-database' },
      }
    }),
    schema_version: '1.7.3',
    severity: [{ type: 'CVSS_V3', score: score.vectorString }],
  }
}

type Packaged = Advisory['packages'][number]

function membersIn(
  ecosystem: Ecosystem,
  { packages }: Advisory,
  ranges: (bounds: Packaged['bounds'], repository: string) => object,
): object[] {
  return packages
    .filter((one) => one.package.ecosystem === ecosystem)
    .map(({ package: { name, purl, repository }, bounds }) => ({
      package: ecosystem === 'Go' ? { name, ecosystem } : { name, ecosystem, purl },
      ...ranges(bounds, repository),
    }))
}

function referencesOf(facts: Facts, { packages }: Advisory): object[] {
  const { repository } = packages[0]!.package
  return [
    { type: 'WEB', url: `https://advisories.${facts.vendor.key}.example/${facts.id}` },
    { type: 'FIX', url: `${repository}/commit/${cpeKey(facts.id)}` },
    { type: 'PACKAGE', url: repository },
  ]
}

/** Returns an entry that names the CVE as related and makes no claim about it (rule 29). */
function relatedEntry(world: World, facts: Facts, ecosystem: Ecosystem) {
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
