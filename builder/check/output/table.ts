/** The report of `vulnshelf check` as a table: the findings of each package, its safe version first. */
import type { styleText } from 'node:util'
import { counted, grouped, shortened, table } from '../../../corpus/command/format.ts'
import { printableLine } from '../../../corpus/command/printable.ts'
import { isSuppressed } from '../../../corpus/inventory/decisions/apply.ts'
import { worstSeverity } from '../../../corpus/inventory/findings.ts'
import { packageName } from '../../../corpus/inventory/inventory.ts'
import { NO_SAFE_VERSION_REASONS } from '../../../corpus/inventory/reasons.ts'
import type { Severity } from '../../../corpus/model/record.ts'
import type { CheckReport, ReportedFinding } from '../check.ts'
import { decidedLines, newsLines, unusedLines } from './decision-lines.ts'
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

/** Colours a text. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string

/** Packages without a finding that a list names, and files of a package. */
const NAMED = 10
const NAMED_FILES = 3

export function formatTable({ findings, undecided, notChecked, ...report }: CheckReport, paint: Paint): string {
  const open = findings.filter((one) => !isSuppressed(one))
  const lines = [
    ...newsLines(open),
    ...decidedLines(findings, undecided),
    ...namesOf(
      'undecided',
      undecided.map((one) => `${fullName(one)} (${positionOf(one)}, ${undecidedReason(one)})`),
    ),
    ...namesOf(
      'not checked',
      notChecked.map((one) => `${notCheckedName(one)} (${positionOf(one)}, ${one.reason})`),
    ),
    ...namesOf('no effect', unusedLines(report)),
    countsText(report),
    ...sinceTexts(report),
  ]
  return [
    ...(open.length > 0 ? [...tableOf(open, paint), ''] : []),
    ...lines.map(printableLine),
    ...outcomeTexts(report).map((text) => paint(report.outcome === 'passed' ? 'green' : 'red', printableLine(text))),
  ].join('\n')
}

const HEADINGS = ['package', 'version', 'safe version', 'advisory', 'severity', 'KEV', 'EPSS', 'fixed in', 'file']
const LEFT = [0, 1, 2, 3, 4, 5, 7, 8]
const [PACKAGE, SAFE, SEVERITY] = [0, 2, 4]

const COLOURS: Readonly<Partial<Record<Severity, Parameters<typeof styleText>[0]>>> = {
  critical: ['bold', 'red'],
  high: 'red',
  medium: 'yellow',
}

interface Row {
  cells: string[]
  severity: Severity | null
}

function tableOf(findings: readonly ReportedFinding[], paint: Paint): string[] {
  const rows = byPackage(findings, { inFile: false }).flatMap(rowsOf)
  const painted = (cell: string, row: number, column: number): string => {
    if (row === 0) return paint('bold', cell)
    if (column === PACKAGE) return paint('bold', cell)
    if (column === SAFE) return paint('green', cell)
    const colour = column === SEVERITY ? COLOURS[rows[row - 1]!.severity ?? 'none'] : undefined
    return colour === undefined ? cell : paint(colour, cell)
  }
  return table([HEADINGS, ...rows.map(({ cells }) => cells)], LEFT, painted).map((line) => line.trimEnd())
}

/** A row for each advisory, beside the files. The package has its name in the first row. */
function rowsOf(findings: readonly ReportedFinding[]): Row[] {
  const first = findings[0]!
  const { safeVersion, noSafeVersion } = first
  const safe = safeVersion ?? `none: ${NO_SAFE_VERSION_REASONS[noSafeVersion!]}`
  const advisories = [...Map.groupBy(findings, ({ advisory }) => advisory.advisory_id).values()]
  const files = filesOf(findings)
  return Array.from({ length: Math.max(advisories.length, files.length) }, (_, i) => {
    const finding = advisories[i]?.[0]
    const cells = [
      ...(i === 0 ? [packageName(first), first.version, safe] : ['', '', '']),
      ...(finding ? advisoryCells(finding) : ['', '', '', '', '']),
      files[i] ?? '',
    ]
    // Escapes change the width.
    return {
      cells: cells.map((cell) => printableLine(shortened(cell, 100))),
      severity: finding ? worstSeverity(finding.advisory) : null,
    }
  })
}

function advisoryCells(finding: ReportedFinding): string[] {
  const { advisory_id, cve_ids, kev, epss, fixed_versions } = finding.advisory
  const others = cve_ids.filter((id) => id !== advisory_id)
  return [
    others.length === 0 ? advisory_id : `${advisory_id} (${others[0]}${others.length > 1 ? ', …' : ''})`,
    severityText(finding),
    kev ? 'yes' : '-',
    epss === null ? '-' : epss.toFixed(5),
    fixed_versions[0] ?? '-',
  ]
}

function filesOf(findings: readonly ReportedFinding[]): string[] {
  const files = [...new Set(findings.map(positionOf))]
  if (files.length <= NAMED_FILES) return files
  return [...files.slice(0, NAMED_FILES), `… and ${counted(files.length - NAMED_FILES, 'file')} more`]
}

function namesOf(heading: string, names: readonly string[]): string[] {
  const more = names.length > NAMED ? [`… and ${grouped(names.length - NAMED)} more (--output json lists all)`] : []
  return [...names.slice(0, NAMED), ...more].map((name) => `${heading}: ${name}`)
}
