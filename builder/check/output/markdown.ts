/** The report of `vulnshelf check` in Markdown, as a comment of a pull request or the summary of a job. */
import { counted, grouped } from '../../../corpus/command/format.ts'
import { printableLine } from '../../../corpus/command/printable.ts'
import { isSuppressed } from '../../../corpus/inventory/decisions/apply.ts'
import { NO_SAFE_VERSION_REASONS } from '../../../corpus/inventory/reasons.ts'
import type { CheckReport, ReportedFinding } from '../check.ts'
import { decidedLines, unusedLines } from './decision-lines.ts'
import {
  byPackage,
  countsText,
  fullName,
  notCheckedName,
  outcomeTexts,
  positionOf,
  severityText,
  sinceTexts,
  undecidedReason,
} from './words.ts'

/** GitHub accepts comments of 65,536 characters. */
const MAX_CHARACTERS = 60_000

/** Advisories of a package, and packages of a list. */
const NAMED_ADVISORIES = 5
const NAMED = 10

export function markdownSummary({ findings, undecided, notChecked, ...report }: CheckReport): string {
  const head = [
    `### vulnshelf: ${report.outcome.replaceAll('_', ' ')}`,
    '',
    ...[countsText(report), ...sinceTexts(report), ...outcomeTexts(report)].map((text) => `- ${plain(text)}`),
  ]
  const packages = byPackage(
    findings.filter((one) => !isSuppressed(one)),
    { inFile: true },
  )
  const lists = [
    ...listOf('Decisions', decidedLines(findings, undecided).map(plain)),
    ...listOf('Decisions without effect', unusedLines(report).map(plain)),
    ...listOf(
      'Undecided',
      undecided.map((one) => `${code(fullName(one))} in ${code(positionOf(one))}: ${plain(undecidedReason(one))}`),
    ),
    ...listOf(
      'Not checked',
      notChecked.map((one) => `${code(notCheckedName(one))} in ${code(positionOf(one))}: ${plain(one.reason)}`),
    ),
  ]
  const tableHead = ['', '| Package | Safe version | Advisories | Severity | File |', '|---|---|---|---|---|']
  let left = MAX_CHARACTERS - [...head, ...tableHead, ...lists].join('\n').length
  const rows: string[] = []
  for (const row of packages.map(rowOf)) {
    left -= row.length + 1
    if (left < 0) break
    rows.push(row)
  }
  const more = packages.length - rows.length
  return [
    ...head,
    ...(packages.length === 0 ? [] : [...tableHead, ...rows]),
    ...(more === 0 ? [] : ['', `… and ${counted(more, 'package')} more.`]),
    ...lists,
  ].join('\n')
}

function rowOf(findings: readonly ReportedFinding[]): string {
  const first = findings[0]!
  const ids = findings.slice(0, NAMED_ADVISORIES).map(({ advisory }) => linked(advisory.advisory_id))
  const more = findings.length > ids.length ? [`… ${grouped(findings.length - ids.length)} more`] : []
  const known = findings.some(({ advisory }) => advisory.kev) ? ', known to be exploited' : ''
  return `| ${[
    code(fullName(first)),
    first.safeVersion === null
      ? `none: ${NO_SAFE_VERSION_REASONS[first.noSafeVersion!]}`
      : `**${code(first.safeVersion)}**`,
    [...ids, ...more].join('<br>'),
    `${plain(severityText(first))}${known}`,
    code(positionOf(first)),
  ].join(' | ')} |`
}

function listOf(heading: string, items: readonly string[]): string[] {
  if (items.length === 0) return []
  const more = items.length > NAMED ? [`- … and ${grouped(items.length - NAMED)} more`] : []
  return ['', `**${heading}**`, '', ...items.slice(0, NAMED).map((item) => `- ${item}`), ...more]
}

/** A text of others cannot begin Markdown, HTML or a mention. */
const plain = (text: string): string =>
  printableLine(text.slice(0, 500)).replace(/[\\`*_{}[\]<>()#+!|~@&-]/g, (character) => `&#${character.charCodeAt(0)};`)

/** In code, only a backtick and the border of a cell have a meaning. */
const code = (text: string): string =>
  `\`${printableLine(text.slice(0, 300)).replaceAll('`', "'").replaceAll('|', '\\|')}\``

const linked = (id: string): string =>
  /^[\w-]{1,100}$/.test(id) ? `[${id}](https://osv.dev/vulnerability/${id})` : code(id)
