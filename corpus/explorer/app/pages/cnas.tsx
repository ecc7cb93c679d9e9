/** `#/cnas` and `#/cnas/{slug}` */
import { ACTIVITY_STATUSES, GRADES } from '../../../model/closed-values.ts'
import type { CnaDetail, CnaStats, Stats } from '../data/answers.ts'
import { useAnswer } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { Await, Waiting } from '../parts/answer.tsx'
import { EntryCves } from '../parts/entry-cves.tsx'
import { type Column, EntryList, EntryTable } from '../parts/entry-list.tsx'
import { choices, type Filter, sortFilter } from '../parts/filter.ts'
import { formatCount, formatPercent, formatScore, formatShare } from '../parts/format.ts'
import { Heading } from '../parts/heading.tsx'
import { Facts, Figures } from '../parts/texts.tsx'
import { Day, ExternalLink, Unknown } from '../parts/values.tsx'
import { link } from '../router.ts'

export default function CnasPage({ path: [slug], query }: PageProps) {
  return slug === undefined ? <CnaList query={query} /> : <Cna slug={slug} query={query} />
}

type CnaRow = CnaStats['leaderboard']['best'][number]

const FILTERS: readonly Filter[] = [
  { kind: 'text', name: 'q', label: 'Name', hint: 'Red Hat' },
  {
    kind: 'choice',
    name: 'grade',
    label: 'Grade',
    options: choices(GRADES),
  },
  {
    kind: 'choice',
    name: 'activity_status',
    label: 'Activity',
    options: choices(ACTIVITY_STATUSES, (status) => status.toLowerCase()),
  },
  sortFilter([
    ['-cves', 'most CVEs first'],
    ['name', 'by name'],
    ['-completeness', 'most complete first'],
    ['completeness', 'least complete first'],
  ]),
]

/** A value from 0 to 100. */
const percent = (value: number | null) => (value === null ? <Unknown /> : formatPercent(value))

function CnaLink({ slug, cna_name }: Pick<CnaRow, 'slug' | 'cna_name'>) {
  return <a href={link(['cnas', slug])}>{cna_name}</a>
}

const COLUMNS: readonly Column<CnaRow>[] = [
  { name: 'CNA', kind: 'key', cell: CnaLink },
  { name: 'Grade', cell: ({ grade }) => grade ?? <Unknown /> },
  { name: 'Completeness', kind: 'number', cell: (row) => percent(row.overall_completeness) },
  { name: 'CVEs', kind: 'number', cell: ({ total_cves }) => formatCount(total_cves) },
  { name: 'Last 365 days', kind: 'number', cell: ({ recent_cves }) => formatCount(recent_cves) },
  {
    name: 'Mean CVSS',
    kind: 'number',
    cell: ({ avg_cvss_score: mean }) => (mean === null ? <Unknown /> : formatScore(mean)),
  },
  { name: 'Vendors', kind: 'number', cell: ({ vendor_diversity }) => formatCount(vendor_diversity) },
  { name: 'Newest CVE', cell: ({ latest_cve_date }) => <Day at={latest_cve_date} /> },
]

function CnaList({ query }: { query: URLSearchParams }) {
  return (
    <EntryList<CnaRow>
      title="CNAs"
      about="The organisations that assign CVE ids. The grade rates how complete their records are."
      noun={['CNA', 'CNAs']}
      path="/cnas"
      base={['cnas']}
      query={query}
      filters={FILTERS}
      table={(rows) => <EntryTable rows={rows} columns={COLUMNS} keyOf={({ slug }) => slug} caption="CNAs" />}
    >
      <Totals />
    </EntryList>
  )
}

