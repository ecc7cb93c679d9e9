/** The command `query`: its options and its help. */
import { once } from 'node:events'
import type { Option } from 'commander'
import { type CommandLine, wholeNumber } from '../../corpus/command/command-line.ts'
import type { QueryFlags } from './command.ts'
import { FORMATS } from './output.ts'

const HELP = `
The target is that of the API: /kev, /cwes/79, /affected?purl=…. Without a slash at its
beginning, it is filters of /cves: severity=critical&kev=true. Lists are read page by page to
their end.

The address is a folder of snapshots, a bundle, or the URL of a repository or site. With
--token, it is the URL of a gateway. Set VULNSHELF_TOKEN instead of the option: other users can
see command lines.

NDJSON has the rows of the API. CSV (RFC 4180) has a column for each field: kev_listed is
kev.listed. Items of lists are joined by semicolons. A text that a spreadsheet would take for a
formula gets an apostrophe. A table is for people: it cuts long texts, and without --fields it
shows some of the fields.

The exit code is 2 for a parameter that the API rejects, and 1 for other errors.`

/** `at` makes the option that chooses an earlier snapshot. */
export function addQueryCommand({ program, option, examples }: CommandLine, at: () => Option): void {
  program
    .command('query <dist> [target]')
    .description('Answer a request of the API from a folder of snapshots, a URL or a gateway')
    .addOption(option('--fields <names>', 'fields of the rows, separated by commas (default: all; a table has some)'))
    .addOption(option('--sort <key>', 'sort key of the list; with - before it, descending'))
    .addOption(option('--limit <n>', 'maximum number of rows (default: all)').argParser(wholeNumber(1)))
    .addOption(option('--format <name>', 'format of the output').choices(FORMATS).default('table'))
    .addOption(at())
    .addOption(option('--keys <file>', 'key set (JWKS); one of its keys must have signed the pointer'))
    .addOption(option('--token <token>', 'access token of a gateway'))
    .addHelpText('after', HELP)
    .addHelpText(
      'after',
      examples(
        "query dist 'severity=critical&kev=true' --sort -epss",
        "query dist 'vendor=microsoft&published_since=2026-01-01' --fields cvss_score,title --format csv",
        'query dist /kev --sort due_date --limit 20',
        "query https://vulns.example.com/dist 'kev=true' --at 2026-09-11 --format ndjson",
      ),
    )
    .action(async (dist: string, target: string | undefined, flags: Omit<QueryFlags, 'limit'> & { limit?: number }) => {
      const { queryFromCommand } = await import('./command.ts')
      const { stdout } = process
      await queryFromCommand(
        dist,
        target ?? '/cves',
        { ...flags, limit: flags.limit ?? Number.POSITIVE_INFINITY },
        {
          isTerminal: stdout.isTTY,
          async write(text) {
            if (!stdout.write(text)) await once(stdout, 'drain')
          },
          note: (text) => void process.stderr.write(`vulnshelf: ${text}\n`),
        },
      )
    })
}
