/** `#/capecs` and `#/capecs/{capecId}` */
import { CAPEC_SEVERITIES } from '../../../model/closed-values.ts'
import { useAnswer } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { Await } from '../parts/answer.tsx'
import { AlternateTerms, type AttackPattern, Consequences, Related, Taxonomies } from '../parts/catalog.tsx'
import { type Column, EntryList, EntryTable } from '../parts/entry-list.tsx'
import { choices, type Filter, sortFilter } from '../parts/filter.ts'
import { Heading } from '../parts/heading.tsx'
import { Bullets, Facts, Paragraphs, Part } from '../parts/texts.tsx'
import { Day, ExternalLink, Unknown } from '../parts/values.tsx'
import { link } from '../router.ts'

export default function CapecsPage({ path: [id], query }: PageProps) {
  return id === undefined ? <CapecList query={query} /> : <Capec id={id} />
}

interface CapecRow {
  capec_id: number
  capec_id_string: string
  name: string | null
  abstraction: string | null
  status: string | null
  likelihood_of_attack: string | null
  typical_severity: string | null
  related_weaknesses: { id: string; display: string; name: string | null }[]
}

const FILTERS: readonly Filter[] = [
  { kind: 'text', name: 'q', label: 'Name or description', hint: 'injection' },
  {
    kind: 'choice',
    name: 'severity',
    label: 'Typical severity',
    options: choices(CAPEC_SEVERITIES),
  },
  {
    kind: 'choice',
    name: 'status',
    label: 'Status',
    options: choices(['Stable', 'Usable', 'Draft', 'Obsolete', 'Deprecated']),
  },
  sortFilter([
    ['id', 'by number'],
    ['name', 'by name'],
    ['-severity', 'highest severity first'],
  ]),
]

const COLUMNS: readonly Column<CapecRow>[] = [
  {
    name: 'Pattern',
    kind: 'key',
    cell: ({ capec_id, capec_id_string }) => (
      <a class="id" href={link(['capecs', String(capec_id)])}>
        {capec_id_string}
      </a>
    ),
  },
  { name: 'Name', kind: 'wide', cell: ({ name }) => name ?? <Unknown /> },
  { name: 'Typical severity', cell: ({ typical_severity }) => typical_severity ?? <Unknown /> },
  { name: 'Likelihood', cell: ({ likelihood_of_attack }) => likelihood_of_attack ?? <Unknown /> },
  { name: 'Abstraction', cell: ({ abstraction }) => abstraction ?? <Unknown /> },
  { name: 'Status', kind: 'status', cell: ({ status }) => status ?? <Unknown /> },
  { name: 'Weaknesses', kind: 'list', cell: (row) => <WeaknessLinks weaknesses={row.related_weaknesses} /> },
]

function WeaknessLinks({ weaknesses }: { weaknesses: CapecRow['related_weaknesses'] }) {
  if (weaknesses.length === 0) return <span class="dim">none</span>
  return (
    <span class="ids row">
      {weaknesses.map(({ id, display, name }) => (
        <a key={id} class="id" href={link(['cwes', id])} title={name ?? undefined}>
          {display}
        </a>
      ))}
    </span>
  )
}

function CapecList({ query }: { query: URLSearchParams }) {
  return (
    <EntryList<CapecRow>
      title="Attack patterns"
      about="The CAPEC catalog of MITRE: common attacks on weaknesses."
      noun={['attack pattern', 'attack patterns']}
      path="/capecs"
      base={['capecs']}
      query={query}
      filters={FILTERS}
      table={(rows) => (
        <EntryTable
          rows={rows}
          columns={COLUMNS}
          keyOf={({ capec_id_string }) => capec_id_string}
          caption="Attack patterns"
        />
      )}
    />
  )
}

function Capec({ id }: { id: string }) {
  const answer = useAnswer<AttackPattern>(`/capecs/${encodeURIComponent(id)}`)
  const { data } = answer
  const title = data ? `${data.display}: ${data.name ?? 'without a name'}` : `CAPEC-${id.replace(/^capec-/i, '')}`
  return (
    <>
      <Heading>{title}</Heading>
      <Await answer={answer}>{(entry) => <Entry entry={entry} />}</Await>
    </>
  )
}

function Entry({ entry }: { entry: AttackPattern }) {
  return (
    <>
      <Paragraphs texts={[entry.description]} />
      <Facts
        facts={[
          ['Typical severity', entry.severity],
          ['Likelihood of attack', entry.likelihood],
          ['Abstraction', entry.abstraction],
          ['Status', entry.status],
          [
            'Catalog',
            <ExternalLink key="url" url={`https://capec.mitre.org/data/definitions/${entry.numeric_id}.html`}>
              CAPEC {entry.catalog_version}
            </ExternalLink>,
          ],
          ['Updated', <Day key="day" at={entry.updated_at} />],
        ]}
      />
      <Part title="Extended description" of={entry.extended_description}>
        <Paragraphs texts={entry.extended_description} />
      </Part>
      <AlternateTerms terms={entry.alternate_terms} />
      <Part title="Execution flow" of={entry.execution_flow}>
        <ol class="steps">
          {entry.execution_flow.map(({ step, phase, description, techniques }) => (
            <li key={step} value={step}>
              {phase === null ? null : <b>{phase}. </b>}
              {description}
              <Bullets items={techniques} />
            </li>
          ))}
        </ol>
      </Part>
      <Texts title="Prerequisites" texts={entry.prerequisites} />
      <Texts title="Skills" texts={entry.skills} />
      <Texts title="Resources" texts={entry.resources} />
      <Consequences consequences={entry.consequences} />
      <Texts title="Mitigations" texts={entry.mitigations} />
      <Part title="Examples" of={entry.examples}>
        <Paragraphs texts={entry.examples} />
      </Part>
      <Part title="Weaknesses" of={entry.related_weaknesses}>
        <Related
          entries={entry.related_weaknesses.map(({ id, display, name }) => ({
            nature: '',
            id: display,
            name,
            href: link(['cwes', id]),
          }))}
        />
      </Part>
      <Part title="Related attack patterns" of={entry.related_attack_patterns}>
        <Related
          entries={entry.related_attack_patterns.map(({ nature, capec_id, slug, name }) => ({
            nature,
            id: capec_id,
            name,
            href: link(['capecs', slug]),
          }))}
        />
      </Part>
      <Taxonomies mappings={entry.taxonomy_mappings} />
    </>
  )
}

function Texts({ title, texts }: { title: string; texts: readonly string[] }) {
  return (
    <Part title={title} of={texts}>
      <Bullets items={texts} />
    </Part>
  )
}
