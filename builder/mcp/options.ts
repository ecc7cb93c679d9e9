/** The command `mcp`: its options and its help. */
import type { Option } from 'commander'
import type { CommandLine } from '../../corpus/command/command-line.ts'
import type { McpFlags } from './command.ts'

const HELP = `
Speaks the Model Context Protocol on standard input and output, until the input ends. A client
starts it. The tools only read: get_cve, search, list_cves, affected, check, changes, explain.
The server keeps the snapshot that is current when it starts, or the one of --at.

The address is a folder of snapshots, a bundle, or the URL of a repository or site.`

/** `at` makes the option that chooses an earlier snapshot. */
export function addMcpCommand({ program, option, examples }: CommandLine, at: () => Option): void {
  program
    .command('mcp <dist>')
    .description('Serve a snapshot to AI clients by the Model Context Protocol')
    .addOption(at())
    .addOption(option('--keys <file>', 'key set (JWKS); one of its keys must have signed the pointer'))
    .addHelpText('after', HELP)
    .addHelpText(
      'after',
      examples('mcp dist', 'mcp https://vulns.example.com/dist --keys keys.json', 'mcp dist --at 2026-09-11'),
    )
    .action(async (dist: string, flags: McpFlags) => {
      const { mcpFromCommand } = await import('./command.ts')
      await mcpFromCommand(dist, flags)
    })
}
