/** `#/search?q=`: the matches of all types. */
import type { SearchResults } from '../data/answers.ts'
import { useAnswer } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { Failure } from '../parts/answer.tsx'
import { formatCount } from '../parts/format.ts'
import { Heading } from '../parts/heading.tsx'
import { ApiRequest } from '../parts/list-tools.tsx'
import { isNamedBy } from '../parts/names.ts'
import { LoadingProgress } from '../parts/progress.tsx'
import { hrefLink, link } from '../router.ts'

type Type = keyof SearchResults['results']

/** In the order of the page. `list` is the page of all matches; null without one. */
const TYPES: readonly (readonly [type: Type, name: string, list: string | null])[] = [
  ['cve', 'CVEs', 'cves'],
  ['vendor', 'Vendors', 'vendors'],
  ['product', 'Products', null],
  ['package', 'Packages', 'packages'],
  ['cwe', 'Weaknesses', 'cwes'],
  ['capec', 'Attack patterns', 'capecs'],
  ['cna', 'CNAs', 'cnas'],
]

const ALL_TYPES = TYPES.map(([type]) => type).join(',')
const MOST = 10

const searchParams = (q: string) => ({ q, types: ALL_TYPES, limit: MOST })

export default function SearchPage({ query }: PageProps) {
  const q = query.get('q')?.trim() ?? ''
  const answer = useAnswer<SearchResults>(q === '' ? null : '/search', searchParams(q))
  return (
    <>
      <Heading title={q === '' ? 'Search' : `Search: ${q}`}>Search</Heading>
      {q === '' ? <p>Enter parts of an id, name or title in the field above.</p> : null}
      {answer.error ? <Failure error={answer.error} retry={answer.retry} /> : null}
      {answer.loading ? <LoadingProgress /> : null}
      {answer.data && !answer.loading && !answer.error ? <Results data={answer.data} q={q} /> : null}
    </>
  )
}

function Results({ data: { results, counts }, q }: { data: SearchResults; q: string }) {
  const found = TYPES.map(([type, name, list]) => ({
    type,
    name,
    list,
    items: results[type] ?? [],
    count: counts[type] ?? 0,
  }))
    .filter(({ count }) => count > 0)
    // Packages and products that the text names are what the user looks for.
    .sort((a, b) => Number(b.items.some((one) => isNamedBy(q, one))) - Number(a.items.some((one) => isNamedBy(q, one))))
  const inTexts = (
    <p>
      <a href={link(['cves'], { text: q })}>CVEs with these words in title, description, vendor or product</a>
    </p>
  )
  if (found.length === 0) {
    return (
      <>
        <p>Nothing matches “{q}”. Enter parts of an id, name or title.</p>
        {inTexts}
      </>
    )
  }
  const total = found.reduce((sum, { count }) => sum + count, 0)
  // Lists match a text as a whole, this page its words.
  const isOneWord = !/\s/u.test(q)
  return (
    <>
      <div class="list-tools">
        <p class="count" role="status">
          {formatCount(total)} {total === 1 ? 'match' : 'matches'}
        </p>
        <ApiRequest path="/search" params={searchParams(q)} />
      </div>
      {found.map(({ type, name, list, items, count }) => (
        <section key={type}>
          <h2>
            {name} <span class="dim">{formatCount(count)}</span>
          </h2>
          <ul class="results">
            {items.map(({ id, label, subtitle, href }) => (
              <li key={id}>
                <a href={hrefLink(href)}>{label}</a>{' '}
                <span class="dim">{label === id ? subtitle : `${id} · ${subtitle}`}</span>
              </li>
            ))}
          </ul>
          {type === 'cve' ? inTexts : null}
          {list !== null && count > items.length && isOneWord ? (
            <a href={link([list], { q })}>Show all {formatCount(count)}</a>
          ) : null}
        </section>
      ))}
    </>
  )
}
