/** The watch list of this browser, as a hook. */
import { useEffect, useState } from 'preact/hooks'
import { onWatchChange, readWatchList, type WatchList } from './store.ts'

/** Returns the list, and again when this tab or another one changes it. */
export function useWatchList(): WatchList {
  const [list, setList] = useState(readWatchList)
  useEffect(() => {
    const change = () => setList(readWatchList())
    // Another entry of the list may have changed since the first reading.
    change()
    const end = onWatchChange(change)
    window.addEventListener('storage', change)
    return () => {
      end()
      window.removeEventListener('storage', change)
    }
  }, [])
  return list
}
