/** The changes of published records from night to night. Each modifies the previous record. */
import { timeOf } from '../calendar.ts'
import type { ChangeKind } from '../changes.ts'
import { FIXES } from '../phrases.ts'
import type { Random } from '../random.ts'
import type { Facts } from '../world.ts'
import { CISA_ADP } from './adp-containers.ts'
import type { CnaContainer } from './cna-container.ts'
import type { CveRecord } from './cve-record.ts'
import { cvss, ssvcMetric } from './metrics.ts'
import { addedReference } from './references.ts'
import { titleOf } from './text.ts'

type Published = Exclude<ChangeKind, 'rejected' | 'revived' | 'disclosed' | 'kev'>
type Apply = (record: CveRecord, facts: Facts, random: Random, at: number) => void

/** Returns a change by the CNA, which updates the date of its container. */
function byCna(change: (cna: CnaContainer, facts: Facts, random: Random) => void): Apply {
  return (record, facts, random, at) => {
    const cna = record.containers.cna as CnaContainer
    change(cna, facts, random)
    cna.providerMetadata = { ...cna.providerMetadata, dateUpdated: timeOf(at) }
  }
}

export const NIGHT_CHANGES: Record<Published, Apply> = {
  reference: byCna((cna, facts, random) => cna.references.push(addedReference(facts, random))),
  fix: byCna((cna, _facts, random) => {
    const fixed = `${random.between(13, 20)}.${random.int(9)}.${random.int(9)}`
    const entry = cna.affected[0]!
    entry.versions = [{ version: '0', status: 'affected', lessThan: fixed, versionType: 'semver' }]
  }),
  score: byCna((cna, _facts, random) => {
    cna.metrics = [{ format: 'CVSS', cvssV3_1: cvss('3.1', random.float()) }]
  }),
  title: byCna((cna, facts, random) => {
    cna.title = `${titleOf(facts, random).slice(0, 240)} (updated)`
  }),
  description: byCna((cna, _facts, random) => {
    const first = cna.descriptions[0]!
    cna.descriptions = [
      { lang: first.lang, value: `${first.value} ${random.pick(FIXES)}` },
      ...cna.descriptions.slice(1),
    ]
  }),
  // CISA assesses the CVE again as `active` and `total`.
  assessment: (record, facts, random, at) => {
    const cisa = record.containers.adp!.find((one) => one.providerMetadata.shortName === CISA_ADP)!
    const others = cisa.metrics!.filter((one) => (one.other as { type?: string } | undefined)?.type !== 'ssvc')
    cisa.metrics = [...others, ssvcMetric(facts, true, at, random)]
    cisa.providerMetadata = { ...cisa.providerMetadata, dateUpdated: timeOf(at) }
  },
}
