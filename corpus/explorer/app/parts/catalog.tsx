/** Parts of entries of both catalogs, CWE and CAPEC. */
import type { CapecEntry, CweEntry } from '../data/answers.ts'
import { InSteps } from './steps.tsx'
import { Bullets, Part } from './texts.tsx'

/** Related entries of a nature that are shown at first. Real entries have at most 40. */
const FIRST_RELATED = 60

/** `fields` would leave out others; pages ask for all. */
type Full<T> = { [K in keyof T]-?: Exclude<T[K], undefined> }
export type Weakness = Full<CweEntry>
export type AttackPattern = Full<CapecEntry>

export function AlternateTerms({ terms }: { terms: Weakness['alternate_terms'] }) {
  return (
    <Part title="Other names" of={terms}>
      <Bullets
        items={terms.map(({ term, description }) => (
          <>
            <b>{term}</b>
            {description === null ? null : `: ${description}`}
          </>
        ))}
      />
    </Part>
  )
}

export function Consequences({ consequences }: { consequences: Weakness['consequences'] }) {
  return (
    <Part title="Consequences" of={consequences}>
      <div class="scroll">
        <table class="rows cards">
          <caption class="for-reader">Consequences</caption>
          <thead>
            <tr>
              <th scope="col">Scope</th>
              <th scope="col">Impact</th>
              <th scope="col">Note</th>
            </tr>
          </thead>
          <tbody>
            {consequences.map(({ scopes, impacts, note }, i) => (
              <tr key={i}>
                <td>{scopes.join(', ')}</td>
                <td>{impacts.join(', ')}</td>
                <td class="wide">{note}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Part>
  )
}

/** Other entries by the nature of the relation. */
export function Related({
  entries,
}: {
  entries: readonly { nature: string; id: string; name: string | null; href: string }[]
}) {
  const groups = Map.groupBy(entries, ({ nature }) => nature)
  return (
    <>
      {[...groups].map(([nature, members]) => (
        <div key={nature}>
          {nature === '' ? null : <h3>{nature}</h3>}
          <InSteps items={members} first={FIRST_RELATED} noun="entries">
            {(shown) => (
              <ul class="related">
                {shown.map(({ id, name, href }) => (
                  <li key={id}>
                    <a href={href}>
                      <span class="id">{id}</span> {name}
                    </a>
                  </li>
                ))}
              </ul>
            )}
          </InSteps>
        </div>
      ))}
    </>
  )
}

export function Taxonomies({ mappings }: { mappings: Weakness['taxonomy_mappings'] }) {
  return (
    <Part title="In other taxonomies" of={mappings}>
      <Bullets
        items={mappings.map(({ taxonomy, entry_id, entry_name, fit }) => (
          <>
            {taxonomy}
            {entry_id === null && entry_name === null ? null : ': '}
            {entry_id === null ? null : <span class="id">{entry_id} </span>}
            {entry_name}
            {fit === null ? null : <span class="dim"> ({fit})</span>}
          </>
        ))}
      />
    </Part>
  )
}
