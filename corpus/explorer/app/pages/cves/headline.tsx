/** The headline of a CVE: the summary record, with the origin of each field. */
import type { ComponentChildren } from 'preact'
import { nameKey } from '../../../../model/affected/products.ts'
import type { CveDetail, CveSummary } from '../../data/answers.ts'
import { detectionText } from '../../parts/cve-columns.tsx'
import { formatShare } from '../../parts/format.ts'
import { Heading } from '../../parts/heading.tsx'
import { useOrigin } from '../../parts/origin.tsx'
import { sourceName } from '../../parts/sources.ts'
import { LongText } from '../../parts/steps.tsx'
import { Day, Flag, Severity, Time, Unknown } from '../../parts/values.tsx'
import { link } from '../../router.ts'
import { ORIGINS, type OriginField } from './origin.ts'

type Guided = { cve: CveSummary; guidance: NonNullable<CveDetail['guidance']> }

export function Headline({ cve, guidance }: Guided) {
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
      <Facts cve={cve} guidance={guidance} />
      <Description text={cve.description} />
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

function Facts({ cve, guidance }: Guided) {
  const { kev, epss, ssvc, assigner, primary_cwe_id: weakness } = cve
  return (
    <dl class="facts headline panel">
      <Fact name="Severity" origin="severity">
        <Severity band={cve.severity} score={cve.cvss_score} />
        {cve.cvss_score_source === null ? null : <span class="dim"> from {sourceName(cve.cvss_score_source)}</span>}
      </Fact>
      <Fact name="KEV" origin="listed">
        {kev.listed ? (
          <>
            <Flag name="KEV" /> since <Day at={kev.date_added} />
          </>
        ) : (
          'not in KEV'
        )}
      </Fact>
      <Fact name="EPSS" origin="epss">
        {epss.score === null ? (
          <Unknown />
        ) : (
          <>
            <b>{formatShare(epss.score)}</b>
            {epss.percentile === null ? null : `, percentile ${formatShare(epss.percentile)}`}
            <span class="dim">
              {' '}
              on <Day at={epss.date} />
            </span>
          </>
        )}
      </Fact>
      <Fact name="SSVC" origin="ssvc">
        <Decision ssvc={ssvc} />
      </Fact>
      <Fact name="Weakness" origin="weakness">
        {weakness === null ? <Unknown /> : <a href={link(['cwes', weakness])}>{weakness.toUpperCase()}</a>}
      </Fact>
      <Fact name="CNA" origin="assigner">
        {assigner === null ? <Unknown /> : <a href={link(['cnas', nameKey(assigner) ?? assigner])}>{assigner}</a>}
      </Fact>
      <Fact name="Exploit" origin="exploit">
        <Known is={cve.has_exploit} />
      </Fact>
      <Fact name="Patch" origin="patch">
        <Known is={cve.has_patch} />
      </Fact>
      <Fact name="Workaround" origin="workaround">
        {cve.has_workaround ? (
          <a href={link(['cves', cve.cve_id], { section: statesWorkaround(guidance) ? 'guidance' : 'references' })}>
            <Known is />
          </a>
        ) : (
          <Known is={false} />
        )}
      </Fact>
      <Fact name="Detection" origin="detection">
        {detectionText(cve.detection_layers) || <Known is={cve.has_detection} />}
      </Fact>
      {guidance.nvd_status === null ? null : (
        <Fact name="NVD" origin="nvd">
          {guidance.nvd_status}
        </Fact>
      )}
      <Fact name="Published" origin="published">
        <Time at={cve.date_published} />
      </Fact>
      <Fact name="Updated" origin="updated">
        <Time at={cve.date_updated} />
      </Fact>
    </dl>
  )
}

/** Otherwise a reference has the tag `mitigation`. */
const statesWorkaround = ({ entries }: Guided['guidance']) => entries.some(({ workarounds }) => workarounds.length > 0)

function Fact({ name, origin: field, children }: { name: string; origin: OriginField; children: ComponentChildren }) {
  const origin = useOrigin(name, ORIGINS[field])
  return (
    <div>
      <dt>
        {name} {origin.button}
      </dt>
      <dd>
        {children}
        {origin.text}
      </dd>
    </div>
  )
}

function Known({ is }: { is: boolean }) {
  return is ? <b>known</b> : <span class="dim">none known</span>
}

function Decision({ ssvc }: { ssvc: CveSummary['ssvc'] }) {
  const points = [
    ['exploitation', ssvc.exploitation],
    ['automatable', ssvc.automatable],
    ['impact', ssvc.technical_impact],
  ].filter(([, value]) => value !== null)
  if (points.length === 0) return <Unknown />
  return (
    <>
      {ssvc.decision === null ? null : <b>{ssvc.decision} </b>}
      <span class="dim">{points.map(([name, value]) => `${name} ${value}`).join(' · ')}</span>
    </>
  )
}
