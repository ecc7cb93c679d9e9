/** `#/check`: the advisories that affect the packages of lock files and SBOMs. The browser reads the files. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiFailure } from '../data/api.ts'
import { useSession } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { formatCount } from '../parts/format.ts'
import { Heading } from '../parts/heading.tsx'
import { DropZone } from './check/drop.tsx'
import type { CheckResult } from './check/report.ts'
import { Results } from './check/results.tsx'
import type { Chosen } from './check/run.ts'

type State =
  | { step: 'idle' }
  | { step: 'running'; what: string; done: number; total: number; waitS: number | null }
  | { step: 'done'; result: CheckResult }
  | { step: 'failed'; message: string }

/** The last result of this tab: going back to the page shows it again. */
let last: State = { step: 'idle' }

export default function CheckPage({ query }: PageProps) {
  const { api, askToken } = useSession()
  const [state, setState] = useState<State>(last)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  useEffect(() => {
    last = state.step === 'running' ? { step: 'idle' } : state
    if (state.step === 'done') document.getElementById('result')?.focus({ preventScroll: true })
  }, [state])

  const check = async (chosen: Chosen[]) => {
    running.current?.abort()
    const stop = new AbortController()
    running.current = stop
    const update = (changes: Partial<Extract<State, { step: 'running' }>>) =>
      stop.signal.aborted || setState((now) => (now.step === 'running' ? { ...now, ...changes } : now))
    const what = chosen.length === 1 ? chosen[0]!.name || 'the text' : `${formatCount(chosen.length)} files`
    setState({ step: 'running', what, done: 0, total: 0, waitS: null })
    try {
      const [{ checkFiles }, { readInWorker }] = await Promise.all([
        import('./check/run.ts'),
        import('./check/read.ts'),
      ])
      const options = {
        signal: stop.signal,
        onProgress: (done: number, total: number) => update({ done, total, waitS: null }),
        onWait: (waitS: number) => update({ waitS }),
      }
      const result = await checkFiles(api, chosen, options, readInWorker)
      if (!stop.signal.aborted) setState({ step: 'done', result })
    } catch (error) {
      if (stop.signal.aborted) return
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
  return (
    <>
      <Heading>Check lock files and SBOMs</Heading>
      <p class="about">
        {api.mode === 'static'
          ? 'Your browser reads the files and matches them with the snapshot. It does not send the files or the names of packages. It only downloads parts of the snapshot.'
          : 'Your browser reads the files, and does not upload them. It sends only the names and versions of the packages to the gateway, which matches them.'}
      </p>
      <DropZone take={check} fail={fail} />
      {state.step === 'running' ? <Running state={state} cancel={cancel} /> : null}
      {state.step === 'failed' ? (
        <p class="notice failure" role="alert">
          {state.message}
        </p>
      ) : null}
      {state.step === 'done' ? <Results result={state.result} query={query} /> : null}
    </>
  )
}

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
