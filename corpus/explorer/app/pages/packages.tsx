/** `#/packages` and `#/packages/{ecosystem}/{name}` */
import { useState } from 'preact/hooks'
import { ECOSYSTEMS, hasReleases } from '../../../model/versions/ecosystems.ts'
import type { Affected, AffectedRow, PackageDetail, Page } from '../data/answers.ts'
import { useAnswer, usePages } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { AffectedRows, QuestionForm } from '../parts/affected-question.tsx'
import { Await, Failure } from '../parts/answer.tsx'
import { Elsewhere } from '../parts/elsewhere.tsx'
import { EntryCves } from '../parts/entry-cves.tsx'
import { type Column, EntryList, EntryTable } from '../parts/entry-list.tsx'
import { choices, type Filter } from '../parts/filter.ts'
import { formatCount } from '../parts/format.ts'
import { Heading } from '../parts/heading.tsx'
import { type Tab, Tabs, tabOf } from '../parts/tabs.tsx'
import { Facts, Names } from '../parts/texts.tsx'
import { Day, Unknown } from '../parts/values.tsx'
import { WatchToggle } from '../parts/watch.tsx'
import { go, link } from '../router.ts'

export default function PackagesPage({ path: [ecosystem, ...name], query }: PageProps) {
  if (ecosystem === undefined || name.length === 0) return <PackageList query={query} />
  // A name may contain a slash, as it is or as `%2F`.
  return <Package ecosystem={ecosystem} name={name.join('/')} query={query} />
}

type PackageRow = Pick<PackageDetail, 'ecosystem' | 'name' | 'purl' | 'advisory_count'>

const FILTERS: readonly Filter[] = [
  { kind: 'text', name: 'q', label: 'Name', hint: 'lodash' },
  {
    kind: 'choice',
    name: 'ecosystem',
    label: 'Ecosystem',
    options: choices(ECOSYSTEMS),
  },
]

const COLUMNS: readonly Column<PackageRow>[] = [
  {
    name: 'Package',
    kind: 'key',
    cell: ({ ecosystem, name }) => <a href={link(['packages', ecosystem, name])}>{name}</a>,
  },
  { name: 'Ecosystem', cell: ({ ecosystem }) => ecosystem },
  { name: 'Advisories', kind: 'number', cell: ({ advisory_count }) => formatCount(advisory_count) },
  {
    name: 'Package URL',
    kind: 'wide',
    cell: ({ purl }) => (purl === null ? <Unknown /> : <span class="id">{purl}</span>),
  },
]

function PackageList({ query }: { query: URLSearchParams }) {
  return (
    <EntryList<PackageRow>
      title="Packages"
      about={
        <>
          Packages that advisories name. To look up all packages of a lock file or SBOM, use{' '}
          <a href={link(['check'])}>Check</a>.
        </>
      }
      noun={['package', 'packages']}
      path="/packages"
      base={['packages']}
      query={query}
      filters={FILTERS}
      table={(rows) => (
        <EntryTable
          rows={rows}
          columns={COLUMNS}
          keyOf={({ ecosystem, name }) => `${ecosystem}/${name}`}
          caption="Packages"
        />
      )}
    >
      <QuestionForm />
    </EntryList>
  )
}

const TABS: readonly Tab[] = [
  ['advisories', 'Advisories'],
  ['cves', 'CVEs'],
]

function Package({ ecosystem, name, query }: { ecosystem: string; name: string; query: URLSearchParams }) {
  const answer = useAnswer<PackageDetail>(`/packages/${encodeURIComponent(ecosystem)}/${encodeURIComponent(name)}`)
  const tab = tabOf(TABS, query)
  const base = ['packages', ecosystem, name]
  const filter = { package: `${ecosystem}/${name}` }
  return (
    <>
      <Heading>{answer.data?.name ?? name}</Heading>
      {answer.error ? (
        <Failure error={answer.error} retry={answer.retry} />
      ) : (
        <>
          <WatchToggle kind="package" name={filter.package} />
          <Await answer={answer}>{(row) => <PackageFacts row={row} />}</Await>
          <Tabs tabs={TABS} base={base} current={tab} />
          {tab === 'cves' ? (
            <EntryCves params={filter} all={filter} base={base} query={query} />
          ) : (
            <Advisories ecosystem={ecosystem} name={name} base={base} query={query} />
          )}
        </>
      )}
    </>
  )
}

function linksOf({ ecosystem, name }: PackageDetail): [name: string, url: string][] {
  const [of, called] = [ecosystem, name].map(encodeURIComponent)
  return [
    ['osv.dev', `https://osv.dev/list?ecosystem=${of}&q=${called}`],
    ['GitHub', `https://github.com/advisories?query=${called}`],
  ]
}

function PackageFacts({ row }: { row: PackageDetail }) {
  return (
    <Facts
      facts={[
        [
          'Ecosystem',
          <a key="all" href={link(['packages'], { ecosystem: row.ecosystem })}>
            {row.ecosystem}
          </a>,
        ],
        [
          'Package URL',
          row.purl !== null && (
            <span key="purl" class="id">
              {row.purl}
            </span>
          ),
        ],
        ['Spellings', row.spellings.length > 1 && <Names key="names" names={row.spellings} />],
        ['Advisories', formatCount(row.advisory_count)],
        ['Newest advisory', <Day key="day" at={row.latest_advisory_at} />],
        ['Elsewhere', <Elsewhere key="elsewhere" links={linksOf(row)} />],
      ]}
    />
  )
}

/** All advisories, or those that affect a version. The version, and the release of a distribution, are in the address. */
function Advisories({
  ecosystem,
  name,
  base,
  query,
}: {
  ecosystem: string
  name: string
  base: string[]
  query: URLSearchParams
}) {
  const version = query.get('version')
  const release = query.get('release')
  const params = { ecosystem: release ? `${ecosystem}:${release}` : ecosystem, name, version }
  const pages = usePages<AffectedRow>('/affected', params)
  const first = pages.first as (Page<AffectedRow> & Pick<Affected, 'query'>) | null
  return (
    <section aria-labelledby="advisories">
      <h2 id="advisories">{version === null ? 'Advisories' : `Advisories that affect ${version}`}</h2>
      <VersionForm
        key={`${version} ${release}`}
        asked={{ version: version ?? '', release: release ?? '' }}
        hasRelease={hasReleases(ecosystem)}
        base={base}
      />
      <AffectedRows pages={pages} params={params} query={first?.query ?? null} />
    </section>
  )
}

function VersionForm({
  asked,
  hasRelease,
  base,
}: {
  asked: { version: string; release: string }
  hasRelease: boolean
  base: string[]
}) {
  const [version, setVersion] = useState(asked.version)
  const [release, setRelease] = useState(asked.release)
  const submit = (event: Event) => {
    event.preventDefault()
    go(link(base, { version: version.trim(), release: release.trim() }))
  }
  return (
    <form class="controls" aria-label="Version" onSubmit={submit}>
      <label>
        Which version do you run?
        <input
          type="text"
          placeholder="1.0.0"
          value={version}
          onInput={({ currentTarget }) => setVersion(currentTarget.value)}
        />
      </label>
      {hasRelease ? (
        <label>
          Distribution release
          <input
            type="text"
            placeholder="12"
            value={release}
            onInput={({ currentTarget }) => setRelease(currentTarget.value)}
          />
        </label>
      ) : null}
      <button type="submit">Look up</button>
      {asked.version === '' && asked.release === '' ? null : <a href={link(base)}>All advisories</a>}
    </form>
  )
}
