/** The figures of a snapshot, counted from the claims and records in corpus.db with plain loops. Uses no code of the build. */
import { joinedVendor } from '../../corpus/model/affected/joined-key.ts'
import type { CvssSection } from '../../corpus/model/record.ts'
import type { CnaScores, SeverityCounts, Stats, TopEntry } from '../../corpus/model/stats.ts'
import { openCorpus } from '../../corpus/store/corpus.ts'
import { corpusFacts } from './corpus-facts.ts'
import { joinedNames, type Summary } from './cve-cases.ts'
import { byText, keyOfName } from './plain.ts'

/** Slugs and names of vendors and CNAs, and the dates of exploit modules, as their lists answer them. */
export interface Names {
  vendors: readonly { slug: string; display: string }[]
  cnas: readonly { slug: string; cna_name: string }[]
  exploits: readonly { date_published: string | null }[]
}

const YEAR_MS = 365 * 86_400_000

/** Returns all figures except `last_update`. */
export function statsTruth(path: string, { vendors, cnas, exploits }: Names): Omit<Stats, 'last_update'> {
  const facts = corpusFacts(path)
  const { corpusDate, epssDate, ownScore } = factsOfCorpus(path)
  const cores = facts.cores as unknown as Summary[]
  const byId = new Map(cores.map((core) => [String(core.cve_id), core]))
  const isRecent = ({ date_published: date }: Summary) =>
    corpusDate !== null && date !== null && Date.parse(corpusDate) - Date.parse(date) < YEAR_MS
  const severities = (rows: readonly Summary[]): SeverityCounts => {
    const of = (severity: string | null) => rows.filter((row) => row.severity === severity).length
    return {
      critical: of('critical'),
      high: of('high'),
      medium: of('medium'),
      low: of('low'),
      none: of('none'),
      unscored: of(null),
    }
  }
  const entry = (id: string, name: string, rows: readonly Summary[]): TopEntry => ({
    id,
    name,
    cve_count: rows.length,
    kev_count: rows.filter(({ kev }) => kev.listed).length,
  })
  const top = (all: { id: string; name: string; rows: Summary[] }[]) => {
    const of = (passes: (row: Summary) => boolean) =>
      all
        .map(({ id, name, rows }) => entry(id, name, rows.filter(passes)))
        .filter(({ cve_count }) => cve_count > 0)
        .sort((a, b) => b.cve_count - a.cve_count || byText(a.id, b.id))
        .slice(0, 20)
    return { all_time: of(() => true), last_year: of(isRecent) }
  }
  const months = (dates: (string | null)[]) => [...new Set(dates.flatMap((date) => date?.slice(0, 7) ?? []))].sort()
  const listed = cores.filter(({ kev }) => kev.listed)
  const makers = joinedNames(facts).vendors
  const ofCna = (slug: string) => cores.filter(({ assigner }) => keyOfName(assigner) === slug)
  const cnaScores = cnas
    .map(({ slug, cna_name }): CnaScores => {
      const rows = ofCna(slug)
      const without = rows.filter(({ cve_id }) => !ownScore.has(cve_id))
      return {
        slug,
        cna_name,
        total_cves: rows.length,
        without_cna_cvss: without.length,
        recent_cves: rows.filter(isRecent).length,
        recent_without_cna_cvss: without.filter(isRecent).length,
      }
    })
    .filter(({ total_cves }) => total_cves >= 20)
    .sort((a, b) => b.total_cves - a.total_cves || byText(a.slug, b.slug))
  return {
    corpus_date: corpusDate,
    epss_date: epssDate,
    recent: [1, 7, 30].flatMap((days) => {
      if (corpusDate === null) return []
      const dayBefore = (count: number) =>
        new Date(Date.parse(corpusDate.slice(0, 10)) - count * 86_400_000).toISOString().slice(0, 10)
      const [since, until] = [dayBefore(days - 1), dayBefore(0)]
      const isWithin = (date: unknown) =>
        typeof date === 'string' && date.slice(0, 10) >= since && date.slice(0, 10) <= until
      return [
        {
          days,
          since,
          until,
          published: severities(cores.filter(({ date_published }) => isWithin(date_published))),
          kev_added: listed.filter(({ kev }) => isWithin(kev.date_added)).length,
          exploits: exploits.filter(({ date_published }) => isWithin(date_published)).length,
        },
      ]
    }),
    totals: {
      cves: cores.length,
      kev: listed.length,
      has_exploit: cores.filter(({ has_exploit }) => has_exploit).length,
      has_patch: cores.filter(({ has_patch }) => has_patch).length,
      severity: severities(cores),
    },
    published_by_month: months(cores.map(({ date_published }) => date_published)).map((month) => ({
      month,
      ...severities(cores.filter(({ date_published }) => date_published?.startsWith(month))),
    })),
    kev_by_month: months(listed.map(({ kev }) => kev.date_added)).map((month) => ({
      month,
      cves: listed.filter(({ kev }) => kev.date_added?.startsWith(month)).length,
    })),
    epss_by_cvss: grid(cores, new Map([...facts.epss].map(([id, { score }]) => [id, score]))),
    last_year_since: corpusDate === null ? null : new Date(Date.parse(corpusDate) - YEAR_MS + 1).toISOString(),
    weaknesses: top(
      facts.cwes.map(({ slug, name }) => ({
        id: String(slug),
        name: String(name),
        rows: cores.filter(({ cve_id }) => facts.weaknesses.get(cve_id)?.has(String(slug))),
      })),
    ),
    vendors: top(
      vendors.map(({ slug, display }) => ({
        id: slug,
        name: display,
        rows: [...(makers.get(joinedVendor(slug)) ?? [])].map((id) => byId.get(id)!),
      })),
    ),
    cnas: top(cnas.map(({ slug, cna_name }) => ({ id: slug, name: cna_name, rows: ofCna(slug) }))),
    cna_scores: cnaScores,
  }
}

