/** `#/cves/{cveId}`: everything about a CVE. */
import type { ComponentChildren } from 'preact'
import { EpssCurve } from '../../charts/epss-curve.tsx'
import type { Advisory, CveDetail, EpssHistory, Reports } from '../../data/answers.ts'
import type { ApiFailure } from '../../data/api.ts'
import { useAnswer, useSession } from '../../data/use.ts'
import type { PageProps } from '../../pages.ts'
import { Failure, Loading } from '../../parts/answer.tsx'
import { Heading } from '../../parts/heading.tsx'
import { useMarkdown } from '../../parts/markdown.tsx'
import { useOrigin } from '../../parts/origin.tsx'
import { LongText } from '../../parts/steps.tsx'
import { CveLink } from '../../parts/values.tsx'
import { link } from '../../router.ts'
import { AffectedProducts } from './affected.tsx'
import { isKnown } from './deadline.ts'
import { AdvisoryText, AnalysisText, analysisTexts, ReportTexts } from './documents.tsx'
import { Evidence, Exploits } from './evidence.tsx'
import { SideFacts, useNames } from './facts.tsx'
import { Guidance } from './guidance.tsx'
import { Headline } from './headline.tsx'
import { Kev } from './kev.tsx'
import { Metrics } from './metrics.tsx'
import { MilestoneLine } from './milestone-line.tsx'
import { ORIGINS } from './origin.ts'
import { ProductList } from './product-list.tsx'
import { References } from './references.tsx'
import { SECTIONS, Section, SectionMenu, type SectionName, useSection } from './section.tsx'
import { SinceThen } from './since-then.tsx'
import { Timeline } from './timeline.tsx'

const INCLUDE = [
  'cvss',
  'epss',
  'affected',
  'references',
  'exploits',
  'evidence',
  'timeline',
  'analysis',
  'guidance',
  'kev',
]

/** With `include` and without `fields` the record is whole. */
export type Cve = { [Field in keyof CveDetail]-?: Exclude<CveDetail[Field], undefined> }

export default function CvePage({ path: [id = ''], query }: PageProps) {
  const { past } = useSession()
  const path = `/cves/${encodeURIComponent(id)}`
  const { data: cve, error, retry } = useAnswer<Cve>(path, { include: INCLUDE })
  const advisory = useAnswer<Advisory>(`${path}/advisory`)
  const reports = useAnswer<Reports>(`${path}/reports`)
  const history = useAnswer<EpssHistory>(`${path}/epss/history`)
  const labels = useNames(cve)
  const texts = useMarkdown(cve?.analysis ? analysisTexts(cve.analysis) : [])
  // On wide screens nothing is below the facts, so that the sections need not wait for their names.
  const waitsForLabels = labels.areLoading && window.matchMedia('(max-width: 60rem)').matches
  const isLoading = advisory.loading || reports.loading || history.loading || waitsForLabels
  const isComplete = cve !== null && !isLoading && texts !== undefined
  useSection(query, isComplete)
  if (error) return <NoCve id={id} error={error} retry={retry} />
  if (cve === null) {
    return (
      <>
        <Heading>{id}</Heading>
        <Loading />
      </>
    )
  }
  const counts: Record<SectionName, number | undefined> = {
    cvss: cve.cvss.metrics.length || (cve.cvss.svc_assessment === null ? 0 : 1),
    kev: hasKev(cve.kev_detail) ? undefined : 0,
    epss_history: history.data?.count ?? 0,
    guidance: cve.guidance.entries.length === 0 ? 0 : undefined,
    affected: cve.affected.length,
    evidence: cve.evidence.length,
    exploits: cve.exploits.length,
    references: cve.references.length,
    advisory: advisory.data ? undefined : 0,
    analysis: cve.analysis === null ? 0 : undefined,
    reports: reports.data?.count ?? 0,
    timeline: cve.timeline.length,
  }
  const names = Object.keys(SECTIONS) as SectionName[]
  const shown = names.filter((name) => counts[name] !== 0)
  const empty = names.filter(
    (name) => counts[name] === 0 && !failed(name, { advisory, reports, epss_history: history }),
  )
  const contents: Record<SectionName, () => ComponentChildren> = {
    cvss: () => <Metrics cvss={cve.cvss} />,
    kev: () => <Kev detail={cve.kev_detail} />,
    epss_history: () => <EpssCurve points={history.data!.points} until={cve.epss.date} />,
    guidance: () => <Guidance entries={cve.guidance.entries} />,
    affected: () => <AffectedProducts entries={cve.affected} />,
    evidence: () => <Evidence items={cve.evidence} />,
    exploits: () => <Exploits modules={cve.exploits} />,
    references: () => <References references={cve.references} />,
    advisory: () => <AdvisoryText advisory={advisory.data!} />,
    analysis: () => <AnalysisText analysis={cve.analysis!} />,
    reports: () => <ReportTexts id={cve.cve_id} reports={reports.data!.reports} />,
    timeline: () => <Timeline id={cve.cve_id} entries={cve.timeline} query={query} />,
  }
  return (
    <>
      <Headline cve={cve} />
      {past === null ? null : <SinceThen path={path} include={INCLUDE} old={cve} />}
      <div class="cve">
        <div class="overview">
          <Description text={cve.description} />
          <section aria-labelledby="products">
            <h2 id="products">Products</h2>
            <ProductList id={cve.cve_id} entries={cve.affected} />
          </section>
        </div>
        <aside aria-label="Facts">
          {isComplete && !labels.areLoading ? (
            <>
              <SideFacts cve={cve} names={labels} />
              <SectionMenu id={cve.cve_id} counts={new Map(shown.map((name) => [name, counts[name]]))} />
            </>
          ) : null}
        </aside>
        <div class="details">
          {isComplete ? (
            <section aria-labelledby="course">
              <h2 id="course">Milestones</h2>
              <MilestoneLine cve={cve} advisory={advisory.data} />
            </section>
          ) : (
            <Loading key="sections" />
          )}
          {shown.map((name) => (
            <Section key={name} name={name} count={counts[name]}>
              {contents[name]()}
            </Section>
          ))}
          {[advisory, reports, history].map(({ error: partial, retry: again }) =>
            partial && partial.status !== 404 ? <Failure error={partial} retry={again} /> : null,
          )}
          {empty.length > 0 ? (
            <p class="dim">No data: {empty.map((name) => SECTIONS[name].toLowerCase()).join(', ')}.</p>
          ) : null}
        </div>
      </div>
    </>
  )
}

