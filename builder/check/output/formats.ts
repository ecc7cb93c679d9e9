/** Writes the report of `vulnshelf check` in the format that the user chose. */
import { styleText } from 'node:util'
import { printableJson } from '../../../corpus/command/printable.ts'
import type { CheckReport } from '../check.ts'
import type { Output } from '../outputs.ts'
import { githubAnnotations } from './github.ts'
import { reportJson } from './json.ts'
import { junitXml } from './junit.ts'
import { markdownSummary } from './markdown.ts'
import { openVexOf } from './openvex.ts'
import { sarifOf } from './sarif.ts'
import { formatTable, type Paint } from './table.ts'

type Formatter = (report: CheckReport, vexAuthor?: string) => string

const FORMATS: Readonly<Record<Output, Formatter>> = {
  table: (report) => `${formatTable(report, paint)}\n`,
  json: reportJson,
  sarif: (report) => `${printableJson(sarifOf(report), 1)}\n`,
  junit: (report) => `${junitXml(report)}\n`,
  github: (report) => `${githubAnnotations(report)}\n`,
  markdown: (report) => `${markdownSummary(report)}\n`,
  openvex(report, author) {
    const document = openVexOf(report, author!)
    return document === null ? '' : `${printableJson(document, 1)}\n`
  },
}

/** Returns the text of the report. `openvex` requires an author, and is empty without findings. */
export const formatReport = (report: CheckReport, output: Output, vexAuthor?: string): string =>
  FORMATS[output](report, vexAuthor)

/** Without colours unless standard output is a terminal. `NO_COLOR` and `FORCE_COLOR` count. */
const paint: Paint = (style, text) => styleText(style, text, { stream: process.stdout })
