#!/usr/bin/env node
/** The `vulnshelf-gateway` command: parses options and loads the module of a subcommand. */
import '../../corpus/command/node-version.js'
import { availableParallelism } from 'node:os'
import { Argument, type Command, InvalidArgumentError, type Option } from 'commander'
import { commandLine, ignoreClosedPipe, valueParser, wholeNumber } from '../../corpus/command/command-line.ts'
import { addCompletion } from '../../corpus/command/completion.ts'
import { applyConfigFile, configSchema } from '../../corpus/command/config-file.ts'
import { addManualPage } from '../../corpus/command/manual-page.ts'
import { exitWithNpm } from '../../corpus/command/npm-exit.ts'
import { VERSION } from '../../corpus/command/version.ts'
import { parseBytes } from '../../corpus/model/values/bytes.ts'
import { parseDuration } from '../../corpus/model/values/duration.ts'
import { parseYears } from '../../corpus/model/values/years.ts'
import type { KeyFlags } from '../auth/api-key-command.ts'
import { LOCAL } from '../auth/token.ts'
import type { MirrorFlags } from '../mirror/command.ts'
import { COMPAT_PORT, EARLIER_OPEN, MAX_CONNECTIONS } from './bounds.ts'
import { LOG_FORMATS, LOG_LEVELS } from './log-options.ts'
import type { ServeFlags } from './serve-command.ts'

const { program, option, examples, fail } = commandLine('vulnshelf-gateway', {
  options: {
    serve: {
      'Listener:': ['host', 'port', 'max-connections'],
      'Authentication:': ['issuer', 'audience', 'jwks', 'algorithms', 'api-keys', 'cookie', 'admin-claims'],
      'Signing in:': ['oidc-client-id', 'oidc-client-secret-file', 'oidc-scope', 'public-url', 'session-key-file'],
      'Access:': ['no-preview', 'access-policy', 'origins', 'no-explorer', 'open-docs'],
      'Rate limits:': ['rate-limit', 'failed-tokens', 'rate-window-seconds', 'trusted-proxies', 'redis-url'],
      'Log and metrics:': ['log-level', 'log-format', 'no-access-log', 'metrics-port', 'metrics-host'],
      'Other tools:': ['compat', 'compat-port', 'compat-host', 'compat-auth', 'npm-upstream'],
      'Resources:': ['workers', 'memory', 'poll-seconds', 'earlier-snapshots'],
      'Mirror:': ['follow', 'interval', 'keys', 'keep', 'derive'],
      'Configuration:': ['config', 'check'],
    },
    mirror: {
      'Snapshots:': ['keys', 'max-bytes', 'interval', 'keep', 'bundle'],
      'Transfers:': ['years', 'parallel', 'max-rate', 'derive', 'jobs'],
    },
  },
})

