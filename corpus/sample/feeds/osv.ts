/**
 * Writes OSV's exports: a zip of entries per ecosystem. They repeat GHSA, and contain the databases of Go, PyPI,
 * crates.io and Debian, and malicious packages.
 */
import {
  type Advisory,
  advisoriesOf,
  advisoryId,
  advisoryNights,
  datesOf,
  eventsOf,
  type Nights,
  publishedIn,
} from '../advisories.ts'
import { cutOf, DAY_MS, FIRST_NIGHT, HOUR_MS, nightDate } from '../calendar.ts'
import { choice, quantiles } from '../distribution.ts'
import { cpeKey, PACKAGE_SECOND, vendorRoot } from '../names.ts'
import { type Item, type SampleFeed, zipOutput } from '../outputs.ts'
import { affectedBranches, type Ecosystem, knownProject, packageOf, popularProject } from '../packages.ts'
import { Random } from '../random.ts'
import { releaseOf } from '../records/versions.ts'
import { fromJson, word } from '../text.ts'
import { type Facts, publishedFrom, type World } from '../world.ts'
import { advisoryFile, detailsOf, summaryOf } from './ghsa.ts'

const ECOSYSTEMS = ['Go', 'PyPI', 'npm', 'Maven', 'Packagist', 'NuGet', 'RubyGems', 'crates.io', 'Debian'] as const
/** Numbers of ids for each CVE. Those of the further advisories follow. */
const NUMBERS_EACH = 4

interface OsvEntry {
  id: string
  [member: string]: unknown
}

/** An entry, and the ecosystems with an export that contains it. */
interface Exported extends Item {
  ecosystems: readonly string[]
}

export const osv: SampleFeed = (world, folder) => {
  // Every ecosystem is asked for the same CVE in turn.
  let [index, entries] = [-1, [] as Exported[]]
  const entriesAt = (facts: Facts) => {
    if (facts.index !== index) [index, entries] = [facts.index, [...entriesOf(world, facts)]]
    return entries
  }
  const outputs = ECOSYSTEMS.map((ecosystem) => {
    const path = (night: number) => `osv/${ecosystem}/all${world.nights === 1 ? '' : `-${nightDate(night)}`}.zip`
    return zipOutput(world, folder, path, (facts) =>
      entriesAt(facts).filter(({ ecosystems }) => ecosystems.includes(ecosystem)),
    )
  })
  return Promise.all(outputs)
}

/** Returns an entry with its edition of each night in which it changes. */
function exported(ecosystems: readonly string[], nights: Nights, write: (night: number) => OsvEntry): Exported {
  const entries = advisoryNights(nights).map((night) => ({ night, entry: write(night) }))
  const editions = entries.map(({ night, entry }) => ({ night, text: JSON.stringify(entry) }))
  return { ecosystems, name: `${entries[0]!.entry.id}.json`, editions }
}

/** Returns the entries at a CVE. */
function* entriesOf(world: World, facts: Facts): Generator<Exported> {
  let number = facts.index * NUMBERS_EACH
  for (const advisory of advisoriesOf(world, facts)) {
    number++
    const ecosystems = [...new Set(advisory.packages.map((one) => one.package.ecosystem))]
    if (ecosystems.length === 0) continue
    yield exported(ecosystems, advisory, (night) => copyEntry(world, facts, advisory, night))
    for (const ecosystem of ecosystems.filter(isDatabase)) {
      yield exported([ecosystem], advisory, (night) => databaseEntry(world, facts, advisory, number, ecosystem, night))
    }
  }
  yield* furtherEntries(world, facts)
}

const rangeType = (ecosystem: string) => (/^(npm|Go|crates\.io)$/.test(ecosystem) ? 'SEMVER' : 'ECOSYSTEM')

/** Returns GitHub's advisory as the exports repeat it: with package URLs, and types of ranges by ecosystem. */
function copyEntry(world: World, facts: Facts, advisory: Advisory, night: number): OsvEntry {
  const file = advisoryFile(world, facts, advisory, night)
  const source = 'https://forge.example.com/advisory-database'
  const affected = file.affected.map(({ package: named, ranges, ...rest }, i) => ({
    package: { ...named, purl: advisory.packages[i]!.package.purl },
    ...(ranges ? { ranges: ranges.map((one) => ({ ...one, type: rangeType(named.ecosystem) })) } : {}),
    ...rest,
    database_specific: { source, ...rest.database_specific },
  }))
  return { ...file, schema_version: '1.7.3', ...datesOf(advisory, night, facts.index), affected }
}

