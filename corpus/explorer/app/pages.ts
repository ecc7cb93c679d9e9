/** The pages by their addresses. Each is loaded when it is shown. */
import type { ComponentType } from 'preact'

export interface PageProps {
  /** The decoded parts of the address after the first one: `#/vendors/acme` has `['acme']`. */
  path: string[]
  query: URLSearchParams
}

export type PageComponent = ComponentType<PageProps>

type Load = () => Promise<{ default: PageComponent }>

/** The code of each page, by the first part of its address. */
const PAGES: Readonly<Record<string, Load>> = {
  '': () => import('./pages/start.tsx'),
  search: () => import('./pages/search.tsx'),
  cves: () => import('./pages/cves/list.tsx'),
  cwes: () => import('./pages/cwes.tsx'),
  capecs: () => import('./pages/capecs.tsx'),
  cnas: () => import('./pages/cnas.tsx'),
  vendors: () => import('./pages/vendors.tsx'),
  packages: () => import('./pages/packages.tsx'),
  kev: () => import('./pages/kev.tsx'),
  exploits: () => import('./pages/exploits.tsx'),
  advisories: () => import('./pages/advisories.tsx'),
  rejected: () => import('./pages/rejected.tsx'),
  affected: () => import('./pages/affected.tsx'),
  changes: () => import('./pages/changes.tsx'),
  watch: () => import('./pages/watch.tsx'),
  check: () => import('./pages/check.tsx'),
  api: () => import('./pages/api.tsx'),
}

/** The code of pages with more parts in their address, where they share little with the page of the first part. */
const ENTRY_PAGES: Readonly<Record<string, Load>> = {
  cves: () => import('./pages/cves/cve.tsx'),
}

/** Returns how to load the page at an address; undefined for an unknown first part. */
export function loadOf(name: string, path: readonly string[]): Load | undefined {
  const pages = path.length > 0 && Object.hasOwn(ENTRY_PAGES, name) ? ENTRY_PAGES : PAGES
  return Object.hasOwn(pages, name) ? pages[name] : undefined
}

/** The entries of the menu, in their order. */
export const MENU: readonly (readonly [path: string, name: string])[] = [
  ['cves', 'CVEs'],
  ['cwes', 'Weaknesses'],
  ['capecs', 'Attack patterns'],
  ['vendors', 'Vendors'],
  ['packages', 'Packages'],
  ['advisories', 'Advisories'],
  ['cnas', 'CNAs'],
  ['kev', 'KEV'],
  ['exploits', 'Exploits'],
  ['changes', 'Changes'],
  ['watch', 'Watch list'],
  ['check', 'Check'],
  ['api', 'API'],
]
