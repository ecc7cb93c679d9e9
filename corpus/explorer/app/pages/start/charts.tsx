/** The charts of the start page. */
import { useMemo } from 'preact/hooks'
import { SEVERITIES } from '../../../../model/record.ts'
import { EpssGrid } from '../../charts/epss-grid.tsx'
import { MonthChart } from '../../charts/month-chart.tsx'
import { lastDay } from '../../charts/months.ts'
import { Ranking } from '../../charts/ranking.tsx'
import type { SeverityCounts, Stats } from '../../data/answers.ts'
import { link } from '../../router.ts'
import { CnasWithoutScores } from './cna-scores.tsx'
import { Rising } from './rising.tsx'

const NO_CVES: SeverityCounts = { critical: 0, high: 0, medium: 0, low: 0, none: 0, unscored: 0 }

const SEVERITY_SERIES = [...SEVERITIES.toReversed(), 'unscored' as const].map((band) => ({
  name: band,
  label: band,
  value: (row: SeverityCounts) => row[band],
}))

const KEV_SERIES = [{ name: 'kev', label: 'CVEs', value: ({ cves }: { cves: number }) => cves }]

export function Charts({ stats }: { stats: Stats }) {
  const { totals, last_year_since: since } = stats
  const year = (isLastYear: boolean) => (isLastYear ? { published_since: since } : {})
  const months = useMemo(() => stats.published_by_month, [stats])
  return (
    <div class="charts">
      <Rising />
      <EpssGrid grid={stats.epss_by_cvss} totalCves={totals.cves} />
      <Ranking title="Weaknesses" entries={stats.weaknesses} linkOf={({ id }) => link(['cwes', id])} />
      <Ranking
        title="Vendors"
        entries={stats.vendors}
        linkOf={({ id }, isLastYear) => link(['cves'], { vendor: id, ...year(isLastYear) })}
      />
      <MonthChart
        title="CVEs by severity"
        unit="CVEs published"
        rows={months}
        empty={(month) => ({ month, ...NO_CVES })}
        series={SEVERITY_SERIES}
        linkOf={(month) => link(['cves'], { published_since: `${month}-01`, published_until: lastDay(month) })}
      />
      <MonthChart
        title="Additions to KEV"
        unit="CVEs added"
        rows={stats.kev_by_month}
        empty={(month) => ({ month, cves: 0 })}
        series={KEV_SERIES}
      >
        <p>
          <a href={link(['cves'], { kev: true })}>All CVEs in KEV</a>
        </p>
      </MonthChart>
      <Ranking title="CNAs" entries={stats.cnas} linkOf={({ id }) => link(['cnas', id])} />
      <CnasWithoutScores rows={stats.cna_scores} />
    </div>
  )
}
