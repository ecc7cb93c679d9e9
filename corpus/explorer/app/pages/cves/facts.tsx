/** The facts at the side of a CVE: its listing in KEV, scores, weakness, CNA and dates, with the origin of each. */
import type { ComponentChildren } from 'preact'
import { nameKey } from '../../../../model/affected/products.ts'
import type { CnaDetail, CveSummary, CweEntry } from '../../data/answers.ts'
import { useAnswer, useSession } from '../../data/use.ts'
import { detectionText } from '../../parts/cve-columns.tsx'
import { formatShare } from '../../parts/format.ts'
import { useOrigin } from '../../parts/origin.tsx'
import { catalogName } from '../../parts/sources.ts'
import { InSteps, LongText } from '../../parts/steps.tsx'
import { Facts } from '../../parts/texts.tsx'
import { Day, Time, Unknown } from '../../parts/values.tsx'
import { link } from '../../router.ts'
import type { Cve } from './cve.tsx'
import { ORIGINS, type OriginField } from './origin.ts'

/** Names that are loaded for a record, so that nothing moves when they arrive. */
export interface Names {
  weakness: string | null
  cna: string | null
  areLoading: boolean
}

/**
 * Asks a gateway for the names of the weakness and of the CNA. Without them, their ids are shown: a reader of a snapshot
 * would need six more requests.
 */
export function useNames(cve: CveSummary | null): Names {
  const { api } = useSession()
  const named = api.mode === 'gateway' ? cve : null
  const weakness = named?.primary_cwe_id ?? null
  const cna = named?.assigner ? (nameKey(named.assigner) ?? named.assigner) : null
  const entry = useAnswer<Pick<CweEntry, 'name'>>(weakness && `/cwes/${weakness}`, { fields: 'name' })
  const detail = useAnswer<CnaDetail>(cna && `/cnas/${encodeURIComponent(cna)}`)
  return {
    weakness: entry.data?.name ?? null,
    cna: detail.data?.cna_name ?? null,
    areLoading: entry.loading || detail.loading,
  }
}

export function SideFacts({ cve, names }: { cve: Cve; names: Names }) {
  const { epss, ssvc, assigner, primary_cwe_id: weakness, guidance } = cve
  const credits = guidance.entries.flatMap((entry) => entry.credits)
  const finders = credits.filter(({ type }) => type === 'finder' || type === 'reporter')
  return (
    <>
      <KevBox catalogs={cve.kev_detail.catalogs} />
      <dl class="side-facts">
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
          {weakness === null ? (
            <Unknown />
          ) : (
            <>
              <a href={link(['cwes', weakness])}>{weakness.toUpperCase()}</a> {names.weakness}
            </>
          )}
        </Fact>
        <Fact name="CNA" origin="assigner">
          {assigner === null ? (
            <Unknown />
          ) : (
            <a href={link(['cnas', nameKey(assigner) ?? assigner])}>{names.cna ?? assigner}</a>
          )}
        </Fact>
        {credits.length === 0 ? null : (
          <Fact name="Reported by" origin="credits">
            <InSteps items={finders.length > 0 ? finders : credits} first={FIRST_CREDITS} noun="credits">
              {(shown) => <LongText text={shown.map(({ name }) => name).join('\n')} first={200} />}
            </InSteps>
          </Fact>
        )}
        <Fact name="Detection" origin="detection">
          {detectionText(cve.detection_layers) || (cve.has_detection ? 'known' : <span class="dim">none known</span>)}
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
    </>
  )
}

const FIRST_CREDITS = 3

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

/** What CISA requires, else the first catalog that lists the CVE. */
function KevBox({ catalogs }: { catalogs: Cve['kev_detail']['catalogs'] }) {
  const origin = useOrigin('the listing', ORIGINS.listed)
  const entry = catalogs.find(({ catalog }) => catalog === 'cisa') ?? catalogs[0]
  if (!entry) return null
  const { date_added, due_date, ransomware, required_action: action } = entry
  return (
    <section class="panel kev-box" aria-label={catalogName(entry.catalog)}>
      <p>
        <strong>In {catalogName(entry.catalog)}</strong> {origin.button}
      </p>
      {origin.text}
      <Facts
        facts={[
          ['Added', date_added !== null && <Day key="added" at={date_added} />],
          ['Due', due_date !== null && <Day key="due" at={due_date} />],
          ['Ransomware', ransomware !== null && (ransomware === 'known' ? <b key="use">known use</b> : 'no known use')],
        ]}
      />
      {action === null ? null : <LongText text={action} first={160} />}
    </section>
  )
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
