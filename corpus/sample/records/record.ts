/** Builds a complete record of the CVE list (CVE Record Format 5.1) as of a night. */
import { cutOf, DAY_MS, FIRST_NIGHT, HOUR_MS, timeOf } from '../calendar.ts'
import type { Change, PublishedChange } from '../changes.ts'
import { cvss } from '../cvss.ts'
import type { Random } from '../random.ts'
import { titleOf, word } from '../text.ts'
import type { Facts, World } from '../world.ts'
import {
  type AdpContainer,
  CISA_ADP,
  type CnaContainer,
  cisaContainer,
  cnaContainer,
  programContainer,
  ssvcMetric,
  supplierContainer,
} from './containers.ts'

export interface CveRecord {
  dataType: 'CVE_RECORD'
  dataVersion: '5.1'
  cveMetadata: {
    cveId: string
    assignerOrgId: string
    assignerShortName: string
    state: Facts['state']
    dateReserved: string
    datePublished?: string
    dateUpdated: string
    dateRejected?: string
  }
  containers: { cna: Partial<CnaContainer>; adp?: AdpContainer[] }
}

/** The records of the current CVE, without its change and with it: several feeds ask for them. */
const made = new WeakMap<Facts, { first?: CveRecord; changed?: CveRecord }>()

/** Returns the record as of a night: its state in the first night plus the change since then. */
export function cveRecord(world: World, facts: Facts, night: number): CveRecord {
  const { change } = facts
  const records = made.get(facts) ?? {}
  made.set(facts, records)
  if (change !== null && change.night <= night) {
    records.changed ??= changedRecord(world, facts, change)
    return records.changed
  }
  records.first ??= stateRecord(world, facts, facts.state, false)
  return records.first
}

function changedRecord(world: World, facts: Facts, change: Change): CveRecord {
  // A time in the 24 hours before that night's files are created.
  const at = cutOf(change.night) - DAY_MS + world.random(facts.id, 'changed').between(1, DAY_MS - 60_000)
  if (change.kind === 'rejected') return rejectedRecord(facts, at)
  if (change.kind === 'revived' || change.kind === 'disclosed') {
    return stateRecord(world, { ...facts, publishedAt: at, updatedAt: at }, 'PUBLISHED', false)
  }
  const record = stateRecord(world, facts, 'PUBLISHED', change.kind === 'kev')
  if (change.kind !== 'kev') CHANGES[change.kind](record, facts, world.random(facts.id, 'change'), at)
  record.cveMetadata.dateUpdated = timeOf(change.kind === 'kev' ? facts.kevAddedAt! + HOUR_MS : at)
  return record
}

function recordOf(facts: Facts, state: Facts['state'], dates: object, containers: CveRecord['containers']): CveRecord {
  const { id, cna, reservedAt } = facts
  const assigner = { assignerOrgId: cna.orgId, assignerShortName: cna.shortName }
  const cveMetadata = { cveId: id, ...assigner, state, dateReserved: timeOf(reservedAt), ...dates }
  return {
    dataType: 'CVE_RECORD',
    dataVersion: '5.1',
    cveMetadata: cveMetadata as CveRecord['cveMetadata'],
    containers,
  }
}

function stateRecord(world: World, facts: Facts, state: Facts['state'], lateKev: boolean): CveRecord {
  if (state === 'REJECTED') return rejectedRecord(facts, facts.updatedAt)
  // Upstream's list has no reserved records. A record in state RESERVED is served as such (rule 10).
  if (state === 'RESERVED') {
    const dateUpdated = timeOf(Math.min(facts.reservedAt, FIRST_NIGHT))
    return recordOf(facts, state, { dateUpdated }, { cna: { providerMetadata: provider(facts, dateUpdated) } })
  }
  const cna = cnaContainer(world, facts)
  const listed = facts.kevAddedAt !== null && (facts.kevNight === 0 || lateKev)
  const adp = [
    ...programContainer(facts, cna),
    ...cisaContainer(world, facts, cna, listed),
    ...supplierContainer(world, facts),
  ]
  const updated = [timeOf(facts.updatedAt), ...adp.map(({ providerMetadata }) => providerMetadata.dateUpdated)]
  const dates = { datePublished: timeOf(facts.publishedAt), dateUpdated: updated.sort().at(-1)! }
  return recordOf(facts, 'PUBLISHED', dates, adp.length > 0 ? { cna, adp } : { cna })
}

function rejectedRecord(facts: Facts, at: number): CveRecord {
  const time = timeOf(at)
  const published = facts.index % 5 < 3 ? { datePublished: timeOf(Math.min(facts.publishedAt, at)) } : {}
  const value = 'This id was withdrawn by its numbering authority: the report turned out to describe no vulnerability.'
  const cna = { rejectedReasons: [{ lang: 'en', value }], providerMetadata: provider(facts, time) }
  return recordOf(facts, 'REJECTED', { ...published, dateUpdated: time, dateRejected: time }, { cna })
}

function provider({ cna }: Facts, time: string) {
  return { orgId: cna.orgId, shortName: cna.shortName, dateUpdated: time }
}

type Apply = (record: CveRecord, facts: Facts, random: Random, at: number) => void

/** Returns a change by the CNA, which updates the date of its container. */
function byCna(change: (cna: CnaContainer, facts: Facts, random: Random) => void): Apply {
  return (record, facts, random, at) => {
    const cna = record.containers.cna as CnaContainer
    change(cna, facts, random)
    cna.providerMetadata = provider(facts, timeOf(at))
  }
}

/** The changes of published records from night to night. */
const CHANGES: Record<PublishedChange, Apply> = {
  reference: byCna((cna, { vendor }, random) => {
    const url = `https://advisories.${vendor.key}.example/update/${random.hex(8)}`
    cna.references.push({ url, tags: ['vendor-advisory', 'patch'] })
  }),
  fix: byCna((cna, _facts, random) => {
    const lessThan = `${random.between(13, 20)}.${random.int(9)}.${random.int(9)}`
    cna.affected[0]!.versions = [{ version: '0', status: 'affected', lessThan, versionType: 'semver' }]
  }),
  score: byCna((cna, _facts, random) => {
    cna.metrics = [{ format: 'CVSS', cvssV3_1: cvss('3.1', random.float()) }]
  }),
  title: byCna((cna, facts, random) => {
    cna.title = `${titleOf(facts, random).slice(0, 240)} (updated)`
  }),
  description: byCna((cna, _facts, random) => {
    const [{ lang, value }, ...others] = cna.descriptions as [CnaContainer['descriptions'][number]]
    cna.descriptions = [{ lang, value: `${value} ${word('fix', random)}` }, ...others]
  }),
  // CISA assesses the CVE again as `active`.
  assessment: (record, facts, random, at) => {
    const cisa = record.containers.adp!.find((one) => one.providerMetadata.shortName === CISA_ADP)!
    const others = cisa.metrics!.filter((one) => (one.other as { type?: string } | undefined)?.type !== 'ssvc')
    cisa.metrics = [...others, ssvcMetric(facts, true, at, random)]
    cisa.providerMetadata = { ...cisa.providerMetadata, dateUpdated: timeOf(at) }
  },
}
