/** Package advisories: OSV's exports have the forms and shares of the real ones, and follow the OSV schema. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { foldName } from '../../../corpus/model/packages/name.ts'
import { comparatorOf } from '../../../corpus/model/versions/ecosystems.ts'
import { type OsvJson, sampleFiles } from './sample-files.ts'
import { near, share } from './sampled-records.ts'

const [FIRST, SECOND] = ['2026-05-31', '2026-06-01']
const ECOSYSTEMS = ['npm', 'PyPI', 'Go', 'Maven', 'Packagist', 'NuGet', 'RubyGems', 'crates.io', 'Debian']
const sample = await sampleFiles({ cves: 2000, advisories: 3000 })

async function recordsBy(ecosystem: string, night: string, of = sample): Promise<OsvJson[]> {
  return of.advisories(`osv/${ecosystem}/all-${night}.zip`)
}

/** Returns the records of all ecosystems by id. A record is in the export of each of its ecosystems. */
async function recordsOf(night: string, of = sample): Promise<Map<string, OsvJson>> {
  const found = new Map<string, OsvJson>()
  for (const ecosystem of ECOSYSTEMS) {
    for (const record of await recordsBy(ecosystem, night, of)) {
      assert.equal(found.get(record.id) ?? record, record)
      found.set(record.id, record)
    }
  }
  return found
}

const before = await recordsOf(FIRST!)
const after = await recordsOf(SECOND!)
const all = [...after.values()]
const withPrefix = (prefix: string) => all.filter(({ id }) => id.startsWith(prefix))
const malware = withPrefix('MAL-')
const github = withPrefix('GHSA-')
const affected = all.flatMap((record) => record.affected.map((one) => ({ id: record.id, ...one })))
const ranges = affected.flatMap((one) => (one.ranges ?? []).map((range) => ({ of: one, ...range })))
const hasCve = ({ id, aliases = [], upstream = [] }: OsvJson) =>
  [id, ...aliases, ...upstream].some((one) => one.startsWith('CVE-'))
const kindsOf = (events: readonly Record<string, string>[]) => events.map((event) => Object.keys(event)[0])

