/** Parts of a page that are shown one at a time: `?show=cves`. */
import { link } from '../router.ts'

export type Tab = readonly [id: string, name: string]

/** Returns the part that the address names; the first one without a name. */
export const tabOf = (tabs: readonly Tab[], query: URLSearchParams): string =>
  tabs.find(([id]) => id === query.get('show'))?.[0] ?? tabs[0]![0]

export function Tabs({ tabs, base, current }: { tabs: readonly Tab[]; base: readonly string[]; current: string }) {
  return (
    <nav class="tabs" aria-label="Parts of the page">
      <ul>
        {tabs.map(([id, name], i) => (
          <li key={id}>
            <a href={link(base, { show: i === 0 ? null : id })} aria-current={id === current ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
