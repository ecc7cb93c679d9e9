/** Decisions and news in the report of `vulnshelf check` as text. */
import { shortened } from '../../../corpus/command/format.ts'
import type { DecidedFinding, DecidedPackage } from '../../../corpus/inventory/decisions/apply.ts'
import type { Decision } from '../../../corpus/inventory/decisions/decide.ts'
import { linePosition, unusedText } from '../../../corpus/inventory/decisions/words.ts'
import type { Finding, LocatedComponent } from '../../../corpus/inventory/findings.ts'
import { packageName } from '../../../corpus/inventory/inventory.ts'
import { newsText } from '../../../corpus/inventory/news.ts'
import type { CheckReport, ReportedFinding } from '../check.ts'

/** A line for each finding, and each advisory of an undecided package, that a decision is about. */
export function decidedLines(findings: readonly DecidedFinding[], undecided: readonly DecidedPackage[]): string[] {
  const open = undecided.flatMap(({ advisories, decisions, ...one }) =>
    advisories.map((advisory, i) => ({ ...one, advisory, decision: decisions[i]! })),
  )
  return [...findings, ...open].flatMap(({ decision, ...finding }) => {
    if (decision === null) return []
    return [`${decision.suppresses ? 'suppressed' : 'stated'}: ${findingText(finding)} (${decisionText(decision)})`]
  })
}

/** A line for each finding that `--since` shows. */
export const newsLines = (findings: readonly ReportedFinding[]): string[] =>
  findings.flatMap((finding) =>
    finding.news === null ? [] : [`news: ${findingText(finding)} (${finding.news.map(newsText).join('; ')})`],
  )

export const unusedLines = ({ decisions }: Pick<CheckReport, 'decisions'>): string[] =>
  decisions.unused.map((one) => `${linePosition(one)}: ${shortened(unusedText(one), 200)}`)

const findingText = (finding: LocatedComponent & Pick<Finding, 'advisory'>) =>
  `${packageName(finding)} ${shortened(finding.version, 100)} ${finding.advisory.advisory_id}`

/** `ignored until 2027-01-31: not reachable; vulnshelf.ignore.json:3`. */
export function decisionText({ status, justification, reason, until, ...position }: Decision): string {
  const why = [justification, reason].filter((one) => one !== null).join(', ')
  const label = `${status.replaceAll('_', ' ')}${until === null ? '' : ` until ${until}`}`
  return `${label}${why === '' ? '' : `: ${shortened(why, 300)}`}; ${linePosition(position)}`
}
