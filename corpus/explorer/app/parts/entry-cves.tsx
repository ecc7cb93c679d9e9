/** The CVEs of an entry, with quick filters. */
import type { CveSummary } from '../data/answers.ts'
import type { Params } from '../data/api.ts'
import { usePages } from '../data/use.ts'
import { link } from '../router.ts'
import { defaultColumns } from './cve-columns.tsx'
import { CveTable } from './cve-table.tsx'
import { PagedTable } from './entry-list.tsx'
import { CVE_FILTERS, CVE_SORT, type Filter, filterParams } from './filter.ts'
import { Filters } from './filters.tsx'

export function EntryCves({
  path = '/cves',
  params = {},
  filters = [],
  all,
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
  base: readonly string[]
  query: URLSearchParams
}) {
  const controls = [...filters, ...CVE_FILTERS, CVE_SORT]
  const chosen = filterParams(controls, query)
  const pages = usePages<CveSummary>(path, { ...params, ...chosen })
  const { severity, kev, sort } = chosen
  const isFiltered = Object.entries(chosen).some(([name, value]) => value && name !== 'sort')
  const [first] = pages.rows
  const same = typeof all === 'function' ? first && all(first) : all
  return (
    <section aria-labelledby="cves-of">
      <h2 id="cves-of">CVEs</h2>
      <Filters filters={controls} base={base} query={query} label="Filters of the CVEs" />
      {same ? (
        <p>
          <a href={link(['cves'], { ...same, severity, kev, sort })}>Show these CVEs in the list of CVEs</a>
        </p>
      ) : null}
      <PagedTable
        pages={pages}
        empty={isFiltered ? 'No CVE matches the filters. Remove a filter.' : 'The snapshot has none of its CVEs.'}
      >
        {(rows) => <CveTable rows={rows as CveSummary[]} caption="CVEs" columns={defaultColumns(kev)} />}
      </PagedTable>
    </section>
  )
}
