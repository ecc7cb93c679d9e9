/** A list of entries: title, controls, a table, endless pages. */
import type { ComponentChildren } from 'preact'
import type { Params } from '../data/api.ts'
import { type Pages, usePages, useShownRows } from '../data/use.ts'
import { ListEnd } from './answer.tsx'
import { type Filter, filterParams } from './filter.ts'
import { Filters } from './filters.tsx'
import { Heading } from './heading.tsx'
import { ListTools, type Noun } from './list-tools.tsx'
import { useSteadyColumns } from './steady-columns.ts'

export interface Column<T> {
  name: string
  /** `key`: the heading of the row. `wide` and `list` have a line of their own on phones, `wide` without its name. */
  kind?: 'key' | 'number' | 'short' | 'status' | 'wide' | 'list'
  cell(row: T): ComponentChildren
}

export function EntryTable<T>({
  rows,
  columns,
  keyOf,
  caption,
}: {
  rows: readonly T[]
  columns: readonly Column<T>[]
  keyOf(row: T): string
  caption: string
}) {
  const table = useSteadyColumns(`${rows.length === 0 ? '' : keyOf(rows[0]!)} ${columns.length}`)
  return (
    <div class="scroll">
      <table ref={table} class="rows cards">
        <caption class="for-reader">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, kind }) => (
              <th key={name} scope="col" class={kind}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, kind, cell }) =>
                kind === 'key' ? (
                  <th key={name} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={name} class={kind} data-label={name}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The rows of a list, and what follows them. */
export function PagedTable<T>({
  pages,
  empty,
  isEndless = true,
  children,
}: {
  pages: Pages<T>
  empty: string
  isEndless?: boolean
  children(rows: readonly T[]): ComponentChildren
}) {
  const { rows, isStale } = useShownRows(pages)
  return (
    <>
      {rows.length > 0 ? (
        <div class={isStale ? 'stale' : undefined} aria-busy={isStale}>
          {children(rows)}
        </div>
      ) : null}
      <ListEnd pages={pages} empty={empty} isEndless={isEndless} />
    </>
  )
}

export function EntryList<T>({
  title,
  about,
  noun,
  path,
  base,
  query,
  filters,
  fixed = {},
  table,
  children,
}: {
  title: string
  about?: ComponentChildren
  noun: Noun
  /** The path of the API. */
  path: string
  /** The path of the page. */
  base: readonly string[]
  query: URLSearchParams
  filters: readonly Filter[]
  /** Parameters that the address does not have. */
  fixed?: Params
  table(rows: readonly T[]): ComponentChildren
  children?: ComponentChildren
}) {
  const params = { ...filterParams(filters, query), ...fixed }
  const pages = usePages<T>(path, params)
  return (
    <>
      <Heading>{title}</Heading>
      {about === undefined ? null : <p class="about">{about}</p>}
      {children}
      <Filters filters={filters} base={base} query={query} />
      <ListTools pages={pages} path={path} params={params} noun={noun} />
      <PagedTable pages={pages} empty="No entry matches the filters. Remove a filter.">
        {table}
      </PagedTable>
    </>
  )
}
