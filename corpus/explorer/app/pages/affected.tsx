/** `#/affected?purl=pkg:npm/lodash@4.17.15`, `?cpe=`, `?ecosystem=&name=&version=`: the advisories that affect it. */
import type { Affected, AffectedRow, Page } from '../data/answers.ts'
import { usePages } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { AffectedRows, Question, QuestionForm } from '../parts/affected-question.tsx'
import { Loading } from '../parts/answer.tsx'
import { Heading } from '../parts/heading.tsx'
import { link } from '../router.ts'

export default function AffectedPage({ query }: PageProps) {
  const asked = query.get('purl') ?? query.get('cpe') ?? ''
  const { ecosystem, name, version } = Object.fromEntries(query)
  return (
    <>
      <Heading>Look up advisories</Heading>
      <QuestionForm key={asked} asked={asked} />
      {query.size > 0 ? <Answered query={query} /> : null}
      {ecosystem !== undefined && name !== undefined ? (
        <p>
          <a href={link(['packages', ecosystem, name], { version })}>Open the page of this package</a>
        </p>
      ) : null}
    </>
  )
}

function Answered({ query }: { query: URLSearchParams }) {
  const params = Object.fromEntries(query)
  const pages = usePages<AffectedRow>('/affected', params)
  const first = pages.first as (Page<AffectedRow> & Pick<Affected, 'query'>) | null
  if (first === null && pages.loading) return <Loading />
  return (
    <section>
      {first === null ? null : <Question query={first.query} />}
      <AffectedRows pages={pages} params={params} query={first?.query ?? null} />
    </section>
  )
}
