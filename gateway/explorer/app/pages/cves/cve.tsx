/** `#/cves/{cveId}`: everything about a CVE. */
import type { CveSummary } from '../../data/answers.ts'
import { useAnswer } from '../../data/use.ts'
import { Await } from '../../parts/answer.tsx'
import { Heading } from '../../parts/heading.tsx'

export function CvePage({ id }: { id: string }) {
  const answer = useAnswer<CveSummary>(`/cves/${encodeURIComponent(id)}`)
  return (
    <>
      <Heading>{id}</Heading>
      <Await answer={answer}>{({ title }) => <p>{title}</p>}</Await>
    </>
  )
}
