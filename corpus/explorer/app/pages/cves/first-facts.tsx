/** What to do about a CVE: fix, workaround, deadline and exploit, each with a link to its details. */
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { CveDetail, CveSummary } from '../../data/answers.ts'
import { useSession } from '../../data/use.ts'
import { formatCount } from '../../parts/format.ts'
import { useOrigin } from '../../parts/origin.tsx'
import { shortVersion } from '../../parts/ranges.ts'
import { catalogName, sourceName } from '../../parts/sources.ts'
import { Day, Flag } from '../../parts/values.tsx'
import { link } from '../../router.ts'
import { deadlineText, isKnown } from './deadline.ts'
import { ORIGINS, type OriginField } from './origin.ts'
import { exploitationOf, fixOf } from './remedies.ts'
import { type SectionName, showSection } from './section.tsx'

type Parts = Required<Pick<CveDetail, 'guidance' | 'evidence' | 'kev_detail' | 'exploits'>>
type Cve = CveSummary & { [Part in keyof Parts]: NonNullable<Parts[Part]> }

export function FirstFacts({ cve }: { cve: Cve }) {
  return (
    <dl class="first-facts">
      <FixFact cve={cve} />
      <WorkaroundFact cve={cve} />
      <DeadlineFact cve={cve} />
      <ExploitFact cve={cve} />
    </dl>
  )
}

interface FirstFactProps {
  name: string
  origin: OriginField
  id: string
  /** The section with the details; null without one. */
  section: SectionName | null
  value: ComponentChildren
  /** Whether something is known. */
  isKnown: boolean
  children?: ComponentChildren
}

function FirstFact({ name, origin: field, id, section, value, isKnown, children }: FirstFactProps) {
  const origin = useOrigin(name, ORIGINS[field])
  return (
    <div class={isKnown ? undefined : 'none-known'}>
      <dt>
        {name} {origin.button}
      </dt>
      <dd>
        <p class="value">
          {section === null ? (
            value
          ) : (
            <a href={link(['cves', id], { section })} onClick={() => showSection(section)}>
              {value}
            </a>
          )}
        </p>
        {children}
        {origin.text}
      </dd>
    </div>
  )
}

/** Versions and products that are named. */
const NAMED = 3

const some = (texts: readonly string[]): string =>
  texts.length > NAMED
    ? `${texts.slice(0, NAMED).join(', ')} and ${formatCount(texts.length - NAMED)} more`
    : texts.join(', ')

function FixFact({ cve }: { cve: Cve }) {
  const { kind, versions, products, section } = useMemo(() => fixOf(cve), [cve])
  const value = {
    versions: some(versions.map(shortVersion)),
    commit: 'Commit',
    reference: 'Reference to a patch',
    none: 'None known',
  }[kind]
  return (
    <FirstFact name="Fix" origin="patch" id={cve.cve_id} section={section} value={value} isKnown={kind !== 'none'}>
      {products.length === 0 ? null : <p class="dim">of {some(products)}</p>}
      {kind === 'none' ? <p class="dim">No source states a fixed version or a patch.</p> : null}
    </FirstFact>
  )
}

/** Characters of a workaround. */
const EXCERPT = 140

function WorkaroundFact({ cve }: { cve: Cve }) {
  const stated = cve.guidance.entries.find(({ workarounds }) => workarounds.length > 0)
  const text = stated?.workarounds[0]?.replace(/\s+/g, ' ').trim() ?? ''
  const isStated = stated !== undefined
  const section = isStated ? 'guidance' : cve.has_workaround ? 'references' : null
  const value = isStated
    ? `By ${sourceName(stated.source)} ${stated.source_short_name}`
    : cve.has_workaround
      ? 'Reference to a mitigation'
      : 'None known'
  return (
    <FirstFact
      name="Workaround"
      origin="workaround"
      id={cve.cve_id}
      section={section}
      value={value}
      isKnown={section !== null}
    >
      {isStated ? <p class="dim">{text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text}</p> : null}
      {section === null ? <p class="dim">No source states one.</p> : null}
    </FirstFact>
  )
}

function DeadlineFact({ cve }: { cve: Cve }) {
  const { past } = useSession()
  const { catalogs, deadline } = cve.kev_detail
  const due = catalogs
    .filter(({ due_date }) => due_date !== null)
    .sort((a, b) => (a.due_date! < b.due_date! ? -1 : 1))[0]
  const isPassed = due !== undefined && past === null && due.due_date! < new Date().toISOString().slice(0, 10)
  const { exposed, not_exposed } = deadline
  const rule = isKnown(exposed) ? exposed : isKnown(not_exposed) ? not_exposed : null
  const isSet = catalogs.length > 0 || rule !== null
  return (
    <FirstFact
      name="Deadline"
      origin="kev"
      id={cve.cve_id}
      section={isSet ? 'kev' : null}
      value={due ? <Day at={due.due_date} /> : rule ? capital(deadlineText(rule)) : 'None known'}
      isKnown={isSet}
    >
      {due ? (
        <p class="dim">
          by {catalogName(due.catalog)}
          {isPassed ? ', passed' : null}
        </p>
      ) : null}
      <p class="dim">
        {rule
          ? `BOD 26-04, ${rule === exposed ? '' : 'not '}exposed to the internet${due ? `: ${deadlineText(rule)}` : ''}`
          : catalogs.length === 0
            ? 'No catalog lists it.'
            : null}
      </p>
    </FirstFact>
  )
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const MATURITY: Readonly<Record<number, string>> = {
  80: 'Exploited in the wild',
  60: 'Weaponized',
  40: 'Proof of concept',
}

function ExploitFact({ cve }: { cve: Cve }) {
  const found = useMemo(() => exploitationOf(cve), [cve])
  const value = found ? (MATURITY[found.maturity] ?? 'Known') : cve.has_exploit ? 'Known' : 'None known'
  const modules = cve.exploits.length
  return (
    <FirstFact
      name="Exploit"
      origin="exploit"
      id={cve.cve_id}
      section={found ? 'evidence' : modules > 0 ? 'exploits' : null}
      value={value}
      isKnown={found !== null || cve.has_exploit}
    >
      {found?.isRansomware ? (
        <p>
          <Flag name="ransomware" title="Known use in ransomware campaigns" />
        </p>
      ) : null}
      <p class="dim">
        {found
          ? [
              `${formatCount(found.items)} ${found.items === 1 ? 'observation' : 'observations'}`,
              ...(modules > 0 ? [`${formatCount(modules)} ${modules === 1 ? 'module' : 'modules'}`] : []),
            ].join(', ')
          : 'No source states one.'}
        {found && found.firstSeen !== null ? (
          <>
            , since <Day at={found.firstSeen} />
          </>
        ) : null}
      </p>
    </FirstFact>
  )
}
