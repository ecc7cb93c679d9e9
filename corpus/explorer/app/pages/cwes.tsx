/** `#/cwes` and `#/cwes/{cweId}` */
import { CWE_ABSTRACTIONS, CWE_LIKELIHOODS } from '../../../model/closed-values.ts'
import { useAnswer } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { Await, Waiting } from '../parts/answer.tsx'
import { AlternateTerms, Consequences, Related, Taxonomies, type Weakness } from '../parts/catalog.tsx'
import { EntryCves } from '../parts/entry-cves.tsx'
import { type Column, EntryList, EntryTable } from '../parts/entry-list.tsx'
import { choices, type Filter, sortFilter } from '../parts/filter.ts'
import { formatCount } from '../parts/format.ts'
import { Heading } from '../parts/heading.tsx'
import { Folded } from '../parts/steps.tsx'
import { type Tab, Tabs, tabOf } from '../parts/tabs.tsx'
import { Bullets, Facts, Paragraphs, Part } from '../parts/texts.tsx'
import { CveLink, Day, ExternalLink } from '../parts/values.tsx'
import { link } from '../router.ts'

export default function CwesPage({ path: [id], query }: PageProps) {
  return id === undefined ? <CweList query={query} /> : <Cwe id={id} query={query} />
}

interface CweRow {
  cwe_id: string
  slug: string
  name: string
  abstraction: string
  status: string
  likelihood: string | null
  cve_count: number
  kev_count: number
}

const FILTERS: readonly Filter[] = [
  { kind: 'text', name: 'q', label: 'Id or name', hint: 'injection' },
  {
    kind: 'choice',
    name: 'abstraction',
    label: 'Abstraction',
    options: choices(CWE_ABSTRACTIONS),
  },
  {
    kind: 'choice',
    name: 'status',
    label: 'Status',
    options: choices(['Stable', 'Usable', 'Draft', 'Incomplete', 'Obsolete', 'Deprecated']),
  },
  {
    kind: 'choice',
    name: 'likelihood',
    label: 'Likelihood of exploitation',
    options: choices(CWE_LIKELIHOODS),
  },
  sortFilter([
    ['-cves', 'most CVEs first'],
    ['id', 'by number'],
    ['name', 'by name'],
  ]),
]

const COLUMNS: readonly Column<CweRow>[] = [
  {
    name: 'Weakness',
    kind: 'key',
    cell: ({ cwe_id, slug }) => (
      <a class="id" href={link(['cwes', slug])}>
        {cwe_id}
      </a>
    ),
  },
  { name: 'Name', kind: 'wide', cell: ({ name }) => name },
  { name: 'CVEs', kind: 'number', cell: ({ cve_count }) => formatCount(cve_count) },
  { name: 'In KEV', kind: 'number', cell: ({ kev_count }) => formatCount(kev_count) },
  { name: 'Abstraction', cell: ({ abstraction }) => abstraction },
  { name: 'Likelihood', cell: ({ likelihood }) => likelihood ?? <span class="dim">not stated</span> },
  { name: 'Status', kind: 'status', cell: ({ status }) => status },
]

function CweList({ query }: { query: URLSearchParams }) {
  return (
    <EntryList<CweRow>
      title="Weaknesses"
      about="The CWE catalog of MITRE, with the number of CVEs that any source maps to each weakness."
      noun={['weakness', 'weaknesses']}
      path="/cwes"
      base={['cwes']}
      query={query}
      filters={FILTERS}
      table={(rows) => <EntryTable rows={rows} columns={COLUMNS} keyOf={({ slug }) => slug} caption="Weaknesses" />}
    />
  )
}

const TABS: readonly Tab[] = [
  ['entry', 'Entry'],
  ['cves', 'CVEs'],
]

const SCOPE: Filter = {
  kind: 'choice',
  name: 'scope',
  label: 'Mapped as',
  options: [
    ['primary', 'primary'],
    ['any', 'primary or other'],
  ],
}

function Cwe({ id, query }: { id: string; query: URLSearchParams }) {
  const path = `/cwes/${encodeURIComponent(id)}`
  const answer = useAnswer<Weakness>(path)
  const { data } = answer
  const tab = tabOf(TABS, query)
  const base = ['cwes', id]
  return (
    <>
      <Heading>{data ? `${data.cwe_id}: ${data.name}` : id.toUpperCase()}</Heading>
      <Waiting answers={[answer]} />
      <Tabs tabs={TABS} base={base} current={tab} />
      {tab === 'entry' ? (
        <Await answer={answer}>{(entry) => <Entry entry={entry} />}</Await>
      ) : (
        <EntryCves
          path={`${path}/cves`}
          filters={[SCOPE]}
          all={query.get('scope') === 'any' ? null : { cwe: id }}
          base={base}
          query={query}
        />
      )}
    </>
  )
}

