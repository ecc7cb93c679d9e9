/** The report of `vulnshelf check` in JSON, byte for byte as it is printed: receipts have its digest. */
import { printableJson } from '../../../corpus/command/printable.ts'
import type { CheckReport } from '../check.ts'

export const reportJson = (report: CheckReport): string => `${printableJson(report, 1)}\n`
