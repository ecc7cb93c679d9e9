/** The report of `vulnshelf check` as JUnit XML: a suite for each file, a test case for each package that is not fine. */
import { printableLine } from '../../../corpus/command/printable.ts'
import { isSettled, isSuppressed } from '../../../corpus/inventory/decisions/apply.ts'
import type { CheckReport } from '../check.ts'
import { advisoryText, byPackage, fullName, notCheckedName, safeVersionText, undecidedReason } from './words.ts'

type Result = 'passed' | 'failure' | 'skipped' | 'error'

interface TestCase {
  name: string
  line: number | null
  result: Result
  text: string
}

/**
 * An affected package fails if one of its findings does, and is skipped if decisions suppress all. An undecided package, and
 * one that was not checked, is skipped, or fails where `failOn` says so. A file that cannot be read is an error.
 */
export function junitXml(report: CheckReport): string {
  const suites = new Map<string, TestCase[]>(report.files.map(({ file }) => [file, []]))
  const add = (file: string, one: TestCase) => suites.set(file, [...(suites.get(file) ?? []), one])
  for (const own of byPackage(report.findings, { inFile: true })) {
    const first = own[0]!
    const result = own.some(({ fails }) => fails) ? 'failure' : own.every(isSuppressed) ? 'skipped' : 'passed'
    const text = `${result === 'skipped' ? 'suppressed: ' : ''}affected by ${own.map(advisoryText).join(', ')}; ${safeVersionText(first)}`
    add(first.file, { name: fullName(first), line: first.line, result, text })
  }
  const affected = new Set(report.findings.map((one) => `${one.file}\n${fullName(one)}`))
  for (const one of report.undecided) {
    // The findings of an affected package are its test case.
    if (affected.has(`${one.file}\n${fullName(one)}`)) continue
    const result = report.failOn.undecided && !isSettled(one) ? 'failure' : 'skipped'
    add(one.file, { name: fullName(one), line: one.line, result, text: `undecided: ${undecidedReason(one)}` })
  }
  for (const one of report.notChecked) {
    const result = report.failOn.unchecked ? 'failure' : 'skipped'
    add(one.file, { name: notCheckedName(one), line: one.line, result, text: `not checked: ${one.reason}` })
  }
  for (const { file, message } of report.unreadable) {
    add(file, { name: 'reading the file', line: null, result: 'error', text: message })
  }
  for (const { file, packages } of report.files) {
    if (suites.get(file)!.length > 0) continue
    add(file, { name: 'all packages', line: null, result: 'passed', text: `${packages} packages, none affected` })
  }
  const all = [...suites.values()].flat()
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="vulnshelf check" ${totals(all)}>`,
    ...Array.from(suites, ([file, cases]) => suiteXml(file, cases)),
    '</testsuites>',
  ].join('\n')
}

const COUNTED = { failures: 'failure', errors: 'error', skipped: 'skipped' } as const

const totals = (cases: readonly TestCase[]): string =>
  [
    `tests="${cases.length}"`,
    ...Object.entries(COUNTED).map(
      ([name, result]) => `${name}="${cases.filter((one) => one.result === result).length}"`,
    ),
  ].join(' ')

const suiteXml = (file: string, cases: readonly TestCase[]): string =>
  [`<testsuite name="${xml(file)}" ${totals(cases)}>`, ...cases.map((one) => caseXml(file, one)), '</testsuite>'].join(
    '\n',
  )

function caseXml(file: string, { name, line, result, text }: TestCase): string {
  const position = line === null ? '' : ` line="${line}"`
  const inner =
    result === 'passed' ? `<system-out>${xml(text)}</system-out>` : `<${result} message="${xml(text)}"></${result}>`
  return `<testcase name="${xml(name)}" classname="${xml(file)}" file="${xml(file)}"${position}>${inner}</testcase>`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Characters that XML 1.0 excludes are replaced, and those that a terminal would interpret. */
const xml = (text: string): string =>
  printableLine(text.toWellFormed().replace(/[\ufffe\uffff]/g, '\ufffd')).replace(/[&<>"']/g, (one) => ENTITIES[one]!)
