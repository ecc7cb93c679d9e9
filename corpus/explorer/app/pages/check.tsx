/** `#/check`: the advisories that affect the packages of lock files and SBOMs. The browser reads the files. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ApiFailure } from '../data/api.ts'
import { useSession } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { formatCount } from '../parts/format.ts'
import { Heading } from '../parts/heading.tsx'
import type { Checked, PageDecisions } from './check/decided.ts'
import type { DecisionActions } from './check/decisions.tsx'
import { DropZone } from './check/drop.tsx'
import type { Chosen } from './check/run.ts'

type State =
  | { step: 'idle' }
  | { step: 'running'; what: string; done: number; total: number; waitS: number | null }
  | { step: 'failed'; message: string }

/** What the page has between two checks. */
interface Kept {
  checked: Checked | null
  decisions: PageDecisions
  /** Whether the decisions made on the page are saved. */
  isSaved: boolean
  /** Ids of ignore files that the snapshot does not know. */
  unknown: ReadonlySet<string>
  unreadable: readonly string[]
}

/** Null before the first file. */
let code: typeof import('./check/code.ts') | null = null

/** The last result of this tab, and its decisions: going back to the page shows them again. */
let last: Kept = {
  checked: null,
  decisions: { files: [], own: [] },
  isSaved: false,
  unknown: new Set(),
  unreadable: [],
}

export default function CheckPage({ query }: PageProps) {
  const { api, askToken } = useSession()
  const [state, setState] = useState<State>({ step: 'idle' })
  const [kept, setKept] = useState(last)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  useEffect(() => {
    last = kept
  }, [kept])
  const { checked, decisions, isSaved, unknown, unreadable } = kept
  const result = useMemo(
    () => checked && code!.resultOf(checked, decisions, unknown, unreadable),
    [checked, decisions, unknown, unreadable],
  )

  const check = async (chosen: Chosen[]) => {
    running.current?.abort()
    const stop = new AbortController()
    const { signal } = stop
    running.current = stop
    const update = (changes: Partial<Extract<State, { step: 'running' }>>) =>
      signal.aborted || setState((now) => (now.step === 'running' ? { ...now, ...changes } : now))
    const what = chosen.length === 1 ? chosen[0]!.name || 'the text' : `${formatCount(chosen.length)} files`
    setState({ step: 'running', what, done: 0, total: 0, waitS: null })
    try {
      code ??= await import('./check/code.ts')
      const { checkFiles, readFiles, readInWorker, unknownIdsOf, withFiles } = code
      const options = {
        signal,
        onProgress: (done: number, total: number) => update({ done, total, waitS: null }),
        onWait: (waitS: number) => update({ waitS }),
      }
      const read = await readFiles(chosen, signal, readInWorker)
      // Decisions without packages are about the present result.
      const found = read.inventories.length > 0 ? await checkFiles(api, read.inventories, options) : last.checked
      const together = withFiles(last.decisions, read.decisions)
      const notKnown = found ? await unknownIdsOf(api, found, together, options) : new Set<string>()
      if (signal.aborted) return
      setKept((now) => ({
        ...now,
        checked: found,
        decisions: withFiles(now.decisions, read.decisions),
        unknown: notKnown,
        unreadable: read.unreadable,
      }))
      setState({ step: 'idle' })
      focusLater('result', 'decisions')
    } catch (error) {
      if (signal.aborted) return
      stop.abort()
      if (error instanceof ApiFailure && error.status === 401) askToken()
      setState({ step: 'failed', message: error instanceof Error ? error.message : String(error) })
    }
  }
  const stopWith = (next: State) => {
    running.current?.abort()
    setState(next)
  }
  const cancel = () => stopWith({ step: 'idle' })
  const fail = (message: string) => stopWith({ step: 'failed', message })
  const setDecisions = (change: (now: PageDecisions) => PageDecisions) => {
    setKept((now) => ({ ...now, decisions: change(now.decisions), isSaved: false }))
    // The control that had the focus is gone.
    focusLater('decisions', 'result')
  }
  const actions: DecisionActions = {
    add(entry) {
      setDecisions((now) => ({ ...now, own: code!.withEntry(now.own, entry) }))
    },
    remove(index) {
      setDecisions((now) => ({ ...now, own: now.own.filter((_, i) => i !== index) }))
    },
    removeFile(file) {
      setDecisions((now) => ({ ...now, files: now.files.filter((one) => one.file !== file) }))
    },
    setSaved() {
      setKept((now) => ({ ...now, isSaved: true }))
    },
  }
  return (
    <>
      <Heading>Check lock files and SBOMs</Heading>
      <p class="about">
        {api.mode === 'static'
          ? 'Your browser reads the files and matches them with the snapshot. It does not send the files or the names of packages. It only downloads parts of the snapshot.'
          : 'Your browser reads the files, and does not upload them. It sends only the names and versions of the packages to the gateway, which matches them, and ids of decisions that match nothing.'}
      </p>
      <DropZone take={check} fail={fail} />
      {state.step === 'running' ? <Running state={state} cancel={cancel} /> : null}
      {state.step === 'failed' ? (
        <p class="notice failure" role="alert">
          {state.message}
        </p>
      ) : null}
      {state.step === 'running' || code === null ? null : result === null ? (
        <>
          <code.DecisionList decisions={decisions} isSaved={isSaved} actions={actions} />
          {decisions.files.length > 0 ? <p>Now choose the lock files or SBOMs.</p> : null}
        </>
      ) : (
        <code.Results result={result} query={query} decisions={decisions} isSaved={isSaved} actions={actions} />
      )}
    </>
  )
}

/** Focuses the first of these elements that exists when the page has changed. */
const focusLater = (...ids: string[]) =>
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const [first] = ids.flatMap((id) => document.getElementById(id) ?? [])
      first?.focus({ preventScroll: true })
    }),
  )

function Running({
  state: { what, done, total, waitS },
  cancel,
}: {
  state: Extract<State, { step: 'running' }>
  cancel(): void
}) {
  return (
    <div class="panel">
      <label>
        {total === 0 ? `Reading ${what}` : `${formatCount(done)} of ${formatCount(total)} packages looked up`}
        <progress {...(total === 0 ? {} : { max: total, value: done })} />
      </label>
      <p role="status">{waitS === null ? '' : `The gateway limits requests. The check continues in ${waitS} s.`}</p>
      <button type="button" onClick={cancel}>
        Cancel
      </button>
    </div>
  )
}
