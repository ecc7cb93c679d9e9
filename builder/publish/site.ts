/**
 * Addresses in Atom feeds. `--site-url` is the public URL of the published folder. Its page, the explorer, has the state
 * in the fragment, so a static server needs no rules for it.
 */
import type { CveId } from '../../corpus/model/ids/cve-id.ts'

export interface Site {
  /** Returns the URL of a file of the folder, or of a page such as `#/cves/CVE-2024-3400`. */
  link(path: string): string
  /**
   * Returns a `tag:` URI (RFC 4151). It never changes, so readers recognize an entry. The year is a constant, because an
   * id must not depend on the day.
   */
  tag(name: string): string
}

export function siteAt({ href, hostname, port, pathname }: URL): Site {
  return {
    link: (path) => `${href}${path}`,
    tag: (name) => `tag:${hostname},2026:${port}${pathname}${name}`,
  }
}

export const cvePage = (id: CveId) => `#/cves/${id}`

/** As `vulnshelf snapshots` prints ids. `/changes` accepts them. */
const ID_SHOWN = 12
export const shortId = (snapshot: string) => snapshot.slice(0, ID_SHOWN)

/** Returns the page of the changes from one snapshot to another. */
export const changesPage = (since: string, until: string) => `#/changes?since=${shortId(since)}&until=${shortId(until)}`
