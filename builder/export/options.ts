/** The command `export`: its options and its help. */
import type { Option } from 'commander'
import type { CommandLine } from '../../corpus/command/command-line.ts'
import { counted, grouped, megabytes } from '../../corpus/command/format.ts'
import { printable, printableJson } from '../../corpus/command/printable.ts'
import { clearProgress, showProgress } from '../../corpus/command/progress.ts'
import { EXPORT_FORMATS, type ExportFormat } from './formats.ts'

const HELP = `
The file has the main facts as columns. Rows are in the order of the ids; rejected CVEs have
none. Lists, such as vendors and cwe_ids, are lists in Parquet and NDJSON; in CSV, their items
are joined by semicolons. builder/README.md describes each column.`

interface ExportFlags {
  format?: ExportFormat
  at?: string
  json?: boolean
}

/** `at` makes the option that chooses an earlier snapshot, `json` that of the report. */
export function addExportCommand(
  { program, option, examples }: CommandLine,
  { at, json }: { at: () => Option; json: () => Option },
): void {
  program
    .command('export <dist> <file>')
    .description('Write one row per CVE to a file, in Parquet, NDJSON or CSV')
    .addOption(option('--format <name>', 'format of the file (default: the end of its name)').choices(EXPORT_FORMATS))
    .addOption(at())
    .addOption(json())
    .addHelpText('after', HELP)
    .addHelpText(
      'after',
      examples('export dist cves.parquet', 'export dist cves.csv', 'export dist cves.parquet --at 2026-09-11'),
    )
    .action(async (dist: string, file: string, { json: asJson, ...flags }: ExportFlags) => {
      const { exportFromCommand } = await import('./export.ts')
      const report = await exportFromCommand({ dist, file, ...flags }, showProgress())
      const { cves, columns, bytes, snapshot } = report
      const text = `${file}: ${counted(cves, 'CVE')} of snapshot ${snapshot.id.slice(0, 12)}, ${grouped(columns)} columns, ${megabytes(bytes)}`
      clearProgress()
      process.stdout.write(`${asJson ? printableJson(report, 1) : printable(text)}\n`)
    })
}
