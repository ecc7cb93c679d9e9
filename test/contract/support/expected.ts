/** Expected values of a record, computed from the upstream files alone (rules 18 to 24). */

import calculator from 'ae-cvss-calculator'
import * as assert from 'uvu/assert'
import type { AffectedEntry } from '../../../corpus/model/record.ts'
import { byKey, type Detail } from './rows.ts'
import type { Container, CveJson, Json, NvdJson, OsvJson, SampleFeeds } from './sample-feeds.ts'

export const cisaOf = ({ containers }: CveJson): Container | undefined =>
  containers.adp?.find(({ providerMetadata }) => providerMetadata.shortName === 'CISA-ADP')

/** The CNA's references: those of the CVE Program Container count as the CNA's. */
export const cnaReferences = ({ containers }: CveJson) => [
  ...(containers.cna?.references ?? []),
  ...(containers.adp ?? [])
    .filter(({ providerMetadata }) => providerMetadata.shortName === 'CVE')
    .flatMap(({ references = [] }) => references),
]

export const sameTag = (tags: readonly string[] | undefined, wanted: string): boolean =>
  tags?.some((tag) => tag.toLowerCase() === wanted) ?? false

interface Candidate {
  version: string
  score: number
  at: string
  vector?: string
  /** The short name of an ADP, which names the source. */
  adp?: string
}

export interface Headline {
  severity: string | null
  cvss_score: number | null
  cvss_score_source: string | null
}

const NEWEST_VERSIONS = ['4.0', '3.1', '3.0', '2.0']

/** Lowest score of each band; of CVSS 2.0 there is no `critical`. */
const BANDS: [number, string][] = [
  [9, 'critical'],
  [7, 'high'],
  [4, 'medium'],
  [0.1, 'low'],
  [0, 'none'],
]

const bandOf = ({ version, score }: Candidate) =>
  BANDS.slice(version === '2.0' ? 1 : 0).find(([lowest]) => score >= lowest)![1]

/** svc_metrics, CNA, ADP, NVD, advisories, suppliers: the first of them that scores the CVE. */
export function headlineOf(record: CveJson, feeds: SampleFeeds): Headline {
  const id = record.cveMetadata.cveId
  const nvd = feeds.nvd.get(id)
  const scored = feeds.serviceScores.filter(({ cve_id }) => cve_id === id)
  const isSupplier = ({ x_adpType: type }: Container) => type === 'supplier'
  const adps = record.containers.adp ?? []
  const sources: [string, Candidate[]][] = [
    ['svc_metrics', scored.map(serviceScore)],
    ['cna', containerScores(record.containers.cna)],
    ['adp', adps.filter((one) => !isSupplier(one)).flatMap(adpScores)],
    ['nvd', nvd ? nvdScores(nvd) : []],
    ['advisory', advisoriesOf(id, feeds).flatMap(advisoryScores)],
    ['supplier', adps.filter(isSupplier).flatMap(adpScores)],
  ]
  for (const [cvss_score_source, candidates] of sources) {
    const [first] = candidates.sort(
      (a, b) =>
        NEWEST_VERSIONS.indexOf(a.version) - NEWEST_VERSIONS.indexOf(b.version) ||
        Date.parse(b.at) - Date.parse(a.at) ||
        b.score - a.score ||
        ((a.vector ?? '') < (b.vector ?? '') ? -1 : 1),
    )
    if (first) {
      return { severity: bandOf(first), cvss_score: first.score, cvss_score_source: first.adp ?? cvss_score_source }
    }
  }
  return { severity: null, cvss_score: null, cvss_score_source: null }
}

const serviceScore = (line: Json): Candidate => ({
  version: String(line.cvss_version),
  score: Number(line.base_score ?? scoreOf(String(line.vector_string))),
  at: String(line.scored_at),
})

