/** Tools of the list: the choice of columns, exports, the request as a command. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Snapshot } from '../../data/answers.ts'
import { ApiFailure, type Params, target } from '../../data/api.ts'
import { apiBase } from '../../data/gateway.ts'
import { kept } from '../../data/kept.ts'
import { useSession } from '../../data/use.ts'
import { CHANGE_COLUMN, columnsInOrder } from '../../parts/change-column.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { CVE_COLUMNS, DEFAULT_COLUMNS, defaultColumns } from '../../parts/cve-columns.tsx'
import { formatCount } from '../../parts/format.ts'
import { saveFile } from '../../parts/save.ts'
import { type Format, fileName, headOf, lineOf, MOST_ROWS, walk } from './export.ts'
import { membersOf, paramsOf } from './filters.ts'

const chosenColumns = kept(() => localStorage, 'vulnshelf.columns')

/** Returns the columns of the address, else those chosen last in this browser, else the default. */
export function columnsOf(query: URLSearchParams): readonly string[] {
  const stated = query.get('columns') ?? chosenColumns.read()
  const columns = stated === null ? defaultColumns(query.get('kev')) : membersOf(stated)
  return columnsInOrder(columns, paramsOf(query).sort)
}

interface ColumnsProps {
  columns: readonly string[]
  change(values: Record<string, string | null>): void
}

export function ColumnChoice({ columns, change }: ColumnsProps) {
  const choose = (names: readonly string[]) => {
    chosenColumns.store(names.join(','))
    change({ columns: names.join(',') === DEFAULT_COLUMNS.join(',') ? null : names.join(',') || 'none' })
  }
  return (
    <fieldset class="choice">
      <legend class="for-reader">Columns</legend>
      {CVE_COLUMNS.map(({ name, label }) => (
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
          change({ columns: null })
        }}
      >
        Default columns
      </button>
    </fieldset>
  )
}

type ExportState =
  | { step: 'idle' }
  | { step: 'reading'; rows: number; waitS: number | null }
  | { step: 'done'; rows: number; isAll: boolean }
  | { step: 'failed'; message: string }

/** `fields` are those of the rows; null for the whole records. */
export function Export({ params, fields }: { params: Params; fields: readonly string[] | null }) {
  const { api, askToken } = useSession()
  const [state, setState] = useState<ExportState>({ step: 'idle' })
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [])

  const run = async (format: Format) => {
    stop.current = new AbortController()
    const { signal } = stop.current
    const hasChange = fields?.includes(CHANGE_COLUMN) ?? false
    const lines = [headOf(format, hasChange)]
    let rows = 0
    setState({ step: 'reading', rows, waitS: null })
    try {
      const { id } = await api.get<Snapshot>('/snapshot', {}, signal)
      const onWait = (waitS: number) => setState({ step: 'reading', rows, waitS })
      const pages = walk(api, { ...params, fields }, { signal, onWait })
      let page = await pages.next()
      for (; !page.done; page = await pages.next()) {
        for (const row of page.value) lines.push(lineOf(row, format, hasChange))
        rows += page.value.length
        setState({ step: 'reading', rows, waitS: null })
      }
      saveFile(new Blob(lines), fileName(id, params, format))
      setState({ step: 'done', rows, isAll: page.value })
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ApiFailure && error.status === 401) askToken()
      setState({ step: 'failed', message: error instanceof Error ? error.message : String(error) })
    }
  }
  const cancel = () => {
    stop.current?.abort()
    setState({ step: 'idle' })
  }
  return (
    <>
      <p class="dim">
        Saves all rows of the list, at most {formatCount(MOST_ROWS)}, with all fields. CSV is for spreadsheets: a text
        that begins with <code>=</code>, <code>+</code>, <code>-</code> or <code>@</code> gets an apostrophe before it.
        NDJSON contains the rows unchanged.
      </p>
      {state.step === 'reading' ? (
        <p>
          <button type="button" onClick={cancel}>
            Cancel
          </button>{' '}
          <progress aria-label="Export" />{' '}
          <span>
            {formatCount(state.rows)} rows
            {state.waitS === null
              ? null
              : `. The gateway limits requests. The export continues in ${formatCount(state.waitS)} s.`}
          </span>
        </p>
      ) : (
        <p>
          <button type="button" onClick={() => run('csv')}>
            Save as CSV
          </button>{' '}
          <button type="button" onClick={() => run('ndjson')}>
            Save as NDJSON
          </button>
        </p>
      )}
      <p role="status">
        {state.step === 'done' && state.isAll ? `Saved ${formatCount(state.rows)} rows.` : null}
        {state.step === 'done' && !state.isAll
          ? `Saved the first ${formatCount(state.rows)} rows. There are more: add filters, or read the list with the API.`
          : null}
      </p>
      {state.step === 'failed' ? (
        <p class="field-error" role="alert">
          {state.message}
        </p>
      ) : null}
    </>
  )
}

/** The request of the list as a command. The token is a variable of the shell. */
export function ApiRequest({ params }: { params: Params }) {
  const command = `curl --compressed -H "Authorization: Bearer $TOKEN" '${apiBase()}${target('/cves', params)}'`
  return (
    <>
      <pre>
        <code>{command}</code>
      </pre>
      <p>
        <CopyButton text={command} label="Copy the command" />
      </p>
    </>
  )
}
