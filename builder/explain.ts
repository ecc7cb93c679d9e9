/** `vulnshelf explain`: shows the source of each value of a CVE, from the corpus. */

import { CodedError } from '../corpus/errors/coded-error.ts'
import { FEEDS } from '../corpus/feeds/table.ts'
import type { CweEntry } from '../corpus/model/catalog.ts'
import type { CveListRecord, EpssScore, Rejection } from '../corpus/model/claim.ts'
import { explainCve } from '../corpus/model/explain/explain.ts'
import { decides, type Explanation } from '../corpus/model/explain/explanation.ts'
import { type CveId, cveBlock, parseCveId } from '../corpus/model/ids/cve-id.ts'
import { dayOf } from '../corpus/model/values/date.ts'
import { type Corpus, openCorpus, type StoredClaim } from '../corpus/store/corpus.ts'
import type { FeedState } from '../corpus/store/state.ts'
import { mergeInputOf, type RecordSettings, settingsIn, weaknessNames } from './ingest/record.ts'

export type ExplainErrorCode =
  | 'usage' // not a CVE id
  | 'no-record' // the corpus has no record of it
  | 'other-rules' // another version of this program merged the corpus

export class ExplainError extends CodedError<ExplainErrorCode> {}

/** A claim in the corpus, and the edition of the feed that contained it. */
export interface ClaimOrigin {
  feed: string
  item: string
  /** The date in the claim, ISO 8601 in UTC. */
  statedAt: string | null
  edition: { version: string | null; date: string | null; files: string[] }
}

export interface ExplainReport {
  cveId: CveId
  /** Null for a rejected CVE: it has no record. */
  version: number | null
  corpusDate: string | null
  origins: ClaimOrigin[]
  values: Explanation[]
}

/** EPSS scores are not part of a record, so no rule decides them. */
const EPSS_SAYS = 'the newest file, with the scores of its date'

export interface Explainer {
  /** @throws ExplainError for an invalid id, or without a record */
  explain(cve: string): ExplainReport
  close(): void
}

/** @throws StoreError if there is not a corpus; ExplainError `other-rules` */
export function openExplainer(file: string): Explainer {
  const corpus = openCorpus(file)
  try {
    const settings = settingsOf(corpus, file)
    const { feeds, corpusDate } = corpus.state()
    const explain = (cve: string): ExplainReport => {
      const cveId = parseCveId(cve)
      if (cveId === null) throw new ExplainError('usage', `'${cve}' is not a CVE id; use the form CVE-2024-3400`)
      const [stored] = corpus.records(cveBlock(cveId), [cveId])
      const claims = corpus.claims(cveId)
      const origins = claims.map((claim) => originOf(claim, feeds))
      if (!stored) {
        const rejection = corpus.rejected().find((one) => one.cveId === cveId)
        if (!rejection) throw new ExplainError('no-record', noRecord(corpus, cveId))
        return { cveId, version: null, corpusDate, origins, values: [explainRejection(rejection)] }
      }
      const own = claims.find(({ feed }) => feed === 'cvelist')!
      const values = explainCve(mergeInputOf(JSON.parse(own.body) as CveListRecord, claims, settings))
      const epss = explainEpss(
        corpus.score(cveId),
        feeds.find(({ name }) => name === 'epss'),
      )
      return { cveId, version: stored.version, corpusDate, origins, values: [...values, epss] }
    }
    return { explain, close: () => corpus.close() }
  } catch (cause) {
    corpus.close()
    throw cause
  }
}

/** Explanations by other settings than the last merge's would be wrong. */
function settingsOf(corpus: Corpus, file: string): RecordSettings {
  const rules = corpus.mergeRules()
  const settings = rules && settingsIn(rules, weaknessNames(corpus.catalog<CweEntry>('cwe')))
  const isCurrent = ({ name, adapter }: FeedState) =>
    FEEDS.some((feed) => feed.name === name && feed.adapter === adapter)
  if (settings && corpus.state().feeds.every(isCurrent)) return settings
  const what = `${file} was written by a version of this program with other rules`
  throw new ExplainError('other-rules', `${what}; ingest the feeds again`)
}

function noRecord(corpus: Corpus, cveId: CveId): string {
  const feeds = new Set(corpus.claims(cveId).map(({ feed }) => feed))
  if (corpus.score(cveId)) feeds.add('epss')
  const known = feeds.size === 0 ? 'no feed has it' : `only these feeds have it: ${[...feeds].join(', ')}`
  const list = corpus.state().feeds.find(({ name }) => name === 'cvelist')
  const left = list?.reading.skipped.flatMap(({ items }) => items).find(({ key }) => key === cveId)
  const why = left ? `ingest skipped its record in the CVE list, ${left.detail}` : 'the CVE list does not have it'
  return `${cveId} has no record: ${why}; ${known}`
}

function explainRejection({ date, reason, replacedBy }: Rejection): Explanation {
  const by = replacedBy.length === 0 ? null : `replaced by ${replacedBy.join(', ')}`
  return {
    fields: ['state'],
    value: 'REJECTED',
    rule: 10,
    says: 'a rejected CVE has no record: it is in no list, and its endpoints answer 404 with the reason',
    considered: [decides('cvelist', ['REJECTED', date, reason, by].filter((text) => text !== null).join(', '))],
  }
}

function originOf({ feed, item, statedAt }: StoredClaim, feeds: readonly FeedState[]): ClaimOrigin {
  return { feed, item, statedAt, edition: editionOf(feeds.find(({ name }) => name === feed)) }
}

function editionOf(state: FeedState | undefined): ClaimOrigin['edition'] {
  const { version = null, date = null, files = [] } = state ?? {}
  return { version, date, files: files.map(({ path }) => path) }
}

function explainEpss(score: EpssScore | null, state: FeedState | undefined): Explanation {
  const { version, date: computedAt } = editionOf(state)
  const date = computedAt && dayOf(computedAt)
  const value = score && { score: score.score, percentile: score.percentile, date }
  const by = ['epss', version].filter(Boolean).join(' ')
  return {
    fields: ['epss'],
    value,
    rule: null,
    says: EPSS_SAYS,
    considered: score
      ? [{ by, states: `${score.score} (percentile ${score.percentile}) of ${date}`, outcome: 'decides', why: null }]
      : [],
  }
}
