/** The page's address: path and query after `#`, so that a static server needs no rules. */
import { useEffect, useState } from 'preact/hooks'
import { type Params, target } from './data/api.ts'

export interface Location {
  /** Decoded parts: `['cves', 'CVE-2024-3400']`. */
  path: string[]
  query: URLSearchParams
}

/** Returns the link of a page: `link(['cves'], { kev: true })` is `#/cves?kev=true`. */
export function link(path: readonly string[], params: Params = {}): string {
  // Names in feeds can have half a surrogate pair, which has no encoding.
  return `#/${target(path.map((part) => encodeURIComponent(part.toWellFormed())).join('/'), params)}`
}

/** Returns the link of the `href` of a search result, such as `/vendors/acme/products/tcp%2Fip_stack`. */
export const hrefLink = (href: string): string => `#${href}`

/**
 * Shows another page. `replace` leaves no entry in the history. Listeners hear of it before this returns: the browser's
 * own event comes later, and a second change in between would start from the old address.
 */
export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(history.state, '', to)
  else if (to !== window.location.hash) history.pushState(null, '', to)
  window.dispatchEvent(new HashChangeEvent('hashchange'))
}

function parseLocation(hash: string): Location {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split(/\?(.*)/s)
  const parts = path.split('/').filter((part) => part !== '')
  return { path: parts.map(decoded), query: new URLSearchParams(query) }
}

/** A malformed escape stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Returns the location, and again when it changes. */
export function useLocation(): Location {
  const [location, setLocation] = useState(() => parseLocation(window.location.hash))
  useEffect(() => {
    const change = () => setLocation(parseLocation(window.location.hash))
    window.addEventListener('hashchange', change)
    return () => window.removeEventListener('hashchange', change)
  }, [])
  return location
}

/**
 * Returns the snapshot that the address asks for: an id, the beginning of one, a date or a time; null for the current one.
 * It is before the `#`, so that all links of the pages keep it.
 */
export const askedSnapshot = (): string | null => new URLSearchParams(window.location.search).get('snapshot') || null

/** Loads the same page from another snapshot. */
export function showSnapshot(snapshot: string | null): void {
  const address = new URL(window.location.href)
  if (snapshot === null) address.searchParams.delete('snapshot')
  else address.searchParams.set('snapshot', snapshot)
  window.location.assign(address)
}
