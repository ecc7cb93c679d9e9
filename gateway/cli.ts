#!/usr/bin/env node
/** The `vulnshelf-gateway` command: reads its words, loads the command they name. */
import '../corpus/command/node-version.js'
import { availableParallelism } from 'node:os'
import { type Command, InvalidArgumentError } from 'commander'
import { commandLine, wholeNumber } from '../corpus/command/command-line.ts'
import { endWithNpm } from '../corpus/command/npm-exit.ts'
import { parseBytes } from '../corpus/model/bytes.ts'
import { parseDuration } from '../corpus/model/duration.ts'
import { MAX_CONNECTIONS } from './bounds.ts'
import type { MirrorFlags } from './mirror/command.ts'
import type { ServeFlags } from './serve-command.ts'
import { LOCAL } from './token.ts'

const { program, option, fail } = commandLine('vulnshelf-gateway')

const list = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

const duration = (text: string) => {
  const seconds = parseDuration(text)
  if (seconds === null) throw new InvalidArgumentError('It must be a time such as 30s, 5m or 1h.')
  return seconds
}

const bytes = (text: string) => {
  const count = parseBytes(text)
  if (count === null) throw new InvalidArgumentError('It must be a number of bytes such as 500k, 10M or 2.5G.')
  return count
}

program.description('Hands out snapshots of vulnerability intelligence').version('0.1.0')

program
  .command('serve <dist>')
  .description('answer requests from the current snapshot, and follow it')
  .addOption(option('--host <host>', 'address to listen on').default('127.0.0.1'))
  .addOption(option('--port <port>', 'port to listen on').argParser(wholeNumber(0, 65_535)).default(8080))
  .addOption(option('--issuer <issuer>', 'who issues tokens: their iss').default(LOCAL.issuer))
  .addOption(option('--audience <audience>', 'whom tokens are for: their aud').default(LOCAL.audience))
  .addOption(option('--jwks <file or url>', 'key set; without it, it is discovered from the issuer'))
  .addOption(option('--no-preview', 'let in accounts that are no administrators'))
  .addOption(option('--origins <list>', 'origins of web pages that may read answers').argParser(list))
  .addOption(option('--no-access-log', 'no line in the log for each request'))
  .addOption(option('--cookie <name>', 'session cookie that may hold the token').default('session'))
  .addOption(option('--admin-claims <list>', 'claims that may say admin (default: role,roles)').argParser(list))
  .addOption(option('--algorithms <list>', 'signature algorithms of tokens').argParser(list))
  .addOption(
    option('--rate-limit <n>', 'requests of a subject in a window').argParser(wholeNumber(1, 1e9)).default(600),
  )
  .addOption(
    option('--failed-tokens <n>', 'tokens from one address that may fail in a window')
      .argParser(wholeNumber(1, 1e9))
      .default(30),
  )
  .addOption(option('--rate-window-seconds <n>', 'length of that window').argParser(wholeNumber(1, 86_400)).default(60))
  .addOption(
    option('--trusted-proxies <list>', 'proxies whose X-Forwarded-For is believed: addresses, networks').argParser(
      list,
    ),
  )
  .addOption(
    option('--redis-url <url>', 'Redis through which gateways share their limits; REDIS_URL is taken as well')
      // Said in help instead of what it is, which may hold a password.
      .default(process.env.REDIS_URL || undefined, 'REDIS_URL'),
  )
  .addOption(option('--access-policy <file>', 'rules that give CVEs an access tier'))
  .addOption(
    option('--metrics-port <port>', 'port of /metrics; without it there are no metrics').argParser(
      wholeNumber(0, 65_535),
    ),
  )
  .addOption(option('--metrics-host <host>', 'address that /metrics listens on').default('127.0.0.1'))
  .addOption(
    option('--poll-seconds <n>', 'how often to look for a new snapshot or policy')
      .argParser(wholeNumber(1, 86_400))
      .default(2),
  )
  .addOption(
    option('--workers <n>', 'processes that answer; all count against the same limits')
      .argParser(wholeNumber(1, 256))
      .default(1),
  )
  .addOption(
    option('--max-connections <n>', 'open connections; the gateway closes further ones at once')
      .argParser(wholeNumber(1, 1_000_000))
      .default(MAX_CONNECTIONS),
  )
  .addOption(option('--follow <source>', 'mirror this repository into the folder that is served, again and again'))
  .addOption(option('--interval <time>', 'with --follow: how often to look').argParser(duration).default(300, '5m'))
  .addOption(option('--keys <file>', 'with --follow: key set (JWKS) of which one key must have signed'))
  .addOption(
    option('--keep <n>', 'with --follow: snapshots that stay, with the current one')
      .argParser(wholeNumber(1, 1e6))
      .default(3),
  )
  .addOption(option('--derive', 'with --follow: make what is derived here instead of fetching it'))
  .action(async (dist: string, flags: ServeFlags, command: Command) => {
    // In the environment they may be meant for other commands.
    const idle = ['interval', 'keys', 'keep', 'derive'].find((name) => command.getOptionValueSource(name) === 'cli')
    if (idle !== undefined && flags.follow === undefined) {
      command.error(`option '--${idle}' goes with --follow, which names what is mirrored`)
    }
    const { startPrepared } = await import('./process-start.ts')
    startPrepared()
    const { serveFromCommand } = await import('./serve-command.ts')
    await serveFromCommand(dist, flags)
  })

