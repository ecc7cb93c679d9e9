/** Texts about a CVE: the linked advisory, the analysis, the reports. */
import { useState } from 'preact/hooks'
import type { Advisory, CveDetail, Reports } from '../../data/answers.ts'
import { useAnswer } from '../../data/use.ts'
import { Failure } from '../../parts/answer.tsx'
import { formatCount } from '../../parts/format.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { packagePath } from '../../parts/names.ts'
import { Folded, InSteps, useSteps } from '../../parts/steps.tsx'
import { ExternalLink, Severity, Time } from '../../parts/values.tsx'
import { link } from '../../router.ts'

const FIRST_PACKAGES = 15
/** Weaknesses, credits and reports. */
const FIRST_LISTED = 20

type Band = 'critical' | 'high' | 'medium' | 'low'

/** GitHub calls the middle band `moderate`. */
const BANDS: ReadonlyMap<string, Band> = new Map(
  Object.entries<Band>({
    critical: 'critical',
    high: 'high',
    moderate: 'medium',
    medium: 'medium',
    low: 'low',
  }),
)

export function AdvisoryText({ advisory }: { advisory: Advisory }) {
  return (
    <>
      <h3>{advisory.summary}</h3>
      <AdvisoryFacts advisory={advisory} />
      <AdvisoryPackages packages={advisory.affected_packages} />
      {advisory.description === '' ? null : (
        <Folded summary="Text of the advisory">
          <Markdown text={advisory.description} />
        </Folded>
      )}
    </>
  )
}

function AdvisoryFacts({ advisory }: { advisory: Advisory }) {
  return (
    <dl class="facts">
      <dt>Advisory</dt>
      <dd>
        <a href={link(['advisories', advisory.advisory_id])}>{advisory.advisory_id}</a>,{' '}
        <ExternalLink url={advisory.html_url}>on GitHub</ExternalLink>
      </dd>
      {advisory.withdrawn_at === null ? null : (
        <>
          <dt>Withdrawn</dt>
          <dd>
            <Time at={advisory.withdrawn_at} />
          </dd>
        </>
      )}
      <dt>Severity</dt>
      <dd>
        <Severity band={BANDS.get(advisory.severity) ?? null} />
      </dd>
      {[advisory.cvss_v4, advisory.cvss_v3].map(({ vector, score }) =>
        vector === null ? null : (
          <>
            <dt>CVSS</dt>
            <dd>
              {score === null ? null : `${score} `}
              <code>{vector}</code>
            </dd>
          </>
        ),
      )}
      {advisory.cwe_ids.length === 0 ? null : (
        <>
          <dt>Weaknesses</dt>
          <dd>
            <InSteps items={advisory.cwe_ids} first={FIRST_LISTED} noun="weaknesses">
              {(shown) => (
                <ul class="plain-list">
                  {shown.map((id) => (
                    <li key={id}>
                      <a href={link(['cwes', id.toLowerCase()])}>{id}</a> {advisory.cwe_names[id]}
                    </li>
                  ))}
                </ul>
              )}
            </InSteps>
          </dd>
        </>
      )}
      {advisory.source_repo_url === null ? null : (
        <>
          <dt>Repository</dt>
          <dd>
            <ExternalLink url={advisory.source_repo_url} />
          </dd>
        </>
      )}
      <dt>Published</dt>
      <dd>
        <Time at={advisory.published_at} />, updated <Time at={advisory.updated_at} />,{' '}
        {advisory.reviewed_at === null ? (
          'not reviewed'
        ) : (
          <>
            reviewed <Time at={advisory.reviewed_at} />
          </>
        )}
      </dd>
      {advisory.credits.length === 0 ? null : (
        <>
          <dt>Credits</dt>
          <dd>
            <InSteps items={advisory.credits} first={FIRST_LISTED} noun="credits">
              {(shown) =>
                shown.map(({ type, login, html_url: url }, index) => (
                  <span key={`${type} ${login}`}>
                    {index === 0 ? null : ', '}
                    <ExternalLink url={url}>{login}</ExternalLink> <span class="dim">{type.replaceAll('_', ' ')}</span>
                  </span>
                ))
              }
            </InSteps>
          </dd>
        </>
      )}
    </dl>
  )
}

