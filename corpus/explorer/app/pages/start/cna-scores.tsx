/** CNAs with the most records that lack a CVSS score of the CNA. */
import { type Ranked, RankedList } from '../../charts/ranking.tsx'
import type { CnaScores } from '../../data/answers.ts'
import { formatCount, formatShare } from '../../parts/format.ts'
import { link } from '../../router.ts'

export function CnasWithoutScores({ rows }: { rows: readonly CnaScores[] }) {
  return (
    <RankedList
      title="CNAs without CVSS scores"
      axis="Records without a CVSS score from their CNA. Only CNAs with at least 20 records in all years"
      entriesOf={(isLastYear) => withoutScores(rows, isLastYear)}
      beginsWithLastYear
    />
  )
}

const withoutScores = (rows: readonly CnaScores[], isLastYear: boolean): Ranked[] =>
  rows
    .map(({ slug, cna_name: name, total_cves, without_cna_cvss, recent_cves, recent_without_cna_cvss }) => {
      const [all, without] = isLastYear ? [recent_cves, recent_without_cna_cvss] : [total_cves, without_cna_cvss]
      return { slug, name, all, without }
    })
    .filter(({ without }) => without > 0)
    .sort((a, b) => b.without - a.without)
    .map(({ slug, name, all, without }) => ({
      id: slug,
      name,
      href: link(['cnas', slug]),
      count: `${formatCount(without)} of ${formatCount(all)} (${formatShare(without / all)})`,
      share: without / all,
    }))
