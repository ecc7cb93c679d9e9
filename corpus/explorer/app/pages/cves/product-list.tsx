/** The products of a CVE, each with its affected and fixed versions, and a box for the reader's own version. */
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import type { AffectedEntry } from '../../data/answers.ts'
import { useSession } from '../../data/use.ts'
import { boundsText, shortVersion } from '../../parts/ranges.ts'
import { sourceName } from '../../parts/sources.ts'
import { InSteps } from '../../parts/steps.tsx'
import { Product } from './affected.tsx'
import { type ProductGroup, productGroups } from './product-groups.ts'
import type { VersionVerdict } from './version-verdict.ts'

/** Products that are shown at first. */
const FIRST = 4
const FIRST_VERSIONS = 4

export function ProductList({ id, entries }: { id: string; entries: readonly AffectedEntry[] }) {
  // A record can have many thousand entries.
  const groups = useMemo(() => productGroups(entries), [entries])
  if (entries.length === 0) return <p class="dim">No source names a product.</p>
  return (
    <InSteps items={groups} first={FIRST} noun="products">
      {(shown) => (
        <ul class="products">
          {shown.map((group) => (
            <li key={group.key}>
              <OneProduct id={id} group={group} all={entries} />
            </li>
          ))}
        </ul>
      )}
    </InSteps>
  )
}

interface OneProductProps {
  id: string
  group: ProductGroup
  /** The entries of all products. */
  all: readonly AffectedEntry[]
}

function OneProduct({ id, group: { entries, shown, isUnaffected }, all }: OneProductProps) {
  const ranges = shown.flatMap(({ affected_ranges }) => affected_ranges ?? [])
  const versions = shown.flatMap(({ affected_versions }) => affected_versions ?? [])
  const fixes = [
    ...ranges.flatMap(({ fixed }) => fixed ?? []),
    ...shown.flatMap(({ patched_versions }) => patched_versions ?? []),
  ]
  const affected = [...new Set([...ranges.map(boundsText), ...versions])]
  const isAll = shown.some((entry) => entry.default_status === 'affected') && affected.length === 0
  const sources = [...new Set(entries.map(({ source }) => sourceName(source)))]
  return (
    <>
      <p class="name">
        <Product entry={shown[0]!} /> <span class="dim">by {sources.join(', ')}</span>
      </p>
      {isUnaffected ? (
        <p class="dim">not affected</p>
      ) : (
        <>
          <dl class="facts">
            <dt>Affected</dt>
            <dd>
              {affected.length > 0 ? (
                <InSteps items={affected} first={FIRST_VERSIONS} noun="versions">
                  {(some) => <Versions texts={some} />}
                </InSteps>
              ) : (
                <span class="dim">{isAll ? 'all versions' : 'versions not stated'}</span>
              )}
            </dd>
            <dt>Fixed in</dt>
            <dd>
              {fixes.length > 0 ? (
                <InSteps items={[...new Set(fixes.map(shortVersion))]} first={FIRST_VERSIONS} noun="versions">
                  {(some) => <Versions texts={some} isStrong />}
                </InSteps>
              ) : (
                <span class="dim">not stated</span>
              )}
            </dd>
          </dl>
          <MyVersion id={id} named={entries[0]!} all={all} />
        </>
      )}
    </>
  )
}

function Versions({ texts, isStrong = false }: { texts: readonly string[]; isStrong?: boolean }) {
  return (
    <span class="version-list">
      {texts.map((text) => (isStrong ? <b key={text}>{text}</b> : <span key={text}>{text}</span>))}
    </span>
  )
}

const VERDICTS: Readonly<Record<VersionVerdict['verdict'], string>> = {
  affected: 'Affected',
  undecided: 'Cannot be decided',
  'not affected': 'Not affected',
}

type State = VersionVerdict | 'asked' | { failure: string }

interface MyVersionProps {
  id: string
  /** An entry with the names of the product or package. */
  named: AffectedEntry
  all: readonly AffectedEntry[]
}

function MyVersion({ id, named, all }: MyVersionProps) {
  const { api } = useSession()
  const field = useId()
  const [answer, setAnswer] = useState<{ version: string; state: State }>()
  const stop = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const ask = async (event: SubmitEvent) => {
    event.preventDefault()
    const version = String(new FormData(event.currentTarget as HTMLFormElement).get('version') ?? '').trim()
    if (version === '') return setAnswer(undefined)
    stop.current?.abort()
    stop.current = new AbortController()
    const { signal } = stop.current
    setAnswer({ version, state: 'asked' })
    const state = await judge(version, signal).catch((error): State => ({ failure: (error as Error).message }))
    if (!signal.aborted) setAnswer({ version, state })
  }
  const judge = async (version: string, signal: AbortSignal): Promise<State> => {
    const { packageVerdict, productVerdict } = await import('./version-verdict.ts')
    const isPackage = named.ecosystem !== null && named.package_name !== null
    return isPackage ? packageVerdict(api, id, named, version, signal) : productVerdict(all, named, version)
  }
  return (
    <form class="my-version" onSubmit={ask}>
      <label for={field}>My version</label>
      <input id={field} name="version" type="text" autocomplete="off" maxLength={200} />
      <button type="submit">Check</button>
      <output for={field}>{answer ? <Verdict version={answer.version} state={answer.state} /> : null}</output>
    </form>
  )
}

function Verdict({ version, state }: { version: string; state: State }) {
  if (state === 'asked') return <>…</>
  if ('failure' in state) return <span role="alert">{state.failure}</span>
  const { verdict, reason, fixes } = state
  return (
    <span class={`verdict ${verdict.replace(' ', '-')}`}>
      <b>
        {version}: {VERDICTS[verdict]}
      </b>
      . {reason}
      {fixes.length > 0 ? `. Fixed in ${fixes.slice(0, FIRST_VERSIONS).join(', ')}` : null}
    </span>
  )
}
