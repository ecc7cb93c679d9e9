/** The pages by their addresses. Each is loaded when it is shown. */
import type { ComponentType } from 'preact'

export interface PageProps {
  /** The decoded parts of the address after the first one: `#/vendors/acme` has `['acme']`. */
  path: string[]
  query: URLSearchParams
}

export type PageComponent = ComponentType<PageProps>

/** The code of each page, by the first part of its address. */
export const PAGES: Readonly<Record<string, () => Promise<{ default: PageComponent }>>> = {
  '': () => import('./pages/start.tsx'),
  search: () => import('./pages/search.tsx'),
  cves: () => import('./pages/cves.tsx'),
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
