/** The report of `vulnshelf check` as annotations of GitHub Actions: one for each package of a file. */
import { printableLine } from '../../../corpus/command/printable.ts'
import { isSuppressed } from '../../../corpus/inventory/decisions/apply.ts'
import type { CheckReport } from '../check.ts'
import { STDIN } from '../read.ts'
import {
  advisoryText,
  byPackage,
  countsText,
  fullName,
  notCheckedName,
  outcomeTexts,
  safeVersionText,
  sinceTexts,
  undecidedReason,
} from './words.ts'

/** Annotations of packages that are undecided or not checked. GitHub shows ten of a level for each step. */
const NAMED = 10

/** An annotation is an `error` if a finding of its package fails, otherwise a `warning`. */
export function githubAnnotations({ findings, undecided, notChecked, ...report }: CheckReport): string {
  return [
    ...report.unreadable.map(({ file, message }) => command('error', { file, line: null }, 'Not read', message)),
    ...byPackage(
      findings.filter((one) => !isSuppressed(one)),
      { inFile: true },
    ).map((own) => {
      const first = own[0]!
      const level = own.some(({ fails }) => fails) ? 'error' : 'warning'
      const text = `affected by ${own.map(advisoryText).join(', ')}; ${safeVersionText(first)}`
      return command(level, first, fullName(first), text)
    }),
    ...undecided
      .slice(0, NAMED)
      .map((one) => command('notice', one, fullName(one), `undecided: ${undecidedReason(one)}`)),
    ...notChecked
      .slice(0, NAMED)
      .map((one) => command('notice', one, notCheckedName(one), `not checked: ${one.reason}`)),
    ...[countsText(report), ...sinceTexts(report), ...outcomeTexts(report)].map(printableLine),
  ].join('\n')
}

type Position = { file: string; line: number | null }

function command(level: 'error' | 'warning' | 'notice', { file, line }: Position, title: string, text: string): string {
  const properties = [
    ...(file === STDIN ? [] : [`file=${property(file)}`]),
    ...(line === null ? [] : [`line=${line}`]),
    `title=${property(title)}`,
  ]
  return `::${level} ${properties.join(',')}::${escaped(text)}`
}

/** What ends a command or a line is escaped, as the runner reads it (`@actions/core`). */
const escaped = (text: string): string => printableLine(text.replaceAll('%', '%25')).replace(/[\r\n]/g, ' ')

const property = (text: string): string => escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
