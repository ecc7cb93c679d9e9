/** Entries with a bar each, as a list of links. */
import { useState } from 'preact/hooks'
import type { TopEntries, TopEntry } from '../data/answers.ts'
import { formatCount } from '../parts/format.ts'

interface RankingProps {
  title: string
  entries: TopEntries
  linkOf(entry: TopEntry, isLastYear: boolean): string
}

/** Entries shown at first; the others follow on request. */
const FEW = 10

export function Ranking({ title, entries, linkOf }: RankingProps) {
  const [isLastYear, setLastYear] = useState(false)
  const [isLong, setLong] = useState(false)
  const all = isLastYear ? entries.last_year : entries.all_time
  const shown = isLong ? all : all.slice(0, FEW)
  const most = all[0]?.cve_count ?? 1
  return (
    <section class="chart">
      <div class="title">
        <h2>{title}</h2>
        <label class="span">
          <span class="for-reader">Period of “{title}”</span>
          <select
            value={isLastYear ? 'year' : 'all'}
            onChange={({ currentTarget }) => setLastYear(currentTarget.value === 'year')}
          >
            <option value="all">all years</option>
            <option value="year">last 365 days</option>
          </select>
        </label>
      </div>
      <p class="axis">CVEs (of these, in KEV)</p>
      {shown.length === 0 ? <p class="dim">None</p> : null}
      <ol class="ranking">
        {shown.map((entry) => (
          <li key={entry.id}>
            <a href={linkOf(entry, isLastYear)}>{entry.name}</a>{' '}
            <span class="count">
              {formatCount(entry.cve_count)}
              {entry.kev_count > 0 ? ` (${formatCount(entry.kev_count)} in KEV)` : null}
            </span>
            <Bar share={entry.cve_count / most} />
          </li>
        ))}
      </ol>
      {all.length > FEW ? (
        <button type="button" class="plain" aria-expanded={isLong} onClick={() => setLong(!isLong)}>
          {isLong ? `Show only ${FEW}` : `Show all ${all.length}`}
        </button>
      ) : null}
    </section>
  )
}

export function Bar({ share }: { share: number }) {
  return <span class="bar" aria-hidden="true" style={{ width: `${share * 100}%` }} />
}
