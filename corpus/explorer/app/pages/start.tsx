/** `#/`: the watch list, the last days, the last update, charts, and the age of the feeds. */
import { useMemo, useState } from 'preact/hooks'
import { SEVERITIES } from '../../../model/record.ts'
import { EpssGrid } from '../charts/epss-grid.tsx'
import { MonthChart } from '../charts/month-chart.tsx'
import { lastDay } from '../charts/months.ts'
import { Ranking } from '../charts/ranking.tsx'
import type { SeverityCounts, Snapshot, Stats } from '../data/answers.ts'
import { useAnswer } from '../data/use.ts'
import { Await, Failure, Loading } from '../parts/answer.tsx'
import { formatCount } from '../parts/format.ts'
import { Heading } from '../parts/heading.tsx'
import { Time } from '../parts/values.tsx'
import { link } from '../router.ts'
import { CnasWithoutScores } from './start/cna-scores.tsx'
import { Feeds, OldFeeds } from './start/feeds.tsx'
import { LastUpdateFigures } from './start/last-update.tsx'
import { Periods } from './start/periods.tsx'
import { Rising } from './start/rising.tsx'
import { hasWatchList, Watched, WatchInvitation } from './start/watched.tsx'

export default function StartPage() {
  const stats = useAnswer<Stats>('/stats')
  const snapshot = useAnswer<Snapshot>('/snapshot')
  const [now] = useState(() => Date.now())
  const [isWatching] = useState(hasWatchList)
  // Both answers are shown at once, so that nothing moves.
  const isLoading = [stats, snapshot].some(({ data, error }) => data === null && error === null)
  return (
    <>
      <Heading>vulnshelf</Heading>
      {isLoading ? (
        <Loading />
      ) : (
        <>
          {snapshot.data ? <OldFeeds snapshot={snapshot.data} now={now} /> : null}
          {isWatching ? null : <WatchInvitation />}
          <div class={isWatching ? 'news watching' : 'news'}>
            {isWatching ? <Watched parent={snapshot.data?.parent ?? null} /> : null}
            {stats.data ? <Periods recent={stats.data.recent} /> : null}
          </div>
          {stats.data ? <Figures stats={stats.data} parent={snapshot.data?.parent ?? null} /> : null}
          {stats.error ? <Failure error={stats.error} retry={stats.retry} /> : null}
          <section>
            <h2 id="feeds">Feeds</h2>
            <Await answer={snapshot}>
              {(data) => (
                <>
                  <p class="about">
                    The snapshot was built on <Time at={data.created_at} />.
                  </p>
                  <Feeds snapshot={data} now={now} />
                </>
              )}
            </Await>
          </section>
        </>
      )}
    </>
  )
}

const BANDS = SEVERITIES.toReversed()
const NO_CVES: SeverityCounts = { critical: 0, high: 0, medium: 0, low: 0, none: 0, unscored: 0 }

const SEVERITY_SERIES = [...BANDS, 'unscored' as const].map((band) => ({
  name: band,
  label: band,
  value: (row: SeverityCounts) => row[band],
}))

const KEV_SERIES = [{ name: 'kev', label: 'CVEs', value: ({ cves }: { cves: number }) => cves }]

function Figures({ stats, parent }: { stats: Stats; parent: string | null }) {
  const { totals, last_update: update, last_year_since: since } = stats
  const year = (isLastYear: boolean) => (isLastYear ? { published_since: since } : {})
  const months = useMemo(() => stats.published_by_month, [stats])
  return (
    <>
      {update ? <LastUpdateFigures update={update} parent={parent} /> : null}
      <section aria-labelledby="all">
        <h2 id="all">All CVEs</h2>
        <dl class="figures">
          <Figure name="CVEs" count={totals.cves} href={link(['cves'])} />
          {BANDS.map((band) => (
            <Figure
              key={band}
              name={band}
              count={totals.severity[band]}
              href={link(['cves'], { severity: band })}
              band={band}
            />
          ))}
          <Figure name="unscored" count={totals.severity.unscored} href={null} />
          <Figure name="in KEV" count={totals.kev} href={link(['cves'], { kev: true })} />
          <Figure name="with exploit" count={totals.has_exploit} href={link(['cves'], { has_exploit: true })} />
          <Figure name="with patch" count={totals.has_patch} href={link(['cves'], { has_patch: true })} />
        </dl>
      </section>
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
    </>
  )
}

interface FigureProps {
  name: string
  count: number
  href: string | null
  /** Its colour. */
  band?: string
}

function Figure({ name, count, href, band }: FigureProps) {
  return (
    <div>
      <dt>{band ? <span class={`severity ${band}`}>{name}</span> : name}</dt>
      <dd class={count === 0 ? 'dim' : undefined}>
        {href === null || count === 0 ? formatCount(count) : <a href={href}>{formatCount(count)}</a>}
      </dd>
    </div>
  )
}
