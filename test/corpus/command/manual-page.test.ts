/** The manual page of a small program. test/cli/man.long.test.ts checks those of the real programs. */
import { Command, Option } from 'commander'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { manualPage } from '../../../corpus/command/manual-page.ts'

const program = new Command('my-tool').version('1.2.3').description('Pack → unpack')
program
  .command('pack <folder> [name]')
  .description('.hidden files are packed too')
  .addOption(new Option('--level <n>', 'C:\\temp is "level" 3').default(3).env('MY_LEVEL'))
  .addHelpText('after', "\nExamples:\n  my-tool pack 'a b'\n'quoted'")
program.command('internal', { hidden: true })

test('the page has every visible command and option, with texts escaped for roff, and no date', () => {
  assert.is(
    manualPage(program).split('.SH ENVIRONMENT')[0],
    String.raw`.TH "MY\-TOOL" 1 "" "my\-tool 1.2.3" "User Commands"
.SH NAME
my\-tool \- Pack \[u2192] unpack
.SH SYNOPSIS
.B my\-tool
.I command
[options] [arguments]
.SH COMMANDS
.SS "pack <folder> [name]"
\&.hidden files are packed too
.TP
.B \-\-level <n>
C:\etemp is "level" 3 (default: 3, env: MY_LEVEL)
.TP
.B \-h, \-\-help
display help for command
.PP
.nf
Examples:
  my\-tool pack 'a b'
\&'quoted'
.fi
.SS "help [command]"
display help for command
`,
  )
})

test.run()