/** The databases whose entries repeat GHSA's under ids of their own, with the prefix of the id. */
const DATABASES = { Go: 'GO', PyPI: 'PYSEC', 'crates.io': 'RUSTSEC' } as const
type Database = keyof typeof DATABASES
const isDatabase = (ecosystem: string): ecosystem is Database => ecosystem in DATABASES

/** Many dates are placeholders in Go's database. */
const PLACEHOLDER = { modified: '0001-01-01T00:00:00Z', published: '0001-01-01T00:00:00Z' }
/** Releases in `versions` of PyPI's database. */
const LISTED = quantiles('0:1 0.1:1 0.25:4 0.5:23 0.75:61 0.9:102 0.99:274 1:400')
const listedReleases = (random: Random) =>
  Array.from({ length: Math.ceil(LISTED(random.float())) }, (_, i) => `0.${i >> 4}.${i & 15}`)

/** Returns an entry in the form of the ecosystem's database. */
function databaseEntry(
  world: World,
  facts: Facts,
  advisory: Advisory,
  number: number,
  ecosystem: Database,
  night: number,
): OsvEntry {
  const random = world.random(facts.id, `${ecosystem} ${advisory.id}`)
  const dates = datesOf(advisory, night)
  const own = advisory.packages.filter((one) => one.package.ecosystem === ecosystem)
  const { name, purl, repository } = own[0]!.package
  // One range never has both fixes and last affected versions (OSV schema).
  const events = own.flatMap(({ bounds }) =>
    own.length > 1 && 'upTo' in bounds ? eventsOf({ ...bounds, upTo: null })! : (eventsOf(bounds) ?? []),
  )
  const least = ecosystem === 'crates.io' ? '0.0.0-0' : '0'
  const [first = { introduced: least }, ...rest] = events
  const start = 'introduced' in first && first.introduced === '0' ? { introduced: least } : first
  const range = { type: ecosystem === 'PyPI' ? 'ECOSYSTEM' : 'SEMVER', events: [start, ...rest] }
  const commits = { type: 'GIT', repo: repository, events: [{ introduced: '0' }, { fixed: random.hex(40) }] }
  const symbols = [word('function', random)]
  const parts = {
    Go: { ranges: [range], ecosystem_specific: { imports: [{ path: name, symbols }] } },
    PyPI: { ranges: random.chance(0.5) ? [commits, range] : [range], versions: listedReleases(random) },
    'crates.io': { ranges: [range], database_specific: { categories: ['denial-of-service'] } },
  }
  const references = [
    { type: 'WEB', url: `https://advisories.${facts.vendor.key}.example/${facts.id}` },
    { type: 'FIX', url: `${repository}/commit/${cpeKey(facts.id)}` },
    { type: 'PACKAGE', url: repository },
  ]
  const isGo = ecosystem === 'Go'
  return {
    schema_version: '1.3.1',
    id: `${DATABASES[ecosystem]}-${dates.published.slice(0, 4)}-${String(number).padStart(4, '0')}`,
    ...dates,
    ...(isGo && !('withdrawn' in dates) && random.chance(0.3) ? PLACEHOLDER : {}),
    aliases: [...advisory.aliases, advisory.id],
    ...(ecosystem === 'PyPI' ? {} : { summary: `${summaryOf(facts)} in ${name}` }),
    details: detailsOf(world, facts, advisory, night),
    affected: [{ package: isGo ? { name, ecosystem } : { name, ecosystem, purl }, ...parts[ecosystem] }],
    references,
    ...(isGo ? { database_specific: { review_status: random.pick(['REVIEWED', 'UNREVIEWED']) } } : {}),
  }
}

/**
 * The further advisories. Their number is an option, and they are spread over the CVEs in pairs: two databases state one
 * flaw, or each has its own. The shares are those of OSV's exports in 2026, but of distributions there are only a few.
 */
const KINDS = choice('malware:80|flaw:17|Debian:3')
const CHANGED_SHARE = 0.01
const WITHDRAWN_SHARE = 0.006
/** Reviewed advisories of each ecosystem. Those of which a database of the ecosystem has a copy count twice. */
const FLAW_ECOSYSTEMS = choice<Ecosystem>('npm:27|Maven:20|Packagist:17|PyPI:10|NuGet:6|RubyGems:6|crates.io:5|Go:4')

/** A further advisory. Its number is unique and ascends with the CVEs. */
interface Further extends Nights {
  number: number
}

