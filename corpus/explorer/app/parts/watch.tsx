/** The button that adds the shown vendor, product, package or CVE to the watch list, and removes it. */
import { useState } from 'preact/hooks'
import { link } from '../router.ts'
import {
  identityOf,
  KIND_WORDS,
  type WatchEntry,
  type WatchKind,
  WatchNameError,
  watchEntry,
} from '../watch/entries.ts'
import { unwatch, watch } from '../watch/store.ts'
import { useWatchList } from '../watch/use-watch-list.ts'

/** `name` is the value of the filter `kind` of `GET /cves`. */
export function WatchToggle({ kind, name }: { kind: WatchKind; name: string }) {
  const { entries, isStored } = useWatchList()
  const [fault, setFault] = useState<string | null>(null)
  const entry = entryOf(kind, name)
  if (entry === null) return null
  const identity = identityOf(entry)
  const isWatched = entries.some((one) => identityOf(one) === identity)
  const toggle = () => {
    if (!isWatched) return setFault(watch([entry]))
    setFault(null)
    unwatch(entry)
  }
  return (
    <p class="watch">
      <button type="button" onClick={toggle}>
        {isWatched ? 'Stop watching' : `Watch this ${KIND_WORDS[kind].one}`}
      </button>{' '}
      <span class="dim" role="status">
        {fault ?? (isWatched && !isStored ? 'This browser does not store it: export the list.' : '')}
      </span>{' '}
      {isWatched || fault !== null ? <a href={link(['watch'])}>Watch list</a> : null}
    </p>
  )
}

/** Null for a name that no list can have, such as a package of an ecosystem that the schema does not know. */
function entryOf(kind: WatchKind, name: string): WatchEntry | null {
  try {
    return watchEntry(kind, name)
  } catch (error) {
    if (error instanceof WatchNameError) return null
    throw error
  }
}
