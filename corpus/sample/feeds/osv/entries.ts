/** Entries of OSV's exports: copies of GitHub's advisories, and the databases of Go, PyPI and crates.io. */
import { type Advisory, eventsOf, type OsvEvent } from '../../advisories/advisory.ts'
import type { Ecosystem } from '../../advisories/package.ts'
import { cpeKey } from '../../names.ts'
import type { ZipEntry } from '../../nightly.ts'
import { FUNCTION_NAMES } from '../../words.ts'
import type { Facts, World } from '../../world.ts'
import {
  advisoryFile,
  advisoryNights,
  detailsOf,
  modifiedAt,
  type Nights,
  secondOf,
  summaryOf,
  withdrawnAt,
} from '../ghsa.ts'

export interface OsvEntry {
  id: string
  [member: string]: unknown
}

/** An entry, and the folders of the exports that contain it. */
export interface Exported {
  folders: readonly string[]
  entry: ZipEntry
}

/** Returns an entry with its edition of each night in which it changes. */
export function exported(folders: readonly string[], nights: Nights, write: (night: number) => OsvEntry): Exported {
  const editions = advisoryNights(nights).map((night) => {
    const entry = write(night)
    return { name: `${entry.id}.json`, night, text: JSON.stringify(entry) }
  })
  return { folders, entry: { name: editions[0]!.name, editions } }
}

/** Writes an entry of a database. The number makes its id. */
export type DatabaseEntry = (world: World, facts: Facts, advisory: Advisory, night: number, number: number) => OsvEntry

/** The databases of ecosystems. Their entries repeat GitHub's advisories under ids of their own. */
export const DATABASES: ReadonlyMap<Ecosystem, DatabaseEntry> = new Map([
  ['Go', goEntry],
  ['PyPI', pyEntry],
  ['crates.io', rustEntry],
])

/** Numbers of ids for each CVE of the sample. */
export const NUMBERS_EACH = 4

function numbered(prefix: string, advisory: Advisory, number: number): string {
  return `${prefix}-${secondOf(advisory.publishedAt).slice(0, 4)}-${String(number).padStart(4, '0')}`
}

export function withdrawnMember(advisory: Parameters<typeof withdrawnAt>[0], night: number): { withdrawn?: string } {
  const at = withdrawnAt(advisory, night)
  return at === null ? {} : { withdrawn: secondOf(at) }
}

/** Returns an entry in the form of Go's database repository. Some dates are placeholders there. */
function goEntry(world: World, facts: Facts, advisory: Advisory, night: number, number: number): OsvEntry {
  const random = world.random(facts.id, `go ${advisory.id}`)
  const id = numbered('GO', advisory, number)
  const dated = advisory.withdrawnIn !== null || random.chance(0.7)
  const placeholder = '0001-01-01T00:00:00Z'
  return {
    schema_version: '1.3.1',
    id,
    modified: dated ? secondOf(modifiedAt(advisory, night)) : placeholder,
    published: dated ? secondOf(advisory.publishedAt) : placeholder,
    ...withdrawnMember(advisory, night),
    aliases: [...advisory.aliases, advisory.id],
    summary: `${summaryOf(facts)} in ${advisory.packages[0]!.package.name}`,
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
function pyEntry(world: World, facts: Facts, advisory: Advisory, night: number, number: number): OsvEntry {
  const random = world.random(facts.id, `py ${advisory.id}`)
  const commits = [{ introduced: '0' }, { fixed: random.hex(40) }]
  return {
    id: numbered('PYSEC', advisory, number),
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
        versions:
          'exact' in bounds ? [bounds.exact] : 'branches' in bounds ? bounds.versions : ['0.1.0', '0.2.0', '0.2.1'],
      }
    }),
    schema_version: '1.7.3',
  }
}

/** Returns an entry in the form of RustSec's database. Its ranges begin at the first pre-release of all. */
function rustEntry(world: World, facts: Facts, advisory: Advisory, night: number, number: number): OsvEntry {
  const random = world.random(facts.id, `rust ${advisory.id}`)
  return {
    id: numbered('RUSTSEC', advisory, number),
    modified: secondOf(modifiedAt(advisory, night)),
    published: secondOf(advisory.publishedAt),
    ...withdrawnMember(advisory, night),
    aliases: [...advisory.aliases, advisory.id],
    summary: summaryOf(facts),
    details: detailsOf(world, facts, advisory, night),
    affected: membersIn('crates.io', advisory, (bounds) => ({
      ranges: [{ type: 'SEMVER', events: fromFirst(eventsOf(bounds) ?? [{ introduced: '0' }]) }],
      ecosystem_specific: { affects: { arch: [], os: [], functions: [] }, affected_functions: null },
      database_specific: { categories: [random.pick(['memory-exposure', 'denial-of-service', 'crypto-failure'])] },
    })),
    references: referencesOf(facts, advisory),
    database_specific: { license: 'CC0-1.0' },
  }
}

function fromFirst(events: readonly OsvEvent[]): OsvEvent[] {
  return events.map((event) => ('introduced' in event && event.introduced === '0' ? { introduced: '0.0.0-0' } : event))
}

const SEMANTIC: readonly Ecosystem[] = ['npm', 'Go', 'crates.io']

/** Returns GitHub's advisory as the exports repeat it: with package URLs, and types of ranges by ecosystem. */
export function copyEntry(world: World, facts: Facts, advisory: Advisory, night: number): OsvEntry {
  const file = advisoryFile(world, facts, advisory, night)
  return {
    ...file,
    schema_version: '1.7.3',
    modified: fractionOf(modifiedAt(advisory, night), facts.index),
    affected: file.affected.map(({ package: named, ranges, ...rest }, i) => ({
      package: { ...named, purl: advisory.packages[i]!.package.purl },
      ...(ranges ? { ranges: ranges.map((one) => ({ ...one, type: typeIn(named.ecosystem) })) } : {}),
      ...rest,
      database_specific: { source: 'https://forge.example.com/advisory-database', ...rest.database_specific },
    })),
  }
}

function typeIn(ecosystem: string): string {
  return SEMANTIC.some((one) => one === ecosystem) ? 'SEMVER' : 'ECOSYSTEM'
}

/** Returns a time with a fraction of a second, as the exports have it. */
export function fractionOf(at: number, number: number): string {
  return `${secondOf(at).slice(0, -1)}.${String(number % 1_000_000).padStart(6, '0')}Z`
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
