/** Links to the same entry in other databases. */
import { ExternalLink } from './values.tsx'

export function Elsewhere({ links }: { links: readonly (readonly [name: string, url: string])[] }) {
  return (
    <ul class="elsewhere" aria-label="In other databases">
      {links.map(([name, url]) => (
        <li key={name}>
          <ExternalLink url={url}>{name}</ExternalLink>
        </li>
      ))}
    </ul>
  )
}
