/** The first screen of a CVE: title, severity in words, links to other databases, and what decides what to do. */
import type { CveSummary } from '../../data/answers.ts'
import { Elsewhere } from '../../parts/elsewhere.tsx'
import { Heading } from '../../parts/heading.tsx'
import { useOrigin } from '../../parts/origin.tsx'
import { sourceName } from '../../parts/sources.ts'
import { Flag, Severity } from '../../parts/values.tsx'
import { WatchToggle } from '../../parts/watch.tsx'
import type { Cve } from './cve.tsx'
import { vectorWords } from './cvss-words.ts'
import { FirstFacts } from './first-facts.tsx'
import { ORIGINS } from './origin.ts'

export function Headline({ cve }: { cve: Cve }) {
  const title = useOrigin('the title', ORIGINS.title)
  return (
    <>
      <Heading title={cve.title ? `${cve.cve_id} ${cve.title}` : cve.cve_id}>
        {cve.cve_id} {cve.state === 'PUBLISHED' ? null : <Flag name="reserved" title="The record is not published" />}
      </Heading>
      {cve.title === null ? null : (
        <p class="lead">
          {cve.title} {title.button}
        </p>
      )}
      {title.text}
      <SeverityLine cve={cve} />
      <div class="actions">
        <Elsewhere links={linksOf(cve)} />
        <WatchToggle kind="cve" name={cve.cve_id} />
      </div>
      <FirstFacts cve={cve} />
    </>
  )
}

function SeverityLine({ cve }: { cve: Cve }) {
  const severity = useOrigin('the severity', ORIGINS.severity)
  const { svc_assessment: assessment, metrics } = cve.cvss
  const primary = metrics.find(({ is_primary }) => is_primary)
  const vector = primary?.vector_string ?? assessment?.vector_string ?? ''
  const words = vectorWords(vector)
  return (
    <>
      <p class="severity-line">
        <Severity band={cve.severity} score={cve.cvss_score} />
        {cve.cvss_score_source === null ? null : (
          <span class="dim">
            {' '}
            by {sourceName(cve.cvss_score_source)}
            {primary ? `, CVSS ${primary.cvss_version}` : null}
          </span>
        )}{' '}
        {severity.button} {words === null ? null : <span title={vector}>{words}</span>}
      </p>
      {severity.text}
    </>
  )
}

/** The pages of the CVE in other databases. */
const ELSEWHERE: readonly (readonly [name: string, url: (id: string) => string])[] = [
  ['cve.org', (id) => `https://www.cve.org/CVERecord?id=${id}`],
  ['NVD', (id) => `https://nvd.nist.gov/vuln/detail/${id}`],
  ['GitHub', (id) => `https://github.com/advisories?query=${id}`],
  ['osv.dev', (id) => `https://osv.dev/list?q=${id}`],
  ['FIRST', (id) => `https://api.first.org/data/v1/epss?cve=${id}`],
]
const CISA = 'https://www.cisa.gov/known-exploited-vulnerabilities-catalog?search_api_fulltext='

function linksOf({ cve_id: id, kev }: CveSummary): [name: string, url: string][] {
  const links = ELSEWHERE.map(([name, url]): [string, string] => [name, url(id)])
  return kev.listed ? [...links, ['CISA', `${CISA}${id}`]] : links
}
