/** The choice of the columns of tables of CVEs. */
import { kept } from '../data/kept.ts'
import { CHANGE_COLUMN, columnsInOrder } from './change-column.ts'
import { CVE_COLUMNS, DEFAULT_COLUMNS, defaultColumns } from './cve-columns.tsx'

const chosenColumns = kept(() => localStorage, 'vulnshelf.columns')

/** Returns the columns of the address, else those chosen last in this browser, else the default. */
export function columnsOf(query: URLSearchParams): readonly string[] {
  const stated = query.get('columns') ?? chosenColumns.read()
  const columns = stated === null ? defaultColumns(query.get('kev')) : stated.split(',').map((name) => name.trim())
  return columnsInOrder(columns, query.get('sort') ?? undefined)
}

interface ColumnsProps {
  columns: readonly string[]
  /** Whether rows can have the change of the EPSS score. Default: true. */
  hasChange?: boolean
  /** Sets the parameter `columns` of the address; null removes it. */
  change(columns: string | null): void
}

export function ColumnChoice({ columns, hasChange = true, change }: ColumnsProps) {
  const offered = CVE_COLUMNS.filter(({ name }) => hasChange || name !== CHANGE_COLUMN)
  const choose = (names: readonly string[]) => {
    chosenColumns.store(names.join(','))
    change(names.join(',') === DEFAULT_COLUMNS.join(',') ? null : names.join(',') || 'none')
  }
  return (
    <details name="list-tools">
      <summary>Columns</summary>
      <fieldset class="choice">
        <legend class="for-reader">Columns</legend>
        {offered.map(({ name, label }) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={columns.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                choose(
                  CVE_COLUMNS.map((column) => column.name).filter((one) =>
                    one === name ? checked : columns.includes(one),
                  ),
                )
              }
            />
            {label}
          </label>
        ))}
        <button
          type="button"
          onClick={() => {
            chosenColumns.forget()
            change(null)
          }}
        >
          Default columns
        </button>
      </fieldset>
    </details>
  )
}