test('every record follows the OSV schema', () => {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
  for (const record of all) {
    const { id, modified, published, withdrawn } = record
    assert.match(id, /^(GHSA|PYSEC|GO|RUSTSEC|MAL|DEBIAN|DSA|SAMPLE)-[\w-]+$/)
    assert.match(modified, time, id)
    for (const date of [modified, published, withdrawn ?? published]) {
      assert.match(date, time, id)
      assert.not(Number.isNaN(Date.parse(date)), id)
    }
    assert.ok(modified >= published.slice(0, 19) && (withdrawn ?? '9') >= published, id)
    assert.ok(record.details.length > 0 && record.affected.length > 0, id)
    for (const list of [record.aliases ?? [], record.upstream ?? [], record.related ?? []]) {
      assert.is(new Set([id, ...list]).size, list.length + 1, id)
    }
    for (const { type, score } of record.severity ?? []) {
      assert.match(`${type} ${score}`, /^CVSS_(V2 AV:|V3 CVSS:3\.|V4 CVSS:4\.0\/)/, id)
    }
    for (const { type, url } of record.references ?? []) {
      assert.match(type, /^(ADVISORY|ARTICLE|DETECTION|DISCUSSION|REPORT|FIX|INTRODUCED|PACKAGE|EVIDENCE|WEB)$/, id)
      assert.match(url, /^https:\/\//, id)
    }
  }
  for (const { id, package: named, ranges: own = [], versions } of affected) {
    assert.match(named.ecosystem, new RegExp(`^(${ECOSYSTEMS.join('|').replace('.', '\\.')}|Debian:\\d+)$`), id)
    assert.ok(named.name.length > 0, id)
    if (named.purl) assert.match(named.purl, /^pkg:[a-z]+\/[^@ ]+$/, id)
    assert.ok(own.length > 0 || (versions ?? []).length > 0, id)
    if (versions) assert.is(new Set(versions).size, versions.length, id)
  }
  for (const { of, type, repo, events } of ranges) {
    const kinds = kindsOf(events)
    assert.ok(['SEMVER', 'ECOSYSTEM', 'GIT'].includes(type), of.id)
    assert.is(repo !== undefined, type === 'GIT', of.id)
    assert.ok(kinds.includes('introduced'), of.id)
    assert.not(kinds.includes('fixed') && kinds.includes('last_affected'), of.id)
    for (const event of events) {
      assert.is(Object.keys(event).length, 1, of.id)
      assert.match(Object.keys(event)[0]!, /^(introduced|fixed|last_affected|limit)$/, of.id)
      if (type === 'GIT') assert.match(Object.values(event)[0]!, /^(0|[0-9a-f]{40})$/, of.id)
    }
  }
})

test('every database is there, and every form of malware', () => {
  for (const prefix of ['GHSA-', 'PYSEC-', 'GO-', 'RUSTSEC-', 'DEBIAN-CVE-', 'DSA-']) {
    assert.ok(withPrefix(prefix).length >= 5, prefix)
  }
  const forms = { range: 0, list: 0, both: 0 }
  for (const { affected: entries } of malware) {
    for (const one of entries) forms[!one.versions ? 'range' : one.ranges ? 'both' : 'list']++
  }
  for (const [form, count] of Object.entries(forms)) assert.ok(count > 400, `${form}: ${count}`)
})

test('ranges have every kind of bound', () => {
  const bounds = ranges.flatMap(({ of, type, events }) =>
    type === 'GIT'
      ? []
      : events.flatMap((event) => Object.values(event).map((version) => ({ ...of.package, type, version }))),
  )
  const some = (name: string, holds: (one: (typeof bounds)[number]) => boolean) => assert.ok(bounds.some(holds), name)
  for (const ecosystem of ECOSYSTEMS.slice(0, 5)) {
    some(`${ecosystem}: pre-release`, (one) => one.ecosystem === ecosystem && /[a-z]/i.test(one.version))
  }
  const isReadable = (one: (typeof bounds)[number]) =>
    one.version === '0' || comparatorOf(one.ecosystem)!.parse(one.version) !== null
  some('unreadable', (one) => !isReadable(one))
  assert.ok(share(bounds, isReadable) > 0.98)
  some('first pre-release', ({ version }) => version === '0.0.0-0')
  some('Packagist: v', ({ ecosystem, version }) => ecosystem === 'Packagist' && version.startsWith('v'))
  some('Maven: qualifier', ({ ecosystem, version }) => ecosystem === 'Maven' && /Final|RELEASE|jre|GA/.test(version))
  some('NuGet: four numbers', ({ ecosystem, version }) => ecosystem === 'NuGet' && /^(\d+\.){3}\d+$/.test(version))
  some('Debian: epoch', ({ ecosystem, version }) => ecosystem.startsWith('Debian:') && /^1:.*\+deb/.test(version))
  const has = (kind: string) => ranges.some(({ events }) => kindsOf(events).includes(kind))
  for (const kind of ['introduced', 'fixed', 'last_affected', 'limit']) assert.ok(has(kind), kind)
  const typesOf = (id: string) => ranges.filter(({ of }) => of.id === id).map(({ type }) => type)
  assert.ok(withPrefix('PYSEC-').some(({ id }) => typesOf(id).join() === 'GIT,ECOSYSTEM'))
  assert.equal(
    new Set(ranges.filter(({ of }) => of.package.ecosystem === 'npm').map(({ type }) => type)),
    new Set(['SEMVER']),
  )
})

test('names have other spellings, scopes and vendors', () => {
  const names = (ecosystem: string) =>
    new Set(affected.flatMap((one) => (one.package.ecosystem === ecosystem ? one.package.name : [])))
  for (const ecosystem of ['PyPI', 'Packagist', 'NuGet', 'crates.io']) {
    const folded = new Set([...names(ecosystem)].map((name) => foldName(ecosystem, name)))
    assert.ok(
      [...names(ecosystem)].some((name) => foldName(ecosystem, name) !== name),
      ecosystem,
    )
    if (ecosystem === 'PyPI') assert.ok(folded.size < names(ecosystem).size)
  }
  assert.ok([...names('npm')].some((name) => /^@[\w-]+\/[\w-]+$/.test(name)))
  assert.ok([...names('Packagist')].every((name) => /^[\w-]+\/[\w-]+$/.test(name)))
})

test('PyPI lists the versions of its ranges', () => {
  for (const { affected: entries } of withPrefix('PYSEC-'))
    assert.ok(entries.every(({ versions }) => versions!.length > 0))
  const lengths = withPrefix('PYSEC-').flatMap(({ affected: [one] }) => one!.versions!.length)
  assert.ok(Math.max(...lengths) > 40)
})

test('two databases state one flaw', () => {
  for (const prefix of ['PYSEC-', 'GO-', 'RUSTSEC-']) {
    for (const { id, aliases = [] } of withPrefix(prefix)) {
      const [copied] = aliases.filter((one) => one.startsWith('GHSA-'))
      assert.ok(after.has(copied!), id)
      assert.equal(
        aliases.filter((one) => one !== copied),
        after.get(copied!)!.aliases,
        id,
      )
    }
  }
})

test("a copy is newer than GitHub's advisory by a fraction of a second, or older", async () => {
  let [older, newer] = [0, 0]
  for (const { id, modified, affected: entries } of await sample.advisories(`ghsa/${SECOND}/advisory-database.zip`)) {
    const copy = after.get(id)
    if (entries.length === 0) continue
    assert.ok(
      copy!.affected.every((one) => one.package.purl),
      id,
    )
    assert.ok(
      entries.every((one) => !one.package.purl),
      id,
    )
    if (Date.parse(copy!.modified) < Date.parse(modified)) older++
    else newer++
  }
  assert.ok(older >= 3 && newer > 10 * older, `${older} older, ${newer} newer`)
})

test('shares are close to those of the real exports', () => {
  near(
    'malware',
    share(all, ({ id }) => id.startsWith('MAL-')),
    0.75,
    0.08,
  )
  near(
    'withdrawn',
    share(all, ({ withdrawn }) => withdrawn !== undefined),
    0.008,
    0.6,
  )
  near(
    'GitHub without a CVE',
    share(github, (one) => !hasCve(one)),
    0.16,
    0.4,
  )
  assert.not(malware.some(hasCve))
  const pairs = (prefix: string) =>
    share(
      ranges.filter(({ of, type }) => of.id.startsWith(prefix) && type !== 'GIT'),
      ({ events }) => kindsOf(events).filter((kind) => kind === 'introduced').length > 1,
    )
  assert.is(pairs('GHSA-'), 0)
  assert.ok(pairs('PYSEC-') > 0.08 && pairs('GO-') > 0.02, `${pairs('PYSEC-')} ${pairs('GO-')}`)
  near(
    'GitHub with a fix',
    share(
      ranges.filter(({ of }) => of.id.startsWith('GHSA-')),
      ({ events }) => kindsOf(events).includes('fixed'),
    ),
    0.88,
    0.1,
  )
})

test('a few packages have many advisories, most have one', () => {
  const counts = new Map<string, Set<string>>()
  for (const { id, package: named } of affected) {
    const key = `${named.ecosystem}/${foldName(named.ecosystem, named.name)}`
    counts.set(key, (counts.get(key) ?? new Set()).add(id))
  }
  const sizes = [...counts.values()].map((ids) => ids.size)
  assert.ok(share(sizes, (size) => size === 1) > 0.85)
  assert.ok(counts.get('npm/lantern-http')!.size >= 8)
})

test('a known npm package has flaws that are exploited, with an easy name', () => {
  const { vulnerabilities } = sample.json('kev/known_exploited_vulnerabilities.json') as {
    vulnerabilities: { cveID: string }[]
  }
  const exploited = new Set(vulnerabilities.map(({ cveID }) => cveID))
  const own = github.filter((one) => one.affected.some(({ package: named }) => named.name === 'lantern-http'))
  assert.ok(own.some(({ aliases = [] }) => aliases.some((id) => exploited.has(id))))
})

test('in the second night one record in a hundred is changed, a few are new, one is withdrawn, none is gone', async () => {
  const copied = new Set((await sample.advisories(`ghsa/${SECOND}/advisory-database.zip`)).map(({ id }) => id))
  const isFurther = ({ id, aliases = [] }: OsvJson) => ![id, ...aliases].some((one) => copied.has(one))
  const added = all.filter(({ id }) => !before.has(id))
  const changed = all.filter((one) => before.has(one.id) && JSON.stringify(before.get(one.id)) !== JSON.stringify(one))
  near('changed', changed.length / before.size, 0.01, 0.6)
  assert.ok(added.length >= 5 && added.length < 25, `${added.length}`)
  assert.equal(
    [...before.keys()].filter((id) => !after.has(id)),
    [],
  )
  const withdrawn = changed.filter((one) => one.withdrawn && !before.get(one.id)!.withdrawn && isFurther(one))
  assert.is(withdrawn.length, 1)
  for (const { id, modified } of changed.filter(({ id }) => id.startsWith('MAL-'))) {
    assert.ok(modified > '2026-05-31T22:13' && modified > before.get(id)!.modified, id)
  }
  assert.ok(changed.some((one) => JSON.stringify(one.affected) !== JSON.stringify(before.get(one.id)!.affected)))
})

test('the option is the number of records in the first night, besides the copies', async () => {
  const [none, some] = await Promise.all([0, 301].map((advisories) => sampleFiles({ cves: 300, advisories })))
  const [without, with301] = [await recordsOf(FIRST!, none), await recordsOf(FIRST!, some)]
  assert.is(with301.size - without.size, 301)
  for (const [id, record] of without) assert.equal(with301.get(id), record)
  for (const path of none!.paths.filter((one) => !one.startsWith('osv/'))) {
    assert.ok(none!.bytes(path).equals(some!.bytes(path)), path)
  }
})

test.run()