function Totals() {
  const answer = useAnswer<CnaStats>('/cnas/stats')
  return (
    <Await answer={answer}>
      {({ summary, grade_distribution, leaderboard: { best, worst, most_active, most_improved } }) => (
        <>
          <Figures
            figures={[
              ['CNAs', formatCount(summary.total_cnas)],
              ['active', formatCount(summary.active_cnas)],
              ['CVEs', formatCount(summary.total_cves)],
              ['mean completeness', percent(summary.avg_completeness)],
              ...GRADES.map(
                (grade) =>
                  [
                    `grade ${grade}`,
                    <a key={grade} href={link(['cnas'], { grade })}>
                      {formatCount(grade_distribution[grade])}
                    </a>,
                  ] as const,
              ),
            ]}
          />
          <details class="leaderboards">
            <summary>Leaderboards</summary>
            <div class="columns">
              <Board title="Most active in the last 365 days">
                {most_active.map((row) => [row, `${formatCount(row.recent_cves)} CVEs`])}
              </Board>
              <Board title="Most complete">{best.map((row) => [row, percent(row.overall_completeness)])}</Board>
              <Board title="Most improved">
                {most_improved.map((row) => [
                  row,
                  `${row.older_grade} → ${row.recent_grade}, +${formatScore(row.delta)} points`,
                ])}
              </Board>
              <Board title="Least complete">{worst.map((row) => [row, percent(row.overall_completeness)])}</Board>
            </div>
          </details>
        </>
      )}
    </Await>
  )
}

function Board({
  title,
  children,
}: {
  title: string
  children: readonly (readonly [cna: Pick<CnaRow, 'slug' | 'cna_name'>, value: preact.ComponentChildren])[]
}) {
  return (
    <section>
      <h2>{title}</h2>
      {children.length === 0 ? <p class="dim">None: too few records.</p> : null}
      <ol>
        {children.map(([cna, value]) => (
          <li key={cna.slug}>
            <CnaLink {...cna} /> <span class="dim short">{value}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Rule 25. */
const GRADE_TEXT =
  'A record earns points for what the CNA states: description, affected products and references (50 together), a weakness (15), a CVSS 3 or 4 score with its vector (15), a CPE name (10), a reference to a patch (10). The grade rates the mean over the records of the last two years: A from 80%, B from 60%, C from 40%, D from 20%, else F.'

/** The share of records without a CVSS score of the CNA, from the figures of the snapshot. */
function WithoutScore({ slug, stats }: { slug: string; stats: Stats | null }) {
  const found = stats?.cna_scores.find((row) => row.slug === slug)
  if (!found) return null
  const { total_cves, without_cna_cvss, recent_cves, recent_without_cna_cvss } = found
  return (
    <p>
      Records without a CVSS score from this CNA: {formatShare(without_cna_cvss / total_cves)}
      {recent_cves === 0 ? null : ` (last 365 days: ${formatShare(recent_without_cna_cvss / recent_cves)})`}.
    </p>
  )
}

function Cna({ slug, query }: { slug: string; query: URLSearchParams }) {
  const path = `/cnas/${encodeURIComponent(slug)}`
  const answer = useAnswer<CnaDetail>(path)
  const stats = useAnswer<Stats>('/stats')
  return (
    <>
      <Heading>{answer.data?.cna_name ?? slug}</Heading>
      <Waiting answers={[answer, stats]} />
      <Await answer={answer}>
        {(cna) => (
          <>
            <Figures
              figures={[
                ['grade', cna.grade ?? <Unknown />],
                ['completeness', percent(cna.overall_completeness)],
                ['CVEs', formatCount(cna.total_cves)],
                ['in the last 365 days', formatCount(cna.recent_cves)],
                ['mean CVSS score', cna.avg_cvss_score === null ? <Unknown /> : formatScore(cna.avg_cvss_score)],
                ['vendors', formatCount(cna.vendor_diversity)],
              ]}
            />
            <WithoutScore slug={cna.slug} stats={stats.data} />
            <details>
              <summary>What the grade means</summary>
              <p class="about">{GRADE_TEXT}</p>
            </details>
            <Facts
              facts={[
                [
                  'Key',
                  <span key="slug" class="id">
                    {cna.slug}
                  </span>,
                ],
                ['Activity', `${cna.activity_status}, ${formatScore(cna.years_active)} years with records`],
                ['Newest CVE', <Day key="day" at={cna.latest_cve_date} />],
                ['Country', cna.country],
                ['Organisation', cna.organization_type.filter((type) => type !== 'N/A').join(', ')],
                ['Assigns ids for', cna.scope],
                [
                  'Advisories',
                  cna.advisories_url === null ? null : <ExternalLink key="url" url={cna.advisories_url} />,
                ],
              ]}
            />
          </>
        )}
      </Await>
      {answer.error ? null : (
        // The filter takes the short name, which may have blanks where the key has `_`.
        <EntryCves path={`${path}/cves`} all={({ assigner }) => ({ assigner })} base={['cnas', slug]} query={query} />
      )}
    </>
  )
}
