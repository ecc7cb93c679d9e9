/** `#/cves`: the list of CVEs with its filters. */
import { useId } from 'preact/hooks'
import type { CveRow } from '../../data/answers.ts'
import { isOfCursor, usePages, useShownRows } from '../../data/use.ts'
import type { PageProps } from '../../pages.ts'
import { Failure, ListEnd } from '../../parts/answer.tsx'
import { fieldsOf } from '../../parts/change-column.ts'
import { ColumnChoice, columnsOf } from '../../parts/column-choice.tsx'
import { CveTable } from '../../parts/cve-table.tsx'
import { Heading } from '../../parts/heading.tsx'
import { ListTools } from '../../parts/list-tools.tsx'
import { LoadingProgress } from '../../parts/progress.tsx'
import { go, link } from '../../router.ts'
import { FilterForm } from './filter-form.tsx'
import { changed, chipsOf, DEFAULT_SORT, FILTERS, paramsOf, SORTS } from './filters.ts'

export default function CveList({ query }: PageProps) {
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
      <ListTools pages={pages} path="/cves" params={{ ...params, fields }} noun={['CVE', 'CVEs']}>
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
        {/* The address stays the same when the default is chosen, and columns of the last visit are shown. */}
        <ColumnChoice columns={columns} change={(names) => change({ columns: names }, true)} />
      </ListTools>
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
