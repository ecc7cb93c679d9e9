/** What the last day, week and month brought, up to the day of the data. */

import type { Stats } from '../../data/answers.ts'
import type { Params } from '../../data/api.ts'
import { formatCount, formatDay } from '../../parts/format.ts'
import { link } from '../../router.ts'

type Recent = Stats['recent'][number]

const sum = ({ published }: Recent) => Object.values(published).reduce((total, count) => total + count, 0)
const publishedIn = ({ since, until }: Recent): Params => ({ published_since: since, published_until: until })

/** Each figure with the page that lists what it counts. */
const FIGURES: readonly (readonly [
  name: string,
  count: (period: Recent) => number,
  href: (period: Recent) => string,
])[] = [
  ['new CVEs', sum, (period) => link(['cves'], publishedIn(period))],
  [
    'critical',
    ({ published }) => published.critical,
    (period) => link(['cves'], { ...publishedIn(period), severity: 'critical' }),
  ],
  ['high', ({ published }) => published.high, (period) => link(['cves'], { ...publishedIn(period), severity: 'high' })],
  [
    'added to KEV',
    ({ kev_added }) => kev_added,
    ({ since, until }) => link(['kev'], { catalog: 'cisa', added_since: since, added_until: until }),
  ],
  ['exploits published', ({ exploits }) => exploits, (period) => link(['exploits'], publishedIn(period))],
]

const BANDS: ReadonlySet<string> = new Set(['critical', 'high'])

/** `recent` is absent in snapshots of earlier builders. */
export function Periods({ recent = [] }: { recent?: readonly Recent[] | undefined }) {
  const [first] = recent
  if (!first) return null
  const isToday = first.until === new Date().toISOString().slice(0, 10)
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">
        {isToday ? 'Today, this week, this month' : `The last day, week and month, up to ${formatDay(first.until)}`}
      </h2>
      <table class="recent">
        <caption class="for-reader">What the last days brought</caption>
        <thead>
          <tr>
            <td />
            {recent.map(({ days, since }) => (
              <th key={days} scope="col" title={`Since ${formatDay(since)} (UTC)`}>
                {days === 1 ? (isToday ? 'today' : 'that day') : `${days} days`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {FIGURES.map(([name, count, href]) => (
            <tr key={name}>
              <th scope="row">{BANDS.has(name) ? <span class={`severity ${name}`}>{name}</span> : name}</th>
              {recent.map((period) => (
                <td key={period.days}>
                  {count(period) === 0 ? (
                    <span class="dim">0</span>
                  ) : (
                    <a href={href(period)}>{formatCount(count(period))}</a>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="about">
        Days in UTC, up to{' '}
        {isToday ? 'today' : `${formatDay(first.until)}, the newest day in the CVE list of this snapshot`}.
      </p>
    </section>
  )
}
