/** `#/cves`: the list of CVEs with its filters. */
import { useId } from 'preact/hooks'
import type { CveRow, Snapshot } from '../../data/answers.ts'
import { isOfCursor, useAnswer, usePages, useSession, useShownRows } from '../../data/use.ts'
import { Failure, ListEnd } from '../../parts/answer.tsx'
import { fieldsOf } from '../../parts/change-column.ts'
import { CveTable } from '../../parts/cve-table.tsx'
import { formatCount } from '../../parts/format.ts'
import { Heading } from '../../parts/heading.tsx'
import { LoadingProgress } from '../../parts/progress.tsx'
import { go, link } from '../../router.ts'
import { FilterForm } from './filter-form.tsx'
import { changed, chipsOf, DEFAULT_SORT, FILTERS, paramsOf, SORTS } from './filters.ts'
import { ApiRequest, ColumnChoice, columnsOf, Export } from './tools.tsx'

export function CveList({ query }: { query: URLSearchParams }) {
  const { api } = useSession()
  const columns = columnsOf(query)
  const params = paramsOf(query)
  const fields = fieldsOf(columns)
  const pages = usePages<CveRow>('/cves', { ...params, fields })
  const { rows, isStale } = useShownRows(pages)
  const change = (values: Record<string, string | null>, isTyping = false) =>
    go(link(['cves'], changed(query, values)), { replace: isTyping })
  const sort = params.sort ?? DEFAULT_SORT
  const chips = chipsOf(query)
  const failure = pages.error
  const failureId = useId()
  return (
    <>
      <Heading title="CVEs">CVEs</Heading>
      <FilterForm query={query} change={change} failure={failure} failureId={failureId} />
      {chips.length === 0 ? null : (
        <ul class="chips" aria-label="Active filters">
          {chips.map(({ text, rest }) => (
            <li key={text}>
              <button type="button" onClick={() => change(rest)}>
                <span>{text}</span>
                <span aria-hidden="true"> ×</span>
                <span class="for-reader"> – remove</span>
              </button>
            </li>
          ))}
          <li>
            <button
              type="button"
              class="plain"
              onClick={() => change(Object.fromEntries(FILTERS.map(({ name }) => [name, null])))}
            >
              Clear all
            </button>
          </li>
        </ul>
      )}
      <div class="list-tools">
        <Count
          count={pages.rows.length}
          isEnd={pages.more === null && !pages.loading && failure === null}
          isAll={chips.length === 0}
        />
        <label class="sort-choice">
          Sort
          <select value={sort} onChange={({ currentTarget }) => change({ sort: currentTarget.value })}>
            {SORTS.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <details name="list-tools">
          <summary>Columns</summary>
          {/* The address stays the same when the default is chosen, and columns of the last visit are shown. */}
          <ColumnChoice columns={columns} change={(values) => change(values, true)} />
        </details>
        <details name="list-tools">
          <summary>Export</summary>
          <Export key={JSON.stringify([params, fields])} params={params} fields={fields} />
        </details>
        {api.mode === 'gateway' ? (
          <details name="list-tools">
            <summary>API request</summary>
            <ApiRequest params={{ ...params, fields }} />
          </details>
        ) : null}
      </div>
      {isStale ? <LoadingProgress isQuiet={rows.length > 0} /> : null}
      {rows.length > 0 ? (
        <div class={isStale ? 'stale' : undefined} aria-busy={isStale}>
          <CveTable rows={rows} caption="CVEs" columns={columns} sort={sort} onSort={(key) => change({ sort: key })} />
        </div>
      ) : null}
      {failure?.status === 400 && !isOfCursor(failure) ? (
        <Failure id={failureId} error={failure} />
      ) : isStale ? null : (
        <ListEnd pages={pages} empty="No CVE matches all filters. Remove a filter." />
      )}
    </>
  )
}

/** The number of rows that are shown; of all CVEs if there is no filter. */
function Count({ count, isEnd, isAll }: { count: number; isEnd: boolean; isAll: boolean }) {
  const snapshot = useAnswer<Snapshot>(isAll && !isEnd ? '/snapshot' : null)
  const total = isEnd ? count : isAll ? snapshot.data?.counts.cves : undefined
  return (
    <p class="count" role="status">
      {count === 0 && !isEnd
        ? null
        : total === undefined
          ? `${formatCount(count)} CVEs shown`
          : isEnd
            ? `${formatCount(count)} ${count === 1 ? 'CVE' : 'CVEs'}`
            : `${formatCount(count)} of ${formatCount(total)} CVEs shown`}
    </p>
  )
}
