/** The command `check`: its options, its help, its exit codes. */
import type { Option } from 'commander'
import type { CommandLine, Groups } from '../../corpus/command/command-line.ts'
import { printable, printableJson } from '../../corpus/command/printable.ts'
import { clearProgress } from '../../corpus/command/progress.ts'
import type { CheckFlags } from './command.ts'
import { FAIL_LEVELS } from './fail-levels.ts'

/** Groups of its help page. */
export const CHECK_OPTIONS: Groups = {
  'Files:': ['exclude'],
  'Snapshot:': ['snapshot', 'at', 'keys'],
  'What fails:': ['fail-on', 'unscored', 'fail-on-undecided', 'fail-on-unchecked'],
  'Report:': ['json', 'sarif'],
}

const HELP = `
Reads package-lock.json, npm-shrinkwrap.json, pnpm-lock.yaml, yarn.lock, composer.lock,
requirements.txt, poetry.lock, go.sum, go.mod, Cargo.lock, Gemfile.lock, pubspec.lock,
mix.lock, Package.resolved, Podfile.lock, conan.lock, renv.lock, cabal.project.freeze,
stack.yaml.lock, Manifest.toml of Julia, GitHub workflows, CycloneDX and
SPDX 2 in JSON, or purls, one per line. Searches folders for files with these names, without
those that .gitignore excludes, without the folders node_modules and vendor, and without
symbolic links. With - as a file, reads standard input. The files are not sent anywhere: the
command only reads parts of the snapshot.

The exit code is 0 if nothing fails, 1 if something does, 2 for an error or a file that cannot
be read, and 3 if no package can be judged. A finding without a severity fails, unless
--unscored pass is set. A package is undecided if its version cannot be compared, and not
checked if the snapshot has no advisories for its ecosystem.`

/** `at` makes the option that chooses an earlier snapshot. */
export function addCheckCommand({ program, option, required, examples, fail }: CommandLine, at: () => Option): void {
  program
    .command('check <files...>')
    .description('Show which advisories affect the packages of lock files and SBOMs')
    .addOption(
      option('--exclude <pattern>', 'leave out files and folders, with a pattern as in .gitignore (repeatable)')
        .argParser((pattern: string, before: string[]) => [...before, pattern])
        .default([], 'none'),
    )
    .addOption(required(option('--snapshot <dist or url>', 'folder of snapshots, bundle, or URL of a repository')))
    .addOption(at())
    .addOption(option('--keys <file>', 'key set (JWKS); one of its keys must have signed the pointer'))
    .addOption(
      option('--fail-on <level>', 'exit with 1 for findings of this severity or above')
        .choices(FAIL_LEVELS)
        .default('high'),
    )
    .addOption(
      option('--unscored <fail or pass>', 'what findings without any severity do')
        .choices(['fail', 'pass'])
        .default('fail'),
    )
    .addOption(option('--fail-on-undecided', 'exit with 1 if a package is undecided'))
    .addOption(option('--fail-on-unchecked', 'exit with 1 if a package was not checked'))
    .addOption(option('--json', 'print the report as JSON'))
    .addOption(option('--sarif', 'print the report as SARIF 2.1.0').conflicts('json'))
    .addHelpText('after', HELP)
    .addHelpText(
      'after',
      examples(
        'check package-lock.json --snapshot dist',
        'check . --exclude examples --snapshot dist',
        'check bom.json --snapshot https://vulns.example.com/dist --fail-on critical',
        'check - --snapshot dist --json < purls.txt',
      ),
    )
    .action(async (operands: string[], options: CheckFlags & { json?: boolean; sarif?: boolean }) => {
      const { checkFromCommand, EXIT_CODES } = await import('./command.ts')
      const { formatCheckReport } = await import('./report.ts')
      const { sarifOf } = await import('./sarif.ts')
      try {
        const report = await checkFromCommand(operands, options, fail)
        clearProgress()
        if (report !== null) {
          const text = options.sarif
            ? printableJson(sarifOf(report), 1)
            : options.json
              ? printableJson(report, 1)
              : printable(formatCheckReport(report))
          process.stdout.write(`${text}\n`)
        }
        process.exitCode = EXIT_CODES[report?.outcome ?? 'unreadable']
      } catch (error) {
        // The code 1 means that the check failed.
        fail(error)
        process.exitCode = 2
      }
    })
}