function Entry({ entry }: { entry: Weakness }) {
  return (
    <>
      <Paragraphs texts={[entry.description]} />
      <Facts
        facts={[
          ['Abstraction', entry.abstraction],
          ['Structure', entry.structure],
          ['Status', entry.status],
          ['Likelihood of exploitation', entry.likelihood],
          [
            'Platforms',
            entry.platforms
              .map(({ label, items }) => {
                const names = items.map(({ name, prevalence }) =>
                  prevalence === null ? name : `${name} (${prevalence})`,
                )
                return `${label}: ${names.join(', ')}`
              })
              .join('; '),
          ],
          [
            'Catalog',
            <ExternalLink key="url" url={`https://cwe.mitre.org/data/definitions/${entry.numeric_id}.html`}>
              CWE {entry.catalog_version}
            </ExternalLink>,
          ],
          ['Updated', <Day key="day" at={entry.updated_at} />],
        ]}
      />
      <Part title="Extended description" of={[...entry.extended_description, ...entry.background]}>
        <Paragraphs texts={entry.extended_description} />
        {entry.background.length > 0 ? <h3>Background</h3> : null}
        <Paragraphs texts={entry.background} />
      </Part>
      <AlternateTerms terms={entry.alternate_terms} />
      <Consequences consequences={entry.consequences} />
      <Part title="Related weaknesses" of={entry.relationships}>
        <Related
          entries={entry.relationships.map(({ nature, cwe_id, slug, name }) => ({
            nature,
            id: cwe_id,
            name,
            href: link(['cwes', slug]),
          }))}
        />
      </Part>
      <Part title="Attack patterns" of={entry.attack_patterns_detailed}>
        <Related
          entries={entry.attack_patterns_detailed.map(({ capec_id, slug, name }) => ({
            nature: '',
            id: capec_id,
            name,
            href: link(['capecs', slug]),
          }))}
        />
      </Part>
      <Part title="Mitigations" of={entry.mitigations}>
        {entry.mitigations.map((one, i) => (
          <section key={i} class="item">
            <h3>{[one.strategy, one.phases.join(', ')].filter(Boolean).join(' · ') || 'Mitigation'}</h3>
            <Prose {...one} />
          </section>
        ))}
      </Part>
      <Part title="Detection" of={entry.detection_methods}>
        {entry.detection_methods.map((one, i) => (
          <section key={i} class="item">
            <h3>{one.method}</h3>
            <Prose {...one} />
          </section>
        ))}
      </Part>
      <Part title="Introduced in" of={entry.modes_of_introduction}>
        <Bullets
          items={entry.modes_of_introduction.map(({ phase, note }) => (
            <>
              <b>{phase}</b>
              {note === null ? null : `: ${note}`}
            </>
          ))}
        />
      </Part>
      <Part title="Examples" of={entry.demonstrative_examples}>
        {entry.demonstrative_examples.map((example, i) => (
          <Example key={i} number={i + 1} example={example} />
        ))}
      </Part>
      <Part title="Observed in" of={entry.observed_examples}>
        <Bullets
          items={entry.observed_examples.map(({ cve_id, description, link: url }) => (
            <>
              {/^CVE-\d{4}-\d+$/.test(cve_id) ? <CveLink id={cve_id} /> : cve_id}
              {description === null ? null : `: ${description} `}
              {url === null ? null : <ExternalLink url={url}>Source</ExternalLink>}
            </>
          ))}
        />
      </Part>
      <Taxonomies mappings={entry.taxonomy_mappings} />
    </>
  )
}

type ExampleEntry = Weakness['demonstrative_examples'][number]

function Example({ number, example: { intro, snippets, body } }: { number: number; example: ExampleEntry }) {
  return (
    <Folded class="item" summary={`Example ${number}${languagesOf(snippets)}`}>
      <Paragraphs texts={intro} />
      {snippets.map(({ code, language, nature }, n) => (
        <figure key={n} class={`snippet ${nature?.toLowerCase() ?? ''}`}>
          <figcaption>{[nature, language].filter(Boolean).join(' · ') || 'Code'}</figcaption>
          <pre>
            <code>{code}</code>
          </pre>
        </figure>
      ))}
      <Paragraphs texts={body} />
    </Folded>
  )
}

function languagesOf(snippets: ExampleEntry['snippets']): string {
  const languages = new Set(snippets.flatMap(({ language }) => language ?? []))
  return languages.size === 0 ? '' : ` (${[...languages].join(', ')})`
}

function Prose({
  paragraphs,
  bullets,
  effectiveness,
  effectiveness_notes,
}: Pick<Weakness['mitigations'][number], 'paragraphs' | 'bullets' | 'effectiveness' | 'effectiveness_notes'>) {
  return (
    <>
      <Paragraphs texts={paragraphs} />
      <Bullets items={bullets} />
      {effectiveness === null ? null : (
        <p class="prose dim">
          Effectiveness: {effectiveness}
          {effectiveness_notes === null ? null : `. ${effectiveness_notes}`}
        </p>
      )}
    </>
  )
}
