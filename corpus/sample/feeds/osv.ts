/**
 * Writes OSV's exports: a zip of entries per ecosystem. They repeat GHSA, and contain the databases of Go, PyPI,
 * crates.io and Debian, and malicious packages.
 */
import {
  type Advisory,
  advisoriesOf,
  advisoryId,
  advisoryNights,
  eventsOf,
  modifiedAt,
  type Nights,
  type OsvEvent,
  publishedIn,
  withdrawnAt,
} from '../advisories.ts'
import { cutOf, DAY_MS, FIRST_NIGHT, HOUR_MS, nightDate, secondOf } from '../calendar.ts'
import { choice, quantiles } from '../distribution.ts'
import { cpeKey, PACKAGE_SECOND, vendorRoot } from '../names.ts'
import { type Item, type SampleFeed, zipOutput } from '../outputs.ts'
import {
  affectedBranches,
  type Ecosystem,
  knownProject,
  listedReleases,
  packageOf,
  popularProject,
} from '../packages.ts'
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

/** An entry, and the folders of the exports that contain it. */
interface Exported {
  folders: readonly string[]
  name: string
  item: Item
}

export const osv: SampleFeed = async (world, folder) => {
  const withdrawn = withdrawals(world)
  // Every ecosystem is asked for the same CVE in turn.
  let [index, entries] = [-1, [] as Exported[]]
  const entriesAt = (facts: Facts) => {
    if (facts.index !== index) [index, entries] = [facts.index, [...entriesOf(world, facts, withdrawn)]]
    return entries
  }
  const outputs = ECOSYSTEMS.map((ecosystem) => {
    const path = (night: number) => `osv/${ecosystem}/all${world.nights === 1 ? '' : `-${nightDate(night)}`}.zip`
    return zipOutput(world, folder, path, (facts) =>
      entriesAt(facts).filter(({ folders }) => folders.includes(ecosystem)),
    )
  })
  return Promise.all(outputs)
}

/** Returns an entry with its edition of each night in which it changes. */
function exported(folders: readonly string[], nights: Nights, write: (night: number) => OsvEntry): Exported {
  const editions = advisoryNights(nights).map((night) => ({ night, entry: write(night) }))
  const item = editions.map(({ night, entry }) => ({ night, text: JSON.stringify(entry) }))
  return { folders, name: `${editions[0]!.entry.id}.json`, item }
}

/** Returns the entries at a CVE. */
function* entriesOf(world: World, facts: Facts, withdrawn: ReadonlyMap<number, number>): Generator<Exported> {
  for (const advisory of advisoriesOf(world, facts)) {
    const folders = [...new Set(advisory.packages.map((one) => one.package.ecosystem))]
    if (folders.length === 0) continue
    yield exported(folders, advisory, (night) => copyEntry(world, facts, advisory, night))
    for (const ecosystem of ['Go', 'PyPI'] as const) {
      if (!folders.includes(ecosystem)) continue
      const copied = { facts, advisory, number: facts.index * NUMBERS_EACH + advisory.position }
      yield exported([ecosystem], advisory, (night) => databaseEntry(world, copied, ecosystem, night))
    }
  }
  yield* furtherEntries(world, facts, withdrawn)
}

/** Returns a time with a fraction of a second, as the exports have it. */
const fractionOf = (at: number, number: number) =>
  `${secondOf(at).slice(0, -1)}.${String(number % 1_000_000).padStart(6, '0')}Z`

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
  return { ...file, schema_version: '1.7.3', modified: fractionOf(modifiedAt(advisory, night), facts.index), affected }
}

const rangeType = (ecosystem: string) => (/^(npm|Go|crates\.io)$/.test(ecosystem) ? 'SEMVER' : 'ECOSYSTEM')

function withdrawnMember(advisory: Nights & { publishedAt: number }, night: number): { withdrawn?: string } {
  const at = withdrawnAt(advisory, night)
  return at === null ? {} : { withdrawn: secondOf(at) }
}

/** The databases whose entries repeat GHSA's under ids of their own, with the prefix of the id. */
const DATABASES = { Go: 'GO', PyPI: 'PYSEC', 'crates.io': 'RUSTSEC' } as const
type Database = keyof typeof DATABASES
const isDatabase = (ecosystem: string): ecosystem is Database => ecosystem in DATABASES

