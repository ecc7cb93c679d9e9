/** `#/cves` and `#/cves/{cveId}` */
import type { CveSummary } from '../data/answers.ts'
import { useAnswer, usePages } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { Await, ListEnd } from '../parts/answer.tsx'
import { CveTable } from '../parts/cve-table.tsx'
import { Heading } from '../parts/heading.tsx'

export default function CvesPage({ path: [id], query }: PageProps) {
  return id === undefined ? <CveList query={query} /> : <Cve id={id} />
}

function CveList({ query }: { query: URLSearchParams }) {
  const pages = usePages<CveSummary>('/cves', Object.fromEntries(query))
  return (
    <>
      <Heading>CVEs</Heading>
      <CveTable rows={pages.rows} caption="CVEs" />
      <ListEnd pages={pages} empty="No CVE matches the filters." />
    </>
  )
}

function Cve({ id }: { id: string }) {
  const answer = useAnswer<CveSummary>(`/cves/${encodeURIComponent(id)}`)
  return (
    <>
      <Heading>{id}</Heading>
      <Await answer={answer}>{({ title }) => <p>{title}</p>}</Await>
    </>
  )
}
