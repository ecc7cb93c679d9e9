/** The entries of catalogs of exploited vulnerabilities, and the remediation deadlines. */
import type { CveDetail } from '../../data/answers.ts'
import { catalogName } from '../../parts/sources.ts'
import { InSteps, LongText } from '../../parts/steps.tsx'
import { Facts } from '../../parts/texts.tsx'
import { Day, ExternalLink, webUrl } from '../../parts/values.tsx'
import { type AssetDeadline, deadlineText, notesOf } from './deadline.ts'

type Detail = NonNullable<CveDetail['kev_detail']>
type Entry = Detail['catalogs'][number]

/** Catalogs and notes that are shown at first. */
const FIRST = 20

export function Kev({ detail: { catalogs, deadline } }: { detail: Detail }) {
  return (
    <>
      <InSteps items={catalogs} first={FIRST} noun="catalogs">
        {(shown) => shown.map((entry) => <OneCatalog key={entry.catalog} entry={entry} />)}
      </InSteps>
      <h3>Deadline by BOD 26-04</h3>
      <Facts
        facts={[
          ['Exposed to the internet', <Due key="exposed" assets={deadline.exposed} />],
          ['Not exposed', <Due key="not_exposed" assets={deadline.not_exposed} />],
        ]}
      />
    </>
  )
}

function Due({ assets }: { assets: AssetDeadline }) {
  return (
    <>
      {deadlineText(assets)}
      {assets.due_date === null ? null : (
        <span class="dim">
          {' '}
          due <Day at={assets.due_date} />, counted from the listing
        </span>
      )}
    </>
  )
}

function OneCatalog({ entry }: { entry: Entry }) {
  return (
    <>
      <h3>{catalogName(entry.catalog)}</h3>
      <Facts
        facts={[
          ['Name', entry.vulnerability_name],
          ['Vendor and product', [entry.vendor_project, entry.product].filter((name) => name !== null).join(' ')],
          ['Added', entry.date_added !== null && <Day key="added" at={entry.date_added} />],
          ['Due', entry.due_date !== null && <Day key="due" at={entry.due_date} />],
          ['Required action', entry.required_action !== null && <LongText key="action" text={entry.required_action} />],
          [
            'Ransomware',
            entry.ransomware === null ? null : entry.ransomware === 'known' ? 'known use' : 'no known use',
          ],
          ['Description', entry.short_description !== null && <LongText key="text" text={entry.short_description} />],
          ['Notes', entry.notes !== null && <Notes key="notes" text={entry.notes} />],
        ]}
      />
    </>
  )
}

function Notes({ text }: { text: string }) {
  return (
    <InSteps items={notesOf(text)} first={FIRST} noun="notes">
      {(shown) => (
        <ul class="plain-list">
          {shown.map((part) => (
            <li key={part}>{webUrl(part) === null ? part : <ExternalLink url={part} />}</li>
          ))}
        </ul>
      )}
    </InSteps>
  )
}
