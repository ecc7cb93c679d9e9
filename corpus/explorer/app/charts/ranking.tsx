/** Entries with a bar each, as a list of links, of all years or of the last one. */
import { useState } from 'preact/hooks'
import type { TopEntries, TopEntry } from '../data/answers.ts'
import { formatCount } from '../parts/format.ts'

/** An entry of a ranking. */
export interface Ranked {
  id: string
  name: string
  href: string
  /** The figure after the name. */
  count: string
  /** The length of the bar, from 0 to 1. */
  share: number
}

interface RankedListProps {
  title: string
  /** The meaning of the figures. */
  axis: string
  /** All entries, highest first. */
  entriesOf(isLastYear: boolean): readonly Ranked[]
  beginsWithLastYear?: boolean
}

/** Entries shown at first; the others follow on request. */
const FEW = 10

export function RankedList({ title, axis, entriesOf, beginsWithLastYear = false }: RankedListProps) {
  const [isLastYear, setLastYear] = useState(beginsWithLastYear)
  const [isLong, setLong] = useState(false)
  const all = entriesOf(isLastYear)
  const shown = isLong ? all : all.slice(0, FEW)
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
      <p class="axis">{axis}</p>
      {shown.length === 0 ? <p class="dim">None</p> : null}
      <ol class="ranking">
        {shown.map(({ id, name, href, count, share }) => (
          <li key={id}>
            <a href={href}>{name}</a> <span class="count">{count}</span>
            <span class="bar" aria-hidden="true" style={{ width: `${share * 100}%` }} />
          </li>
        ))}
      </ol>
      {all.length > FEW ? (
        <button type="button" class="plain" aria-expanded={isLong} onClick={() => setLong(!isLong)}>
          {isLong ? `Show only ${FEW}` : `Show all ${formatCount(all.length)}`}
        </button>
      ) : null}
    </section>
  )
}

interface RankingProps {
  title: string
  entries: TopEntries
  linkOf(entry: TopEntry, isLastYear: boolean): string
}

/** Entries by their number of CVEs. */
export function Ranking({ title, entries, linkOf }: RankingProps) {
  const entriesOf = (isLastYear: boolean) => {
    const all = isLastYear ? entries.last_year : entries.all_time
    const most = all[0]?.cve_count ?? 1
    return all.map((entry): Ranked => {
      const { id, name, cve_count: cves, kev_count: kev } = entry
      const count = kev > 0 ? `${formatCount(cves)} (${formatCount(kev)} in KEV)` : formatCount(cves)
      return { id, name, href: linkOf(entry, isLastYear), count, share: cves / most }
    })
  }
  return <RankedList title={title} axis="CVEs (of these, in KEV)" entriesOf={entriesOf} />
}