const list = valueParser({ type: ['array', 'string'], items: { type: 'string' } }, (text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
)

const duration = (text: string) => {
  const seconds = parseDuration(text)
  if (seconds === null) throw new InvalidArgumentError('It must be a time such as 30s, 5m or 1h.')
  return seconds
}

const years = (text: string) => {
  if (text === 'all') return text
  const subset = parseYears(text)
  if (subset === null) throw new InvalidArgumentError('It must be years such as 2024-, 2020-2023 or 2024, or all.')
  return subset
}

const bytes = (text: string) => {
  const count = parseBytes(text)
  if (count === null) throw new InvalidArgumentError('It must be a number of bytes such as 500k, 10M or 2.5G.')
  return count
}

const camelCase = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

// Not a default value: it overrides the configuration file, and help must not show it.
if (process.env.REDIS_URL) process.env.VULNSHELF_REDIS_URL ||= process.env.REDIS_URL

// No environment variable: the file of one command is not for the other.
const CONFIG = ['--config <file>', 'configuration file (JSON); options and environment variables override it'] as const
const isConfig = ({ flags }: Option) => flags === CONFIG[0]

/** Applies the configuration file to the values of the command, which its action has as `flags`. Returns the faults. */
function configFaults(command: Command): string[] {
  const { config } = command.opts<{ config?: string }>()
  return config === undefined ? [] : applyConfigFile(command, config)
}

function refuse(command: Command, faults: readonly string[]): void {
  if (faults.length > 0) command.error(faults.join('; '))
}

program.description('Serve and mirror snapshots of vulnerability intelligence').version(VERSION)

program
  .command('serve <dist>')
  .description('Serve the API from the current snapshot, and switch to each new one')
  .addOption(option('--host <host>', 'address to listen on').default('127.0.0.1'))
  .addOption(option('--port <port>', 'port to listen on').argParser(wholeNumber(0, 65_535)).default(8080))
  .addOption(option('--issuer <issuer>', 'expected token issuer (iss claim)').default(LOCAL.issuer))
  .addOption(option('--audience <audience>', 'expected token audience (aud claim)').default(LOCAL.audience))
  .addOption(
    option('--jwks <file or url>', 'key set (JWKS) that verifies tokens; by default it is discovered from the issuer'),
  )
  .addOption(
    option(
      '--api-keys <file>',
      'file of API keys, which the command key writes; without --jwks and --issuer, only they are accepted',
    ),
  )
  .addOption(option('--no-preview', 'accept tokens of non-administrators (turns preview mode off)'))
  .addOption(
    option('--origins <list>', 'allowed origins of web pages (CORS), separated by commas (default: none)').argParser(
      list,
    ),
  )
  .addOption(option('--no-access-log', 'do not log requests'))
  .addOption(option('--no-explorer', 'do not serve the explorer, the web pages at /'))
  .addOption(option('--open-docs', 'serve the OpenAPI document without a token'))
  .addOption(option('--cookie <name>', 'name of the session cookie that can contain the token').default('session'))
  .addOption(
    option('--oidc-client-id <id>', 'let people sign in at the issuer (OpenID Connect); requires --public-url'),
  )
  .addOption(
    option(
      '--oidc-client-secret-file <file>',
      'with --oidc-client-id: file with the client secret (default: none, PKCE alone protects)',
    ),
  )
  .addOption(
    option(
      '--oidc-scope <scope>',
      'with --oidc-client-id: requested scopes, separated by blanks; offline_access may be needed to renew sessions',
    ).default('openid'),
  )
  .addOption(option('--public-url <url>', 'with --oidc-client-id: address of the gateway in browsers'))
  .addOption(
    option(
      '--session-key-file <file>',
      'with --oidc-client-id: key that encrypts sessions, 32 bytes in base64 (default: a new one at each start)',
    ),
  )
  .addOption(option('--admin-claims <list>', 'claims that mark an administrator (default: role,roles)').argParser(list))
  .addOption(
    option(
      '--algorithms <list>',
      'accepted signature algorithms of tokens, separated by commas (default: RS256,PS256,ES256,EdDSA)',
    ).argParser(list),
  )
  .addOption(
    option('--rate-limit <n>', 'maximum requests per account in a window').argParser(wholeNumber(1, 1e9)).default(600),
  )
  .addOption(
    option('--failed-tokens <n>', 'maximum invalid tokens per address in a window')
      .argParser(wholeNumber(1, 1e9))
      .default(30),
  )
  .addOption(
    option('--rate-window-seconds <n>', 'length of the window, in seconds')
      .argParser(wholeNumber(1, 86_400))
      .default(60),
  )
  .addOption(
    option('--trusted-proxies <list>', 'trust X-Forwarded-* headers from these addresses or networks').argParser(list),
  )
  .addOption(
    option(
      '--redis-url <url>',
      'Redis server that shares rate limits between gateways; the variable REDIS_URL also sets it',
    ),
  )
  .addOption(option('--access-policy <file>', 'policy file that assigns access tiers to CVEs'))
  .addOption(
    option('--metrics-port <port>', 'port of /metrics (default: no metrics)').argParser(wholeNumber(0, 65_535)),
  )
  .addOption(option('--metrics-host <host>', 'address of /metrics').default('127.0.0.1'))
  .addOption(
    option(
      '--compat <list>',
      "also answer clients of other protocols on a port of their own: npm (audits of npm, pnpm, bun and yarn), composer (composer audit), osv (clients of osv.dev), epss (clients of FIRST's EPSS interface), mcp (AI clients)",
    ).argParser(list),
  )
  .addOption(
    option('--compat-port <port>', 'with --compat: port to listen on')
      .argParser(wholeNumber(0, 65_535))
      .default(COMPAT_PORT),
  )
  .addOption(option('--compat-host <host>', 'with --compat: address to listen on').default('127.0.0.1'))
  .addOption(
    option(
      '--compat-auth <method>',
      'with --compat: bearer requires a token; none accepts every client, with a limit per address',
    )
      .choices(['bearer', 'none'])
      .default('bearer'),
  )
  .addOption(
    option('--npm-upstream <url>', 'with --compat npm: redirect requests for packages to this registry, for fixes'),
  )
  .addOption(
    option('--poll-seconds <n>', 'interval between checks for a new snapshot or policy, in seconds')
      .argParser(wholeNumber(1, 86_400))
      .default(2),
  )
  .addOption(
    option('--workers <n>', 'number of worker processes; they share the rate limits')
      .argParser(wholeNumber(1, 256))
      .default(1),
  )
  .addOption(
    option(
      '--memory <bytes>',
      'memory of all workers together, such as 700M (default: a quarter of the machine, at most 1G per worker)',
    ).argParser(bytes),
  )
  .addOption(
    option('--earlier-snapshots <n>', 'earlier snapshots that each worker reads at once, for requests with snapshot=')
      .argParser(wholeNumber(1, 64))
      .default(EARLIER_OPEN),
  )
  .addOption(
    option('--max-connections <n>', 'maximum open connections; the gateway closes further ones at once')
      .argParser(wholeNumber(1, 1_000_000))
      .default(MAX_CONNECTIONS),
  )
  .addOption(option('--follow <source>', 'mirror this repository into <dist> repeatedly'))
  .addOption(
    option('--interval <time>', 'with --follow: interval between checks, such as 5m')
      .argParser(duration)
      .default(300, '5m'),
  )
  .addOption(option('--keys <file>', 'with --follow: key set (JWKS); one of its keys must have signed the pointer'))
  .addOption(
    option('--keep <n>', 'with --follow: number of snapshots to keep, including the current one')
      .argParser(wholeNumber(1, 1e6))
      .default(3),
  )
  .addOption(option('--derive', 'with --follow: rebuild derived files instead of downloading them'))
  .addOption(option('--log-level <level>', 'lowest level of log lines').choices(LOG_LEVELS).default('info'))
  .addOption(option('--log-format <format>', 'format of log lines').choices(LOG_FORMATS).default('json'))
  .option(...CONFIG)
  .option('--check', 'check configuration, keys, policy, snapshot and Redis, report every fault, and exit')
  .addHelpText(
    'after',
    examples(
      'serve dist --issuer https://id.example.com --audience vulnshelf',
      'serve dist --jwks keys.json --port 9000',
      'serve dist --api-keys api-keys.json --no-preview --compat mcp',
      'serve dist --issuer https://id.example.com --oidc-client-id vulnshelf --public-url https://vulns.example.com',
      'serve dist --jwks keys.json --follow https://mirror.example.com/vulnshelf --keys signers.json',
      'serve dist --jwks keys.json --compat npm --npm-upstream https://registry.npmjs.org',
      'serve dist --jwks keys.json --compat npm,composer,osv,epss --compat-auth none',
      'serve dist --config serve.json --check',
    ),
  )
  .action(async (dist: string, flags: ServeFlags, command: Command) => {
    const faults = configFaults(command)
    // Environment variables can be meant for other commands.
    const isGiven = (name: string) => ['cli', 'config'].includes(command.getOptionValueSource(name) ?? '')
    const idleWithout = (required: string, names: readonly string[]) =>
      names.filter((name) => isGiven(camelCase(name))).map((name) => `option '--${name}' requires ${required}`)
    if (flags.follow === undefined) {
      faults.push(...idleWithout('--follow <source>', ['interval', 'keys', 'keep', 'derive']))
    }
    if (flags.oidcClientId === undefined) {
      const names = ['oidc-client-secret-file', 'oidc-scope', 'public-url', 'session-key-file']
      faults.push(...idleWithout('--oidc-client-id <id>', names))
    }
    if (flags.compat === undefined) {
      faults.push(...idleWithout('--compat <list>', ['compat-port', 'compat-host', 'compat-auth', 'npm-upstream']))
    }
    if (flags.check) {
      const { checkFromCommand } = await import('./check-command.ts')
      return checkFromCommand(dist, flags, faults)
    }
    refuse(command, faults)
    const { serveFromCommand } = await import('./serve-command.ts')
    await serveFromCommand(dist, flags)
  })

program
  .command('mirror <source> <dist>')
  .description(
    'Copy the current snapshot of a repository (https://…, s3://…, oci://…, a folder or a bundle), and verify it',
  )
  .addOption(
    option(
      '--keys <file>',
      'key set (JWKS); one of its keys must have signed the pointer; without it, no signature is required',
    ),
  )
  .addOption(
    option('--interval <time>', 'repeat at this interval, such as 5m or 1h (default: run once)').argParser(duration),
  )
  .addOption(option('--parallel <n>', 'number of parallel transfers').argParser(wholeNumber(1, 64)).default(6))
  .addOption(option('--max-rate <bytes>', 'maximum bytes per second of all transfers, such as 10M').argParser(bytes))
  .addOption(option('--max-bytes <bytes>', 'reject a larger snapshot').argParser(bytes).default(1e12, '1T'))
  .addOption(option('--derive', 'rebuild derived files instead of downloading them, if the result is identical'))
  .addOption(
    option('--jobs <n>', 'number of threads for --derive; 0 uses the main thread only')
      .argParser(wholeNumber(0, 256))
      .default(availableParallelism(), 'one per core'),
  )
  .addOption(
    option(
      '--years <range>',
      'copy only the records of these CVE years, such as 2024- or 2020-2023; all for everything (default: as the last run)',
    ).argParser(years),
  )
  .addOption(
    option(
      '--bundle <file>',
      'also write a bundle for offline mirrors: one tar file with the files that the previous snapshot lacks',
    ),
  )
  .addOption(
    option('--keep <n>', 'number of snapshots to keep, including the current one (default: all)').argParser(
      wholeNumber(1, 1e6),
    ),
  )
  .addOption(option('--json', 'print the report as JSON'))
  .option(...CONFIG)
  .addHelpText(
    'after',
    examples(
      'mirror https://mirror.example.com/vulnshelf dist --keys keys.json',
      'mirror s3://bucket/vulnshelf dist --interval 1h --keep 7',
      'mirror oci://registry.example.com/security/vulnshelf:latest dist --keys keys.json',
      'mirror https://mirror.example.com/vulnshelf dist --years 2024-',
      'mirror dist copy --bundle night.tar',
    ),
  )
  .action(async (source: string, dist: string, flags: MirrorFlags, command: Command) => {
    refuse(command, configFaults(command))
    const { mirrorFromCommand } = await import('../mirror/command.ts')
    await mirrorFromCommand(source, dist, flags)
  })

program
  .command('token')
  .description('Create a local key set and a token, for development only')
  .addOption(option('--role <role>', 'role claim').default('admin'))
  .addOption(
    option('--tier <n>', 'access tier (default: 0 for users, all for administrators)').argParser(
      wholeNumber(0, 1_000_000),
    ),
  )
  .addOption(option('--expires <time>', 'lifetime, such as 30m, 1h or 2d').default('1h'))
  .addOption(option('--issuer <issuer>', 'issuer (iss claim)').default(LOCAL.issuer))
  .addOption(option('--audience <audience>', 'audience (aud claim)').default(LOCAL.audience))
  // No environment variable: VULNSHELF_KEYS is the key set that mirrors trust.
  .option('--keys <folder>', 'folder of the local key pair and key set, created if missing', LOCAL.dir)
  .addHelpText('after', examples('token', 'token --role user --tier 1 --expires 2d'))
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
      const { makeToken } = await import('../auth/token.ts')
      const { token, jwksFile, expiresAt } = await makeToken({ dir: keys, ...flags })
      const until = expiresAt.toISOString()
      process.stderr.write(`key set: ${jwksFile}, for serve --jwks; the token expires at ${until}\n`)
      process.stdout.write(`${token}\n`)
    },
  )

