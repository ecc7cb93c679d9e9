/** The command `check`: its options, its help, its exit codes. */
import { InvalidArgumentError, type Option } from 'commander'
import type { CommandLine, Groups } from '../../corpus/command/command-line.ts'
import { printableJson } from '../../corpus/command/printable.ts'
import { clearProgress } from '../../corpus/command/progress.ts'
import { OPTIONAL_GROUPS, type OptionalGroup } from '../../corpus/inventory/inventory.ts'
import type { CheckFlags } from './command.ts'
import { FAIL_LEVELS } from './fail-levels.ts'
import { OUTPUTS, type Output } from './outputs.ts'

/** Groups of its help page. */
export const CHECK_OPTIONS: Groups = {
  'Files:': ['exclude', 'omit'],
  'Snapshot:': ['snapshot', 'at', 'since', 'keys'],
  'Decisions:': ['ignore', 'vex'],
  'What fails:': ['fail-on', 'unscored', 'fail-on-undecided', 'fail-on-unchecked'],
  'Report:': ['output', 'vex-author'],
  'Evidence:': ['receipt', 'replay'],
}

const HELP = `
Reads package-lock.json, npm-shrinkwrap.json, pnpm-lock.yaml, yarn.lock, bun.lock, deno.lock,
composer.lock, requirements.txt, poetry.lock, uv.lock, pdm.lock, Pipfile.lock, pylock.toml,
go.sum, go.mod, Cargo.lock, Gemfile.lock, pom.xml, gradle.lockfile,
verification-metadata.xml, packages.lock.json, packages.config, *.deps.json,
project.assets.json, pubspec.lock, mix.lock, Package.resolved, Podfile.lock, conan.lock,
renv.lock, cabal.project.freeze, stack.yaml.lock, Manifest.toml of Julia, GitHub workflows,
CycloneDX in JSON and XML, SPDX 2 in JSON, YAML and tag-value, SPDX 3, syft JSON, statements of
in-toto around SBOMs, or purls, one per line. Searches folders for files with these names, without
those that .gitignore excludes, without the folders node_modules and vendor, and without
symbolic links. With - as a file, reads standard input. The files are not sent anywhere: the
command only reads parts of the snapshot.

The report is a table, JSON, SARIF 2.1.0, JUnit XML, annotations of GitHub Actions, a summary in
Markdown, or OpenVEX 0.2.0. The safe version of a package is the lowest one above the present
one that no advisory affects.

The exit code is 0 if nothing fails, 1 if something does, 2 for an error or a file that cannot
be read, and 3 if no package can be judged. A finding without a severity fails, unless
--unscored pass is set. A package is undecided if its version cannot be compared, and not
checked if the snapshot has no advisories for its ecosystem.

Findings that vulnshelf.ignore.json or a VEX document suppresses are listed with the reason, and
do not fail. --replay exits with 1 if files changed, or if the result is another one.`

/** Repeatable: `--vex a.json --vex b.json`. */
const list = (text: string, before: string[]) => [...before, text]

function groups(text: string): OptionalGroup[] {
  const names = text.split(',')
  const isKnown = (name: string): name is OptionalGroup => (OPTIONAL_GROUPS as readonly string[]).includes(name)
  if (names.every(isKnown)) return names
  throw new InvalidArgumentError(`It must be one or more of ${OPTIONAL_GROUPS.join(', ')}, with commas.`)
}