function AdvisoryPackages({ packages }: { packages: Advisory['affected_packages'] }) {
  const { shown, button } = useSteps(packages, FIRST_PACKAGES, 'packages')
  return (
    <>
      {shown.length === 0 ? null : (
        <div class="scroll">
          <table class="cards">
            <caption class="for-reader">Packages of the advisory</caption>
            <thead>
              <tr>
                <th scope="col">Package</th>
                <th scope="col">Ecosystem</th>
                <th scope="col">Affected versions</th>
                <th scope="col">Fixed in</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((one, index) => (
                <tr key={index}>
                  <th scope="row" class="wide">
                    <a href={link(packagePath(one.ecosystem, one.name))}>{one.name}</a>
                  </th>
                  <td>{one.ecosystem}</td>
                  <td>{one.vulnerable_version_range}</td>
                  <td data-label="Fixed in">{one.first_patched_version ?? <span class="dim">none stated</span>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {button}
    </>
  )
}

type AnalysisRecord = NonNullable<CveDetail['analysis']>

const PARTS = [
  ['summary', 'Summary'],
  ['root_cause', 'Root cause'],
  ['impact', 'Impact'],
  ['attack_vector', 'Attack vector'],
  ['remediation', 'Remediation'],
] as const

/** The texts of an analysis that are Markdown. */
export const analysisTexts = (analysis: AnalysisRecord): string[] => PARTS.flatMap(([field]) => analysis[field] ?? [])

export function AnalysisText({ analysis }: { analysis: AnalysisRecord }) {
  return (
    <>
      {PARTS.map(([field, title]) =>
        analysis[field] === null ? null : (
          <div key={field}>
            <h3>{title}</h3>
            <Markdown text={analysis[field]} />
          </div>
        ),
      )}
      {analysis.weaknesses.length === 0 ? null : (
        <p>
          Weaknesses:{' '}
          <InSteps items={analysis.weaknesses} first={FIRST_LISTED} noun="weaknesses">
            {(shown) =>
              shown.map((id) => (
                <>
                  <a href={link(['cwes', id.toLowerCase()])}>{id.toUpperCase()}</a>{' '}
                </>
              ))
            }
          </InSteps>
        </p>
      )}
      <p class="dim">
        {analysis.model === null ? 'Written' : `Written by ${analysis.model}`}
        {analysis.generated_at === null ? null : (
          <>
            , <Time at={analysis.generated_at} />
          </>
        )}
      </p>
    </>
  )
}

type Report = Reports['reports'][number]

/** Shows excerpts. The whole texts need one more request. */
export function ReportTexts({ id, reports }: { id: string; reports: readonly Report[] }) {
  const [isFull, setFull] = useState(false)
  const whole = useAnswer<Reports>(isFull ? `/cves/${encodeURIComponent(id)}/reports` : null, { full: true })
  const texts = new Map(whole.data?.reports.map((report) => [report.id, report.report_text]))
  const { shown, button } = useSteps(reports, FIRST_LISTED, 'reports')
  return (
    <>
      {shown.map((report) => (
        <article key={report.id}>
          <h3>{report.report_type.replaceAll('_', ' ')}</h3>
          <p class="dim">
            Written by {report.model}, <Time at={report.created_at} />, {formatCount(report.char_count)} characters
          </p>
          {texts.has(report.id) ? (
            <Markdown text={texts.get(report.id) ?? ''} />
          ) : (
            <p class="long-text">{report.excerpt}…</p>
          )}
        </article>
      ))}
      {button}
      {whole.error ? <Failure error={whole.error} retry={whole.retry} /> : null}
      {texts.size > 0 ? null : (
        <button type="button" aria-disabled={whole.loading} onClick={() => setFull(true)}>
          {whole.loading ? 'Loading…' : reports.length === 1 ? 'Show the report in full' : 'Show all reports in full'}
        </button>
      )}
    </>
  )
}
