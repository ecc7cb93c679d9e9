/** What each source claims to be affected, claim by claim, as its files have it; paired with the entries served. */
import * as assert from 'uvu/assert'
import type { AffectedEntry } from '../../../corpus/model/record.ts'
import { byKey, type Detail } from './answers.ts'
import { advisoriesOf } from './expected-summary.ts'
import type { Json, OsvJson, SampleFeeds } from './sample-feeds.ts'

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
      (one) => one.withdrawn === undefined && !advisoryIds.has(one.id) && [one.id, ...(one.aliases ?? [])].includes(id),
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
