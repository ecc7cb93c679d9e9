/** The CVEs of an entry, with quick filters. */
import { useRef } from 'preact/hooks'
import type { CveRow, CveSummary } from '../data/answers.ts'
import type { Params } from '../data/api.ts'
import { usePages } from '../data/use.ts'
import { go, link } from '../router.ts'
import { CHANGE_COLUMN, fieldsOf } from './change-column.ts'
import { ColumnChoice, columnsOf } from './column-choice.tsx'
import { CveSplit } from './cve-split.tsx'
import { CveTable } from './cve-table.tsx'
import { PagedTable } from './entry-list.tsx'
import { CVE_FILTERS, CVE_SORT, type Filter, filterParams } from './filter.ts'
import { Filters } from './filters.tsx'
import { ListTools } from './list-tools.tsx'

export function EntryCves({
  path = '/cves',
  params = {},
  filters = [],
  all,
  hasSplit = true,
  base,
  query,
}: {
  path?: string
  /** Parameters that name the entry. */
  params?: Params
  /** Filters in addition to severity, KEV and sort. */
  filters?: readonly Filter[]
  /** The parameters of `#/cves` with the same CVEs, or how a CVE states them. Null if there are none. */
  all: Params | ((row: CveSummary) => Params) | null
  /** Whether the figures of the CVEs are shown. Default: true. */
  hasSplit?: boolean
  base: readonly string[]
  query: URLSearchParams
}) {
  const controls = [...filters, ...CVE_FILTERS, CVE_SORT]
  const chosen = filterParams(controls, query)
  // Only rows of `/cves` have the change of the EPSS score.
  const hasChange = path === '/cves'
  const columns = columnsOf(query).filter((name) => hasChange || name !== CHANGE_COLUMN)
  const asked = { ...params, ...chosen, fields: fieldsOf(columns) }
  const pages = usePages<CveRow>(path, asked)
  const { severity, kev, sort } = chosen
  const isFiltered = Object.entries(chosen).some(([name, value]) => value && name !== 'sort')
  const [first] = pages.rows
  const stated = typeof all === 'function' ? first && all(first) : all
  // A filter can leave no row that states it.
  const latest = useRef<{ path: string; same: Params }>(undefined)
  if (stated) latest.current = { path, same: stated }
  const same = stated ?? (latest.current?.path === path ? latest.current.same : null)
  return (
    <section aria-labelledby="cves-of">
      <h2 id="cves-of">CVEs</h2>
      {hasSplit && all !== null && (same || pages.loading) ? <CveSplit of={same} /> : null}
      <Filters filters={controls} base={base} query={query} label="Filters of the CVEs" />
      {same ? (
        <p>
          <a href={link(['cves'], { ...same, severity, kev, sort })}>Show these CVEs in the list of CVEs</a>
        </p>
      ) : null}
      <ListTools pages={pages} path={path} params={asked} noun={['CVE', 'CVEs']}>
        <ColumnChoice
          columns={columns}
          hasChange={hasChange}
          change={(names) => go(link(base, { ...Object.fromEntries(query), columns: names }), { replace: true })}
        />
      </ListTools>
      <PagedTable
        pages={pages}
        empty={isFiltered ? 'No CVE matches the filters. Remove a filter.' : 'The snapshot has none of its CVEs.'}
      >
        {(rows) => <CveTable rows={rows} caption="CVEs" columns={columns} />}
      </PagedTable>
    </section>
  )
}