/** `at` makes the option that chooses an earlier snapshot. */
export function addCheckCommand({ program, option, required, examples, fail }: CommandLine, at: () => Option): void {
  program
    .command('check [files...]')
    .description('Show which advisories affect the packages of lock files and SBOMs')
    .addOption(
      option('--exclude <pattern>', 'leave out files and folders, with a pattern as in .gitignore (repeatable)')
        .argParser(list)
        .default([], 'none'),
    )
    .addOption(
      option('--omit <groups>', 'leave out packages that only these groups need: dev, optional, peer; with commas')
        .argParser(groups)
        .default([], 'none'),
    )
    .addOption(required(option('--snapshot <dist or url>', 'folder of snapshots, bundle, or URL of a repository')))
    .addOption(at())
    .addOption(option('--since <snapshot>', 'show only what became known since this snapshot; in the forms of --at'))
    .addOption(option('--keys <file>', 'key set (JWKS); one of its keys must have signed the pointer'))
    .addOption(
      option(
        '--ignore <file>',
        'findings to suppress (default: vulnshelf.ignore.json beside each file, and in the working folder)',
      ),
    )
    .addOption(
      option('--vex <file>', 'VEX document: OpenVEX, CycloneDX or CSAF (repeatable)')
        .argParser(list)
        .default([], 'none'),
    )
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
    .addOption(option('--output <format>', 'format of the report').choices(OUTPUTS).default('table'))
    .addOption(option('--vex-author <name>', 'author of the report in OpenVEX: a person or an organization'))
    .addOption(option('--receipt <file>', 'write an in-toto statement with the digests of files, decisions and report'))
    .addOption(
      option('--replay <receipt>', 'repeat the check of a receipt, and compare the result byte for byte').conflicts([
        ...['exclude', 'omit', 'at', 'since', 'ignore', 'vex', 'receipt'],
      ]),
    )
    .addHelpText('after', HELP)
    .addHelpText(
      'after',
      examples(
        'check package-lock.json --snapshot dist',
        'check . --exclude examples --snapshot dist',
        'check bom.json --snapshot https://vulns.example.com/dist --fail-on critical',
        'check - --snapshot dist --output json < purls.txt',
        'check . --snapshot dist --vex vendor.csaf.json --receipt receipt.json',
        'check --replay receipt.json --snapshot dist',
      ),
    )
    .action(async (operands: string[], options: CheckFlags & ReportFlags) => {
      try {
        process.exitCode = await runCommand(operands, options, fail)
      } catch (error) {
        // The code 1 means that the check failed.
        fail(error)
        process.exitCode = 2
      }
    })
}

interface ReportFlags {
  output: Output
  vexAuthor?: string
  receipt?: string
  replay?: string
}

/** Returns the exit code. */
async function runCommand(
  operands: readonly string[],
  options: CheckFlags & ReportFlags,
  fail: (error: Error) => void,
): Promise<number> {
  const { CheckError } = await import('./error.ts')
  if (options.replay !== undefined) {
    if (options.output !== 'table' && options.output !== 'json') {
      throw new CheckError('usage', '--replay has the outputs table and json')
    }
    if (operands.length > 0) throw new CheckError('usage', '--replay takes no files: the receipt names them')
    const { formatReplayReport, REPLAY_EXIT_CODES, replayReceipt } = await import('./replay.ts')
    const report = await replayReceipt(options.replay, options)
    clearProgress()
    process.stdout.write(`${options.output === 'json' ? printableJson(report, 1) : formatReplayReport(report)}\n`)
    return REPLAY_EXIT_CODES[report.outcome]
  }
  if (operands.length === 0) throw new CheckError('usage', 'no files: name lock files, SBOMs or folders')
  if (options.output === 'openvex' && options.vexAuthor === undefined) {
    throw new CheckError('usage', '--output openvex requires --vex-author: a person or an organization')
  }
  const { checkFromCommand, EXIT_CODES } = await import('./command.ts')
  const checked = await checkFromCommand(operands, options, fail)
  if (checked === null) return EXIT_CODES.unreadable
  if (options.receipt !== undefined) {
    const { writeReceipt } = await import('./receipt.ts')
    await writeReceipt(options.receipt, checked)
  }
  const { formatReport } = await import('./output/formats.ts')
  clearProgress()
  process.stdout.write(formatReport(checked.report, options.output, options.vexAuthor))
  return EXIT_CODES[checked.report.outcome]
}