function containerScores(container: Container | undefined): Candidate[] {
  const versions = { cvssV4_0: '4.0', cvssV3_1: '3.1', cvssV3_0: '3.0', cvssV2_0: '2.0' }
  // All of them are of the record's own date.
  return (container?.metrics ?? []).flatMap((metric) =>
    Object.entries(versions).flatMap(([key, version]) =>
      metric[key]
        ? [
            {
              version,
              score: Number(metric[key].baseScore),
              at: '2000-01-01',
              vector: String(metric[key].vectorString),
            },
          ]
        : [],
    ),
  )
}

const adpScores = (container: Container): Candidate[] =>
  containerScores(container).map((one) => ({ ...one, adp: container.providerMetadata.shortName }))

const nvdScores = ({ metrics }: NvdJson): Candidate[] =>
  Object.entries(metrics)
    .filter(([key]) => key.startsWith('cvss'))
    .flatMap(([, list]) => list)
    .filter(({ source }) => source === 'nvd@nist.gov')
    .map(({ cvssData }) => ({
      version: String(cvssData.version),
      score: Number(cvssData.baseScore),
      at: '2000-01-01',
    }))

/** Those that stand: a withdrawn one claims nothing. */
export const advisoriesOf = (id: string, { advisories }: SampleFeeds): OsvJson[] =>
  advisories.filter(({ aliases, withdrawn }) => aliases?.includes(id) && withdrawn === undefined)

