/** The line above a list: how many rows it has, its exports, and its request. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Snapshot } from '../data/answers.ts'
import { ApiFailure, type Params, target } from '../data/api.ts'
import { apiBase } from '../data/gateway.ts'
import { type Pages, useSession } from '../data/use.ts'
import { CopyButton } from './copy.tsx'
import { type Format, fileName, linesOf, MOST_ROWS, walk } from './export.ts'
import { formatCount } from './format.ts'
import { saveFile } from './save.ts'

/** What the rows are: `['CVE', 'CVEs']`. */
export type Noun = readonly [one: string, many: string]

interface ListToolsProps {
  pages: Pages<unknown>
  path: string
  /** The parameters of the request, without those of a page. */
  params: Params
  noun: Noun
  /** Further tools, such as the sort. */
  children?: ComponentChildren
}

export function ListTools({ pages, path, params, noun, children }: ListToolsProps) {
  return (
    <div class="list-tools">
      <Total pages={pages} noun={noun} />
      {children}
      <ExportMenu path={path} params={params} noun={noun} />
      <ApiRequest path={path} params={params} />
    </div>
  )
}

interface ExportProps extends Pick<ListToolsProps, 'path' | 'params' | 'noun'> {
  /** Which rows are saved. Default: all. */
  passes?(row: never): boolean
}

export function ExportMenu(props: ExportProps) {
  return (
    <details name="list-tools">
      <summary>Export</summary>
      <Export key={target(props.path, props.params)} {...props} />
    </details>
  )
}

/** The number of all rows, and of those that are shown. */
function Total({
  pages: { rows, first, more, loading, error },
  noun: [one, many],
}: {
  pages: Pages<unknown>
  noun: Noun
}) {
  const count = rows.length
  const total = first?.pagination.total ?? (more === null && !loading && error === null ? count : undefined)
  const noun = (total ?? count) === 1 ? one : many
  let text = ''
  if (first !== null) {
    text =
      total === undefined
        ? `${formatCount(count)} ${noun} shown`
        : count < total
          ? `${formatCount(count)} of ${formatCount(total)} ${noun} shown`
          : `${formatCount(total)} ${noun}`
  }
  return (
    <p class="count" role="status">
      {text}
    </p>
  )
}

type ExportState =
  | { step: 'idle' }
  | { step: 'reading'; rows: number; waitS: number | null }
  | { step: 'done'; rows: number; isAll: boolean }
  | { step: 'failed'; message: string }

function Export({ path, params, noun: [, many], passes = () => true }: ExportProps) {
  const { api, askToken } = useSession()
  const [state, setState] = useState<ExportState>({ step: 'idle' })
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [])

  const run = async (format: Format) => {
    stop.current = new AbortController()
    const { signal } = stop.current
    const rows: object[] = []
    setState({ step: 'reading', rows: 0, waitS: null })
    try {
      const { id } = await api.get<Snapshot>('/snapshot', {}, signal)
      const onWait = (waitS: number) => setState({ step: 'reading', rows: rows.length, waitS })
      const pages = walk<object>(api, path, params, { signal, onWait })
      let page = await pages.next()
      for (; !page.done; page = await pages.next()) {
        for (const row of page.value) if (passes(row as never)) rows.push(row)
        setState({ step: 'reading', rows: rows.length, waitS: null })
      }
      if (rows.length > 0) {
        saveFile(new Blob(linesOf(rows, format)), fileName(many.replaceAll(' ', '-').toLowerCase(), id, params, format))
      }
      setState({ step: 'done', rows: rows.length, isAll: page.value })
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
      <p role="status">{state.step === 'done' ? doneText(state.rows, state.isAll) : null}</p>
      {state.step === 'failed' ? (
        <p class="field-error" role="alert">
          {state.message}
        </p>
      ) : null}
    </>
  )
}

function doneText(rows: number, isAll: boolean): string {
  if (rows === 0) return 'The list has no rows. No file was saved.'
  if (isAll) return `Saved ${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}.`
  return `Saved the first ${formatCount(rows)} rows. There are more: add filters, or read the list with the API.`
}

/**
 * The request of the list, to copy: a command, whose token is a variable of the shell. Without a gateway there is no API,
 * and the library answers the same request.
 */
export function ApiRequest({ path, params }: { path: string; params: Params }) {
  const { past } = useSession()
  return (
    <details name="list-tools">
      <summary>API request</summary>
      <Request asked={target(path, { ...params, snapshot: past }).replaceAll("'", '%27')} />
    </details>
  )
}

function Request({ asked }: { asked: string }) {
  const { api } = useSession()
  if (api.mode === 'gateway') {
    return (
      <Code
        text={`curl --compressed -H "Authorization: Bearer $TOKEN" '${apiBase()}${asked}'`}
        label="Copy the command"
      />
    )
  }
  const address = new URL('.', document.baseURI).href
  return (
    <>
      <p class="dim">
        These pages read the snapshot from files on a web server, which answers no requests of the API. Programs read
        the same list from these files with the library <code>vulnshelf/reader</code>. A gateway of this snapshot
        answers <code>GET /api/v1{asked}</code>.
      </p>
      <Code
        text={`import { openReader } from 'vulnshelf/reader'\nconst reader = await openReader('${address}')\nconst { body } = await reader.request('${asked}')`}
        label="Copy the program"
      />
    </>
  )
}

function Code({ text, label }: { text: string; label: string }) {
  return (
    <>
      <pre>
        <code>{text}</code>
      </pre>
      <p>
        <CopyButton text={text} label={label} />
      </p>
    </>
  )
}