function* furtherEntries(world: World, facts: Facts): Generator<Exported> {
  const { seed, cves } = world
  const before = (index: number) => 2 * Math.floor((index * Math.ceil(world.advisories / 2)) / cves)
  const first = before(facts.index)
  for (let number = first; number < Math.min(before(facts.index + 1), world.advisories); number++) {
    const item = furtherAt(world, facts, number)
    const pair = new Random(seed, number >> 1, 'package-advisory')
    // The CVEs in KEV from the first night on have an advisory of a known npm package, for examples.
    const isExample = facts.kevNight === 0 && number - first < 2
    const kind = isExample ? 'flaw' : KINDS(pair.float())
    if (kind === 'malware') yield malwareEntry(world, item)
    else if (kind === 'Debian') yield debianEntry(world, facts, item, number === first)
    else yield flawEntry(world, facts, item, isExample ? 'npm' : FLAW_ECOSYSTEMS(pair.float()), isExample)
  }
}

function furtherAt({ seed, nights }: World, { born: from }: Facts, number: number): Further {
  const random = new Random(seed, number, 'package-advisory-nights')
  const last = nights - 1
  const isChanged = last > from && random.chance(CHANGED_SHARE * (last - from))
  const changedIn = isChanged ? random.between(from + 1, last) : null
  return { number, from, changedIn, withdrawnIn: random.chance(WITHDRAWN_SHARE) ? random.between(from, last) : null }
}

const idNumber = (world: World, { number }: Further) => world.records * NUMBERS_EACH + number
const hasChanged = ({ changedIn }: Nights, night: number) => changedIn !== null && changedIn <= night