function Description({ text }: { text: string | null }) {
  const origin = useOrigin('the description', ORIGINS.description)
  return (
    <section class="description" aria-label="Description">
      <div class="titled">
        <h2>Description</h2>
        {origin.button}
      </div>
      {origin.text}
      {text === null ? <p class="dim">No source has a description.</p> : <LongText text={text} />}
    </section>
  )
}

const hasKev = ({ catalogs, deadline }: Cve['kev_detail']): boolean =>
  catalogs.length > 0 || isKnown(deadline.exposed) || isKnown(deadline.not_exposed)

/** Returns whether the request of a part failed. A 404 is no failure: the record has no such part. */
function failed(name: SectionName, parts: Partial<Record<SectionName, { error: ApiFailure | null }>>): boolean {
  const error = parts[name]?.error
  return error !== null && error !== undefined && error.status !== 404
}

/** The CVEs that replace a rejected one, as the message names them. */
function Replacements({ id, text }: { id: string; text: string }) {
  const named = new Set(text.match(/\bCVE-\d{4}-\d{4,}\b/g))
  named.delete(id.toUpperCase())
  return [...named].map((one) => (
    <span key={one}>
      See <CveLink id={one} />.{' '}
    </span>
  ))
}

function NoCve({ id, error, retry }: { id: string; error: ApiFailure; retry(): void }) {
  const isAbsent = error.status === 404 || error.status === 400
  return (
    <>
      <Heading>{id}</Heading>
      <Failure error={error} {...(isAbsent || error.status === 403 ? {} : { retry })} />
      {error.code === 'tier_restricted' ? <p>The operator restricts this CVE. Lists show its summary.</p> : null}
      {isAbsent ? (
        <p>
          {error.status === 404 ? <Replacements id={id} text={error.message} /> : null}
          <a href={link(['search'], { q: id })}>Search for {id}</a>, or see the{' '}
          <a href={link(['cves'])}>list of CVEs</a> or the <a href={link(['rejected'])}>rejected CVEs</a>.
        </p>
      ) : null}
    </>
  )
}