const advisoryScores = ({ severity = [], modified }: OsvJson): Candidate[] =>
  severity.map(({ score }) => ({ version: /^CVSS:(.*?)\//.exec(score)![1]!, score: scoreOf(score), at: modified }))

/** The base score of a vector, by the library of FIRST's specifications. */
export function scoreOf(vector: string): number {
  if (vector.startsWith('CVSS:4.0')) return new calculator.Cvss4P0(vector).calculateScores().overall
  if (vector.startsWith('CVSS:3.1')) return new calculator.Cvss3P1(vector).calculateScores().overall
  if (vector.startsWith('CVSS:3.0')) return new calculator.Cvss3P0(vector).calculateScores().overall
  return new calculator.Cvss2(vector).calculateScores().overall
}

/** CISA's coordinator table 2.0.3 in its `medium` column: exploitation, automatable, partial and total impact. */
const DECISIONS: Record<string, Record<string, string>> = {
  'none no': { partial: 'track', total: 'track' },
  'none yes': { partial: 'track', total: 'track' },
  'poc no': { partial: 'track', total: 'track*' },
  'poc yes': { partial: 'track', total: 'track*' },
  'active no': { partial: 'track', total: 'attend' },
  'active yes': { partial: 'attend', total: 'act' },
}

/** The three points that CISA states, and what follows from them. */
export function ssvcOf(record: CveJson) {
  const stated = cisaOf(record)?.metrics?.find(({ other }) => other?.type === 'ssvc')
  const { options = [] } = (stated?.other?.content ?? {}) as { options?: Record<string, string>[] }
  const points = Object.assign({}, ...options) as Record<string, string | undefined>
  const [exploitation, automatable, impact] = ['Exploitation', 'Automatable', 'Technical Impact'].map(
    (name) => points[name]?.toLowerCase() ?? null,
  )
  const decision = exploitation && automatable && impact ? DECISIONS[`${exploitation} ${automatable}`]![impact]! : null
  return { exploitation, automatable, technical_impact: impact, decision }
}

/** The CWEs that a container names, in order: by id, or in the text. */
export const containerWeaknesses = (container: Container | undefined): string[] =>
  (container?.problemTypes ?? [])
    .flatMap(({ descriptions }) => descriptions)
    .flatMap(({ cweId, description }) => /CWE[- ](\d+)/i.exec(cweId ?? description)?.[1] ?? [])
    .map((number) => `cwe-${number}`)

/** NVD's own mappings, the primary one first. */
export const nvdWeaknesses = (nvd: NvdJson | undefined): string[] =>
  (nvd?.weaknesses ?? [])
    .toSorted((a, b) => (a.type === b.type ? 0 : a.type === 'Primary' ? -1 : 1))
    .flatMap(({ description }) => description)
    .flatMap(({ value }) => (/^CWE-\d+$/.test(value) ? value.toLowerCase() : []))

/** The first of CNA, ADP and NVD that the catalog knows as a weakness; if none is, the first of all. */
export function primaryCweOf(record: CveJson, feeds: SampleFeeds, isWeakness: (slug: string) => boolean) {
  const named = [
    ...containerWeaknesses(record.containers.cna),
    ...containerWeaknesses(cisaOf(record)),
    ...nvdWeaknesses(feeds.nvd.get(record.cveMetadata.cveId)),
  ]
  return named.find(isWeakness) ?? named[0] ?? null
}

export const CONTAINERS = ['cna', 'adp']
export const OSV_SCHEMA = ['advisory', 'osv']
export const CLAIMS = [...CONTAINERS, ...OSV_SCHEMA, 'svc_analysis']

export interface Claim {
  /** A member of the source's own list, and the date of what it stands in. */
  member: Json
  at: string | undefined
}

const byId = (a: OsvJson, b: OsvJson) => (a.id < b.id ? -1 : 1)

export const packageOf = ({ member }: Claim) => (member.package ?? {}) as { name?: string; ecosystem?: string }

export function affectedClaims(feeds: SampleFeeds, details: readonly Detail[]) {
  const upstream = byKey(feeds.records, ({ cveMetadata }) => cveMetadata.cveId)
  /** Entries of the OSV export that claim something: not withdrawn, and not the copy of an advisory. */
  const advisoryIds = new Set(feeds.advisories.map(({ id }) => id))
  const osvOf = (id: string): OsvJson[] =>
    feeds.osv.filter(
      (one) =>
        one.withdrawn === undefined &&
        !advisoryIds.has(one.id) &&
        [one.id, ...(one.aliases ?? []), ...(one.upstream ?? [])].includes(id),
    )

  /** What each source states about a CVE, in its order. NVD states CPE matches, which are looked at by themselves. */
  function claimsOf(id: string): Record<string, Claim[]> {
    const { cna, adp = [] } = upstream.get(id)!.containers
    const ofContainer = (container: typeof cna) =>
      (container?.affected ?? []).map((member) => ({ member, at: container!.providerMetadata.dateUpdated }))
    const ofEntries = (list: OsvJson[]) =>
      list
        .sort(byId)
        .flatMap(({ affected, modified }) => affected.map((member) => ({ member: member as Json, at: modified })))
    const ofAnalysis = ({ affected = [], generated_at }: Json) =>
      (affected as Json[]).map((member) => ({ member, at: String(generated_at) }))
    return {
      cna: ofContainer(cna),
      adp: adp.flatMap(ofContainer),
      advisory: ofEntries(advisoriesOf(id, feeds)),
      osv: ofEntries(osvOf(id)),
      svc_analysis: feeds.analyses.filter(({ cve_id }) => cve_id === id).flatMap(ofAnalysis),
    }
  }

  /** Every entry with the claim that it is, of the sources given; there are as many of the one as of the other. */
  function paired(...sources: string[]): { id: string; entry: AffectedEntry; claim: Claim }[] {
    return details.flatMap(({ cve_id: id, affected }) => {
      const claims = claimsOf(id)
      return sources.flatMap((source) => {
        const own = affected.filter((entry) => entry.source === source)
        assert.is(own.length, claims[source]!.length, `claims of ${source} on ${id}`)
        return own.map((entry, i) => ({ id, entry, claim: claims[source]![i]! }))
      })
    })
  }

  /** The criteria of the CPE matches that NVD calls vulnerable. */
  const criteriaOf = (id: string): string[] =>
    [...JSON.stringify(feeds.nvd.get(id) ?? {}).matchAll(/"vulnerable":true,"criteria":"((?:[^"\\]|\\.)+)"/g)].map(
      ([, criteria]) => JSON.parse(`"${criteria}"`) as string,
    )

  return { paired, criteriaOf }
}