const KEY_ACTIONS = ['add', 'list', 'revoke'] as const

program
  .command('key')
  .description('Create, list and revoke API keys, for scripts and small teams without an identity provider')
  .addArgument(new Argument('<action>').choices(KEY_ACTIONS))
  .argument('[id]', 'for revoke: id of the key, or the whole key')
  // No declared default: serve has the same option, and accepts no keys without it.
  .addOption(option('--api-keys <file>', `file of the keys; add creates it if missing (otherwise ${LOCAL.apiKeys})`))
  .addOption(option('--name <name>', 'for add: who uses the key, for people').default(''))
  .addOption(option('--role <role>', 'for add: role, such as admin').default('user'))
  .addOption(
    option('--tier <n>', 'for add: access tier (default: 0 for users, all for administrators)').argParser(
      wholeNumber(0, 1_000_000),
    ),
  )
  .addOption(option('--expires <time>', 'for add: lifetime, such as 1h or 30d; at most 365d, or never').default('90d'))
  .addHelpText(
    'after',
    '\nadd prints the key on standard output, and nothing else there. The file has only its digest: the\nkey is shown once. Running gateways follow the file.',
  )
  .addHelpText('after', examples('key add --name ci --role admin --expires 30d', 'key list', 'key revoke 3f9a0c12ab45'))
  .action(async (action: (typeof KEY_ACTIONS)[number], id: string | undefined, flags: KeyFlags, command: Command) => {
    if ((action === 'revoke') !== (id !== undefined)) {
      command.error(
        action === 'revoke' ? 'key revoke requires an id; key list shows them' : `key ${action} takes no id`,
      )
    }
    if (action !== 'add') {
      const idle = ['name', 'role', 'tier', 'expires'].filter((name) => command.getOptionValueSource(name) === 'cli')
      refuse(
        command,
        idle.map((name) => `option '--${name}' is only for key add`),
      )
    }
    const commands = await import('../auth/api-key-command.ts')
    if (action === 'add') await commands.addFromCommand(flags)
    else if (action === 'list') commands.listFromCommand(flags)
    else await commands.revokeFromCommand(flags, id!)
  })

program
  .command('schema <command>')
  .description('Print the JSON schema of the configuration file of a command: serve or mirror')
  .addHelpText('after', examples('schema serve', 'schema mirror'))
  .action((name: string, _flags: object, own: Command) => {
    const command = program.commands.find((one) => one.name() === name && one.options.some(isConfig))
    if (command === undefined) return own.error(`command '${name}' has no configuration file; use serve or mirror`)
    process.stdout.write(`${JSON.stringify(configSchema(command), null, 2)}\n`)
  })

addCompletion(program, examples)
addManualPage(program)
exitWithNpm()
ignoreClosedPipe()
program.parseAsync().catch(fail)