const EPSS_BANDS = [0, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3]

function grid(cores: readonly Summary[], epss: ReadonlyMap<string, number>): Stats['epss_by_cvss'] {
  const scored = cores.flatMap(({ cve_id, cvss_score }) => {
    const score = epss.get(cve_id)
    return cvss_score === null || score === undefined ? [] : [{ cve_id, cvss_score, epss: score }]
  })
  const cell = (least: number, below: number, cvss: number) =>
    scored.filter((one) => one.epss >= least && one.epss < below && Math.min(9, Math.floor(one.cvss_score)) === cvss)
  return {
    epss_from: EPSS_BANDS,
    cvss_from: Array.from({ length: 10 }, (_, i) => i),
    counts: EPSS_BANDS.map((from, i) =>
      Array.from({ length: 10 }, (_, cvss) => cell(from, EPSS_BANDS[i + 1] ?? 2, cvss).length),
    ),
    without_scores: cores.length - scored.length,
    highest: scored
      .filter(({ cvss_score }) => cvss_score >= 9)
      .sort((a, b) => b.epss - a.epss || byCveId(a.cve_id, b.cve_id))
      .slice(0, 10),
  }
}

function byCveId(a: string, b: string): number {
  const [x, y] = [a, b].map((id) => id.split('-').slice(1).map(Number))
  return x![0]! - y![0]! || x![1]! - y![1]!
}

function factsOfCorpus(path: string) {
  const corpus = openCorpus(path)
  try {
    const ownScore = new Set<string>()
    for (const { block } of corpus.blocks()) {
      for (const { cveId, parts } of corpus.records(block)) {
        const { metrics } = JSON.parse(parts.cvss) as CvssSection
        if (metrics.some(({ source_type }) => source_type === 'cna')) ownScore.add(cveId)
      }
    }
    const { release, scores } = corpus.epss()
    // Reads the scores to their end: otherwise the corpus cannot be closed.
    for (const _ of scores);
    return { corpusDate: corpus.state().corpusDate, epssDate: release?.date ?? null, ownScore }
  } finally {
    corpus.close()
  }
}