program
  .command('mirror <source> <dist>')
  .description(
    'copy the current snapshot of a repository (https://…, s3://…, a folder, a bundle), and prove that it is intact',
  )
  .addOption(option('--keys <file>', 'key set (JWKS) of which one key must have signed; without it nobody need have'))
  .addOption(option('--interval <time>', 'go on, and look again so often: 1h, 5m').argParser(duration))
  .addOption(option('--parallel <n>', 'transfers at once').argParser(wholeNumber(1, 64)).default(6))
  .addOption(option('--max-rate <bytes>', 'bytes per second of all of them, such as 10M').argParser(bytes))
  .addOption(option('--max-bytes <bytes>', 'refuse a larger snapshot').argParser(bytes).default(1e12, '1T'))
  .addOption(option('--derive', 'make what is derived here instead of fetching it, as far as it comes out the same'))
  .addOption(
    option('--jobs <n>', 'threads that derive; 0 does without')
      .argParser(wholeNumber(0, 256))
      .default(availableParallelism(), 'as many as cores'),
  )
  .addOption(option('--bundle <file>', 'write what is new into one file as well, to be carried and mirrored from'))
  .addOption(option('--keep <n>', 'remove all snapshots but so many, with this one').argParser(wholeNumber(1, 1e6)))
  .addOption(option('--json', 'print the report as JSON'))
  .action(async (source: string, dist: string, flags: MirrorFlags) => {
    const { mirrorFromCommand } = await import('./mirror/command.ts')
    await mirrorFromCommand(source, dist, flags)
  })

program
  .command('token')
  .description('make a local key set and a token, for development only')
  .addOption(option('--role <role>', 'role claim').default('admin'))
  .addOption(option('--tier <n>', 'access tier').argParser(wholeNumber(0, 1_000_000)))
  .addOption(option('--expires <time>', 'lifetime, such as 30m, 1h, 2d').default('1h'))
  .addOption(option('--issuer <issuer>', 'iss of the token').default(LOCAL.issuer))
  .addOption(option('--audience <audience>', 'aud of the token').default(LOCAL.audience))
  // No environment variable: VULNSHELF_KEYS is the key set that mirrors trust.
  .option('--keys <folder>', 'where the keys are kept', LOCAL.dir)
  .action(
    async ({
      keys,
      ...flags
    }: {
      keys: string
      role: string
      tier?: number
      expires: string
      issuer: string
      audience: string
    }) => {
      const { makeToken } = await import('./token.ts')
      const { token, jwksFile, expiresAt } = await makeToken({ dir: keys, ...flags })
      const until = expiresAt.toISOString()
      process.stderr.write(`key set: ${jwksFile}, for serve --jwks; the token expires at ${until}\n`)
      process.stdout.write(`${token}\n`)
    },
  )

endWithNpm()
program.parseAsync().catch(fail)
