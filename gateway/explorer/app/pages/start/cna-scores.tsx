/** CNAs with the most records that lack a CVSS score of the CNA. */
import { useState } from 'preact/hooks'
import { Bar } from '../../charts/ranking.tsx'
import type { CnaScores } from '../../data/answers.ts'
import { formatCount, formatShare } from '../../parts/format.ts'
import { link } from '../../router.ts'

const FEW = 10

export function CnasWithoutScores({ rows }: { rows: readonly CnaScores[] }) {
  const [isLastYear, setLastYear] = useState(true)
  const [isLong, setLong] = useState(false)
  const ranked = rows
    .map(({ slug, cna_name, total_cves, without_cna_cvss, recent_cves, recent_without_cna_cvss }) => {
      const [all, without] = isLastYear ? [recent_cves, recent_without_cna_cvss] : [total_cves, without_cna_cvss]
      return { slug, name: cna_name, all, without, share: all === 0 ? 0 : without / all }
    })
    .filter(({ without }) => without > 0)
    .sort((a, b) => b.without - a.without)
  const shown = isLong ? ranked : ranked.slice(0, FEW)
  return (
    <section class="chart">
      <div class="title">
        <h2>CNAs without CVSS scores</h2>
        <label class="span">
          <span class="for-reader">Period of “CNAs without CVSS scores”</span>
          <select
            value={isLastYear ? 'year' : 'all'}
            onChange={({ currentTarget }) => setLastYear(currentTarget.value === 'year')}
          >
            <option value="all">all years</option>
            <option value="year">last 365 days</option>
          </select>
        </label>
      </div>
      <p class="axis">Records without a CVSS score from their CNA. Only CNAs with at least 20 records</p>
      {shown.length === 0 ? <p class="dim">None</p> : null}
      <ol class="ranking">
        {shown.map(({ slug, name, all, without, share }) => (
          <li key={slug}>
            <a href={link(['cnas', slug])}>{name}</a>{' '}
            <span class="count">
              {formatCount(without)} of {formatCount(all)} ({formatShare(share)})
            </span>
            <Bar share={share} />
          </li>
        ))}
      </ol>
      {ranked.length > FEW ? (
        <button type="button" class="plain" aria-expanded={isLong} onClick={() => setLong(!isLong)}>
          {isLong ? `Show only ${formatCount(FEW)}` : `Show all ${formatCount(ranked.length)}`}
        </button>
      ) : null}
    </section>
  )
}
