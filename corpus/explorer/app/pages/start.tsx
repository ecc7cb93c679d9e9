/** `#/`: the watch list, the last days, the last update, charts, and the age of the feeds. */
import { useEffect, useState } from 'preact/hooks'
import { SEVERITIES } from '../../../model/record.ts'
import type { Snapshot, Stats } from '../data/answers.ts'
import { useAnswer } from '../data/use.ts'
import { Await, Failure, Loading } from '../parts/answer.tsx'
import { formatCount } from '../parts/format.ts'
import { Heading } from '../parts/heading.tsx'
import { Time } from '../parts/values.tsx'
import { link } from '../router.ts'
import { Feeds, OldFeeds } from './start/feeds.tsx'
import { LastUpdateFigures } from './start/last-update.tsx'
import { Periods } from './start/periods.tsx'
import { hasWatchList, Watched, WatchInvitation } from './start/watched.tsx'

/** Loaded beside the answers: the first screen does not need it. */
type ChartCode = typeof import('./start/charts.tsx')

export default function StartPage() {
  const stats = useAnswer<Stats>('/stats')
  const snapshot = useAnswer<Snapshot>('/snapshot')
  const [now] = useState(() => Date.now())
  const [isWatching] = useState(hasWatchList)
  const [charts, setCharts] = useState<ChartCode | 'failed' | null>(null)
  useEffect(() => {
    import('./start/charts.tsx').then(setCharts, () => setCharts('failed'))
  }, [])
  // Both answers and the charts are shown at once, so that nothing moves.
  const isLoading = [stats, snapshot].some(({ data, error }) => data === null && error === null)
  return (
    <>
      <Heading>vulnshelf</Heading>
      {isLoading || charts === null ? (
        <Loading />
      ) : (
        <>
          {snapshot.data ? <OldFeeds snapshot={snapshot.data} now={now} /> : null}
          {isWatching ? null : <WatchInvitation />}
          <div class={isWatching ? 'news watching' : 'news'}>
            {isWatching ? <Watched parent={snapshot.data?.parent ?? null} /> : null}
            {stats.data ? <Periods recent={stats.data.recent} /> : null}
          </div>
          {stats.data ? <Figures stats={stats.data} parent={snapshot.data?.parent ?? null} charts={charts} /> : null}
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

interface FiguresProps {
  stats: Stats
  parent: string | null
  charts: ChartCode | 'failed'
}

function Figures({ stats, parent, charts }: FiguresProps) {
  const { totals, last_update: update } = stats
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
      {charts === 'failed' ? (
        <p class="notice failure" role="alert">
          The charts could not be loaded. Check the connection, then reload the page.
        </p>
      ) : (
        <charts.Charts stats={stats} />
      )}
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