/** Many dates are placeholders in Go's database. */
const PLACEHOLDER = { modified: '0001-01-01T00:00:00Z', published: '0001-01-01T00:00:00Z' }

/** A database entry: the advisory that it repeats, and the number that makes its id. */
interface Copied {
  facts: Facts
  advisory: Advisory
  number: number
}

const CATEGORIES = ['memory-exposure', 'denial-of-service', 'crypto-failure']

/** RustSec's ranges begin at the first pre-release (`least`) of all. */
const semver = (events: OsvEvent[], least = '0'): object[] => {
  const first = (event: OsvEvent) => ('introduced' in event && event.introduced === '0' ? { introduced: least } : event)
  return [{ type: 'SEMVER', events: (events.length > 0 ? events : [{ introduced: '0' }]).map(first) }]
}

/** Returns an entry in the form of the ecosystem's database. */
function databaseEntry(
  world: World,
  { facts, advisory, number }: Copied,
  ecosystem: Database,
  night: number,
): OsvEntry {
  const random = world.random(facts.id, `${ecosystem} ${advisory.id}`)
  const dates = { modified: secondOf(modifiedAt(advisory, night)), published: secondOf(advisory.publishedAt) }
  const isDated = ecosystem !== 'Go' || advisory.withdrawnIn !== null || random.chance(0.7)
  const id = `${DATABASES[ecosystem]}-${dates.published.slice(0, 4)}-${String(number).padStart(4, '0')}`
  const own = advisory.packages.filter((one) => one.package.ecosystem === ecosystem)
  const { name, purl, repository } = own[0]!.package
  const bounds = own.map((one) => one.bounds)
  // One range never has both fixes and last affected versions (OSV schema).
  const events = bounds.flatMap((one) => eventsOf(own.length > 1 && 'upTo' in one ? { ...one, upTo: null } : one) ?? [])
  const ranges = { Go: semver(events), PyPI: [] as object[], 'crates.io': semver(events, '0.0.0-0') }[ecosystem]
  const versions = bounds.flatMap((one) => ('exact' in one ? [one.exact] : []))
  if (ecosystem === 'PyPI') {
    const commits = { type: 'GIT', repo: repository, events: [{ introduced: '0' }, { fixed: random.hex(40) }] }
    if (random.chance(0.5)) ranges.push(commits)
    if (events.length > 0) ranges.push({ type: 'ECOSYSTEM', events })
  }
  const affected = {
    package: ecosystem === 'Go' ? { name, ecosystem } : { name, ecosystem, purl },
    ranges,
    ...(ecosystem === 'PyPI' ? { versions: versions.length > 0 ? versions : listedReleases(random) } : {}),
    ...(ecosystem === 'Go'
      ? { ecosystem_specific: { imports: [{ path: name, symbols: [word('function', random)] }] } }
      : {}),
    ...(ecosystem === 'crates.io' ? { database_specific: { categories: [random.pick(CATEGORIES)] } } : {}),
  }
  const references = [
    { type: 'WEB', url: `https://advisories.${facts.vendor.key}.example/${facts.id}` },
    { type: 'FIX', url: `${repository}/commit/${cpeKey(facts.id)}` },
    { type: 'PACKAGE', url: repository },
  ]
  return {
    ...{ schema_version: '1.3.1', id, ...(isDated ? dates : PLACEHOLDER), ...withdrawnMember(advisory, night) },
    aliases: [...advisory.aliases, advisory.id],
    ...(ecosystem === 'PyPI' ? {} : { summary: `${summaryOf(facts)} in ${name}` }),
    details: detailsOf(world, facts, advisory, night),
    ...{ affected: [affected], references },
    ...(ecosystem === 'Go' ? { database_specific: { review_status: random.pick(['REVIEWED', 'UNREVIEWED']) } } : {}),
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
const CVE_SHARE = 0.85
/** Share of the flawed packages that are the product of the CVE. */
const PRODUCT_SHARE = 0.4

/** A further advisory. Its number is unique and ascends with the CVEs. */
interface Further extends Nights {
  number: number
}

/** Returns the number of an advisory that is withdrawn in each night after the first, with its night. */
function withdrawals({ seed, nights, advisories }: World): Map<number, number> {
  const found = new Map<number, number>()
  for (let night = 1; advisories > 0 && night < nights; night++) {
    found.set(new Random(seed, night, 'withdrawn-package-advisory').int(advisories), night)
  }
  return found
}

function* furtherEntries(world: World, facts: Facts, withdrawn: ReadonlyMap<number, number>): Generator<Exported> {
  const pairs = Math.ceil(world.advisories / 2)
  const pairsBefore = (index: number) => Math.floor((index * pairs) / world.cves)
  const first = pairsBefore(facts.index)
  for (let pair = first; pair < pairsBefore(facts.index + 1); pair++) {
    const isSingle = pair === pairs - 1 && world.advisories % 2 === 1
    const items = (isSingle ? [0] : [0, 1]).map((half) => furtherAt(world, facts, 2 * pair + half, withdrawn))
    // The CVEs in KEV from the first night on have an advisory of a known npm package, for examples.
    const isExample = facts.kevNight === 0 && pair === first
    const kind = isExample ? 'flaw' : KINDS(new Random(world.seed, pair, 'package-advisory').float())
    if (kind === 'flaw') yield* flawEntries(world, facts, items, isExample)
    else if (kind === 'malware') yield* items.map((item) => malwareEntry(world, item))
    else yield* items.map((item) => debianEntry(world, facts, item, pair === first && item === items[0]))
  }
}

function furtherAt(
  world: World,
  { born: from }: Facts,
  number: number,
  withdrawn: ReadonlyMap<number, number>,
): Further {
  const random = new Random(world.seed, number, 'package-advisory-nights')
  const last = world.nights - 1
  const changed = last > from && random.chance(CHANGED_SHARE * (last - from))
  const changedIn = changed ? random.between(from + 1, last) : null
  const withdrawnIn = withdrawn.get(number) ?? (random.chance(WITHDRAWN_SHARE) ? from : null)
  return { number, from, changedIn, withdrawnIn }
}

const numberOf = (world: World, { number }: Further) => world.records * NUMBERS_EACH + number

/** Returns one flaw and its copy if the ecosystem has a database, otherwise a flaw for each item. */
function* flawEntries(world: World, facts: Facts, items: readonly Further[], isExample: boolean): Generator<Exported> {
  const { seed } = world
  const drawn = FLAW_ECOSYSTEMS(new Random(seed, items[0]!.number, 'package-flaw').float())
  const [, second] = items
  const isCopied = isDatabase(drawn) && !isExample && second !== undefined
  for (const item of isCopied ? items.slice(0, 1) : items) {
    const isKnown = isExample && item === items[0]
    const ecosystem = isKnown || (isDatabase(drawn) && !isCopied) ? 'npm' : drawn
    const random = new Random(seed, item.number, 'flaw')
    const rare = popularProject(world, ecosystem, random)
    const product = random.chance(PRODUCT_SHARE) ? packageOf(world, facts) : null
    const known = isKnown ? knownProject(seed, ecosystem, random) : null
    const project = known ?? (product?.ecosystem === ecosystem ? product : rare)
    const withCve = isKnown || (publishedFrom(facts) === facts.born && random.chance(CVE_SHARE))
    const packages: Advisory['packages'] = affectedBranches(seed, project, random).map((bounds) => ({
      package: project,
      bounds,
    }))
    const aliases = withCve ? [facts.id] : []
    const publishedAt = publishedIn(facts, item.from, random)
    const advisory = { ...item, id: advisoryId(random), position: 4, reviewed: true, aliases, packages, publishedAt }
    const about = { ...facts, product: project.repository.replace(/^.*\//, '') }
    const edition = (night: number) =>
      item.changedIn === null || isChanged(item, night) ? advisory : beforeChange(advisory)
    yield exported([ecosystem], item, (night) => copyEntry(world, about, edition(night), night))
    if (!isCopied) continue
    const copied = { facts: about, advisory: { ...advisory, ...second }, number: numberOf(world, second) }
    yield exported([ecosystem], second, (night) => databaseEntry(world, copied, drawn, night))
  }
}

const isChanged = ({ changedIn }: Nights, night: number) => changedIn !== null && changedIn <= night

/** Returns the advisory before its change, which states the fix of the newest branch. */
function beforeChange(advisory: Advisory): Advisory {
  const last = advisory.packages.at(-1)!
  if ('exact' in last.bounds) return advisory
  const open = { package: last.package, bounds: { ...last.bounds, before: null, upTo: null } }
  return { ...advisory, packages: [...advisory.packages.slice(0, -1), open] }
}

/** Returns the dates of an entry that is published at a time. */
function datesOf(item: Further, publishedAt: number, night: number) {
  const dated = { ...item, publishedAt }
  const modified = fractionOf(modifiedAt(dated, night), item.number)
  return { modified, published: secondOf(publishedAt), ...withdrawnMember(dated, night) }
}

const MALWARE_ECOSYSTEMS = choice<Ecosystem>('npm:880|PyPI:100|RubyGems:12|NuGet:6|crates.io:2')
const MALWARE_SINCE = Date.UTC(2022, 5, 1)
const MALWARE_VERSIONS = quantiles('0:1 0.7:1.9 0.9:3.9 0.98:12 1:60')
/** Every version as a range, a list, or both. */
const MALWARE_FORMS = choice('range:45|list:30|both:25')
/** Share of popular packages of which an attacker published some versions. */
const TAKEN_OVER_SHARE = 0.01

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
  const isTakenOver = random.chance(TAKEN_OVER_SHARE)
  const form = isTakenOver ? 'list' : MALWARE_FORMS(random.float())
  const name = isTakenOver
    ? target.name
    : `${vendorRoot(world.seed, random.int(64_000)).toLowerCase()}-${random.pick(PACKAGE_SECOND)}-${random.hex(4)}`
  const purl = `${target.purl.slice(0, target.purl.indexOf('/'))}/${name.replace('@', '%40')}`
  // Attackers also choose high versions, which win over those of a private registry.
  const [branch, patch] = [random.pick(['1.0.', '0.0.', '99.99.', '1.7.', '4.1.']), random.int(12)]
  const count = form === 'range' ? 0 : 1 + Math.floor(MALWARE_VERSIONS(random.float()))
  const versions = Array.from({ length: count }, (_, i) => branch + (patch + i))
  const ranges = [{ type: rangeType(ecosystem), events: [{ introduced: '0' }] }]
  return exported([ecosystem], item, (night) => {
    // A change adds the last version.
    const listed = isChanged(item, night) ? versions : versions.slice(0, -1)
    const checked = isChanged(item, night) ? '\n\nThe list of versions was checked again.' : ''
    const dates = datesOf(item, publishedAt, night)
    const values = {
      ecosystem,
      name,
      purl,
      listed,
      checked,
      number: numberOf(world, item),
      year: dates.published.slice(0, 4),
    }
    const entry = fromJson(MALWARE, new Random(world.seed, item.number, 'origin'), values) as OsvEntry
    Object.assign(
      (entry.affected as object[])[0]!,
      form === 'list' ? {} : { ranges },
      listed.length > 0 ? { versions: listed } : {},
    )
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
  const id = isTracker && upstream.length > 0 ? `DEBIAN-${facts.id}` : `DSA-${numberOf(world, item)}-1`
  const soon = Math.min(facts.publishedAt + 2 * DAY_MS, FIRST_NIGHT)
  const publishedAt = item.from > 0 ? cutOf(item.from) - 3 * HOUR_MS : soon
  const base = `${random.chance(0.1) ? '1:' : ''}${releaseOf(random).join('.')}`
  const [revision, isFixed] = [random.between(1, 6), !random.chance(0.2)]
  const urgency = random.pick(['not yet assigned', 'low', 'medium', 'high', 'unimportant'])
  const versions = [`${base}~rc1-1`, ...Array.from({ length: revision }, (_, i) => `${base}-${i + 1}`)]
  const affected = [11, 12, 13].slice(random.int(3)).map((release) => {
    const fix = isFixed ? [{ fixed: `${base}-${revision}+deb${release}u1` }] : []
    const named = { ecosystem: `Debian:${release}`, name, purl: `pkg:deb/debian/${name}?arch=source` }
    const ranges = [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, ...fix] }]
    return { package: named, ranges, versions, ecosystem_specific: { urgency } }
  })
  return exported(['Debian'], item, (night) => {
    const checked = isChanged(item, night) ? ' Its releases were checked again.' : ''
    const entry = fromJson(DEBIAN, random, { id, name, checked, upstream, affected, cve: facts.id }) as OsvEntry
    return { ...entry, ...datesOf(item, publishedAt, night) }
  })
}
