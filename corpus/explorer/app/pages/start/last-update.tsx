/** The counts of the last update, with links to the CVEs. */
import type { LastUpdate, UpdatedCves } from '../../data/answers.ts'
import { formatCount } from '../../parts/format.ts'
import { Day } from '../../parts/values.tsx'
import { link } from '../../router.ts'

const PARTS = [
  ['added', 'new'],
  ['changed', 'changed'],
  ['rejected', 'rejected'],
  ['kev_added', 'added to KEV'],
  ['severity_up', 'severity up'],
  ['severity_down', 'severity down'],
  ['severity_new', 'first severity'],
] as const satisfies readonly (readonly [keyof LastUpdate, string])[]

/** The page of changes lists these, as this kind of change: rejected CVEs have no record, and `ids` is cut. */
const ON_CHANGES: Partial<Record<keyof LastUpdate, string>> = {
  added: 'added',
  changed: 'changed',
  rejected: 'removed',
}

export function LastUpdateFigures({ update, parent }: { update: LastUpdate; parent: string | null }) {
  return (
    <section aria-labelledby="update">
      <h2 id="update">Last update</h2>
      <p class="about">
        CVE list of <Day at={update.until} />, compared with that of <Day at={update.since} />
      </p>
      <dl class="figures">
        {PARTS.map(([name, label]) => (
          <div key={name}>
            <dt>{label}</dt>
            <dd>
              <Count part={update[name]} href={listOf(name, update[name], parent)} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Count({ part, href }: { part: UpdatedCves; href: string | null }) {
  const text = formatCount(part.cves)
  if (part.cves === 0) return <span class="dim">{text}</span>
  if (href === null) return <>{text}</>
  return (
    <a
      href={href}
      title={href.includes('ids=') && part.cve_ids.length < part.cves ? 'The first 100 of them' : undefined}
    >
      {text}
    </a>
  )
}

/** Returns the page that lists the CVEs; null without one. */
function listOf(name: keyof LastUpdate, { cves, cve_ids: ids }: UpdatedCves, parent: string | null): string | null {
  const isComplete = ids.length === cves
  if (name !== 'rejected' && name !== 'changed' && isComplete) return link(['cves'], { ids })
  const change = ON_CHANGES[name]
  if (change !== undefined) return parent === null ? null : link(['changes'], { since: parent, change })
  return link(['cves'], { ids })
}