/** Returns a flaw of a package. If the ecosystem has a database, the second of a pair is the copy of the first there. */
function flawEntry(world: World, facts: Facts, item: Further, ecosystem: Ecosystem, isExample: boolean): Exported {
  const isCopy = isDatabase(ecosystem) && item.number % 2 === 1
  const random = new Random(world.seed, isCopy ? item.number - 1 : item.number, 'flaw')
  const product = packageOf(world, facts)
  const isProduct = random.chance(0.4) && product.ecosystem === ecosystem
  const other = isProduct ? product : popularProject(world, ecosystem, random)
  const project = isExample ? knownProject(world.seed, ecosystem, random) : other
  const withCve = isExample || (publishedFrom(facts) === facts.born && random.chance(0.85))
  const packages = affectedBranches(world.seed, project, random).map((bounds) => ({ package: project, bounds }))
  const publishedAt = publishedIn(facts, item.from, random)
  const advisory = { ...item, id: advisoryId(random), aliases: withCve ? [facts.id] : [], packages, publishedAt }
  const about = { ...facts, product: project.repository.replace(/^.*\//, '') }
  return exported([ecosystem], item, (night) => {
    if (isCopy) return databaseEntry(world, about, advisory, idNumber(world, item), ecosystem, night)
    // A change states the fix of the newest branch.
    const isOpen = item.changedIn !== null && !hasChanged(item, night)
    return copyEntry(world, about, isOpen ? withoutFix(advisory) : advisory, night)
  })
}

function withoutFix(advisory: Advisory): Advisory {
  const { package: one, bounds } = advisory.packages.at(-1)!
  if ('exact' in bounds) return advisory
  const open = { package: one, bounds: { ...bounds, before: null, upTo: null } }
  return { ...advisory, packages: [...advisory.packages.slice(0, -1), open] }
}

const MALWARE_ECOSYSTEMS = choice<Ecosystem>('npm:880|PyPI:100|RubyGems:12|NuGet:6|crates.io:2')
const MALWARE_SINCE = Date.UTC(2022, 5, 1)
const MALWARE_VERSIONS = quantiles('0:1 0.7:1.9 0.9:3.9 0.98:12 1:60')
/** Every version as a range, a list, or both. */
const MALWARE_FORMS = choice('range:45|list:30|both:25')
const MALWARE = `{"schema_version":"1.7.3","id":"MAL-{year}-{number}","summary":"Malicious code in {name} ({ecosystem})",
"details":"The package {name} sends what it finds in the environment to a host of its author.{checked}",
"affected":[{"package":{"ecosystem":"{ecosystem}","name":"{name}","purl":"{purl}"},
"database_specific":{"cwes":[{"cweId":"CWE-506","name":"Embedded Malicious Code"}]}}],
"references":[{"type":"REPORT","url":"https://malware.example.org/reports/{number}"}],
"credits":[{"name":"Package Watch","type":"FINDER","contact":["https://malware.example.org"]}],
"database_specific":{"malicious-packages-origins":[{"source":"package-watch","sha256":"{hex64}","versions":$listed}]}}`

/** Returns a malicious package, as OpenSSF's repository states it. */
function malwareEntry(world: World, item: Further): Exported {
  const random = new Random(world.seed, item.number, 'malware')
  const ecosystem = MALWARE_ECOSYSTEMS(random.float())
  const started = MALWARE_SINCE + random.int(FIRST_NIGHT - MALWARE_SINCE)
  const publishedAt = item.from > 0 ? cutOf(item.from) - random.between(2, 10) * HOUR_MS : started
  const target = popularProject(world, ecosystem, random)
  // In one of a hundred, an attacker published versions of a popular package.
  const isTakenOver = random.chance(0.01)
  const form = isTakenOver ? 'list' : MALWARE_FORMS(random.float())
  const own = `${vendorRoot(world.seed, random.int(64_000)).toLowerCase()}-${random.pick(PACKAGE_SECOND)}-${random.hex(4)}`
  const name = isTakenOver ? target.name : own
  const purl = `${target.purl.slice(0, target.purl.indexOf('/'))}/${name.replace('@', '%40')}`
  // Attackers also choose high versions, which win over those of a private registry.
  const branch = random.pick(['1.0.', '0.0.', '99.99.', '1.7.', '4.1.'])
  const count = form === 'range' ? 0 : 1 + Math.floor(MALWARE_VERSIONS(random.float()))
  const versions = Array.from({ length: count }, (_, i) => branch + i)
  const ranges = [{ type: rangeType(ecosystem), events: [{ introduced: '0' }] }]
  const number = idNumber(world, item)
  return exported([ecosystem], item, (night) => {
    // A change adds the last version.
    const isChanged = hasChanged(item, night)
    const listed = item.changedIn === null || isChanged ? versions : versions.slice(0, -1)
    const checked = isChanged ? '\n\nThe list of versions was checked again.' : ''
    const dates = datesOf({ ...item, publishedAt }, night, item.number)
    const values = { ecosystem, name, purl, listed, checked, number, year: dates.published.slice(0, 4) }
    const entry = fromJson(MALWARE, new Random(world.seed, item.number, 'origin'), values) as OsvEntry
    Object.assign((entry.affected as object[])[0]!, form === 'list' ? {} : { ranges })
    if (listed.length > 0) Object.assign((entry.affected as object[])[0]!, { versions: listed })
    return { ...entry, ...dates }
  })
}

const DEBIAN = `{"schema_version":"1.7.3","id":"{id}","summary":"{name} - security update",
"details":"The package {name} has a flaw.{checked}","upstream":$upstream,"affected":$affected,
"references":[{"type":"ADVISORY","url":"https://security-tracker.debian.example/tracker/{cve}"}]}`

/**
 * Returns an entry of Debian's security tracker, which has one for each CVE (`isTracker`), or an advisory of Debian's
 * security team. Each release has its own range.
 */
function debianEntry(world: World, facts: Facts, item: Further, isTracker: boolean): Exported {
  const random = new Random(world.seed, item.number, 'debian')
  const { name } = popularProject(world, 'PyPI', random)
  const upstream = publishedFrom(facts) === facts.born ? [facts.id] : []
  const id = isTracker && upstream.length > 0 ? `DEBIAN-${facts.id}` : `DSA-${idNumber(world, item)}-1`
  const soon = Math.min(facts.publishedAt + 2 * DAY_MS, FIRST_NIGHT)
  const publishedAt = item.from > 0 ? cutOf(item.from) - 3 * HOUR_MS : soon
  const base = `${random.chance(0.1) ? '1:' : ''}${releaseOf(random).join('.')}`
  const [revision, isFixed] = [random.between(1, 6), !random.chance(0.2)]
  const ecosystem_specific = { urgency: random.pick(['not yet assigned', 'low', 'medium', 'high', 'unimportant']) }
  const versions = [`${base}~rc1-1`, ...Array.from({ length: revision }, (_, i) => `${base}-${i + 1}`)]
  const affected = [11, 12, 13].slice(random.int(3)).map((release) => {
    const fix = isFixed ? [{ fixed: `${base}-${revision}+deb${release}u1` }] : []
    const named = { ecosystem: `Debian:${release}`, name, purl: `pkg:deb/debian/${name}?arch=source` }
    const ranges = [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, ...fix] }]
    return { package: named, ranges, versions, ecosystem_specific }
  })
  return exported(['Debian'], item, (night) => {
    const checked = hasChanged(item, night) ? ' Its releases were checked again.' : ''
    const entry = fromJson(DEBIAN, random, { id, name, checked, upstream, affected, cve: facts.id }) as OsvEntry
    return { ...entry, ...datesOf({ ...item, publishedAt }, night, item.number) }
  })
}
