#!/usr/bin/env node
/** The `vulnshelf` command: parses options, loads the module of a subcommand, prints its report. */
import '../corpus/command/node-version.js'
import { availableParallelism } from 'node:os'
import { type Command, InvalidArgumentError } from 'commander'
import { commandLine, exitOnClosedPipe, wholeNumber } from '../corpus/command/command-line.ts'
import { addCompletion } from '../corpus/command/completion.ts'
import { realEffects } from '../corpus/command/effects.ts'
import { addManualPage } from '../corpus/command/manual-page.ts'
import { exitWithNpm } from '../corpus/command/npm-exit.ts'
import { printable, printableJson, printableLine } from '../corpus/command/printable.ts'
import { clearProgress, noProgress, showProgress } from '../corpus/command/progress.ts'
import { writingTo } from '../corpus/command/system-error.ts'
import { VERSION } from '../corpus/command/version.ts'
import { utcDate } from '../corpus/model/values/date.ts'
import { DATE_BOUND_FORM, parseDateBound } from '../corpus/model/values/date-bound.ts'
import { KEEP_RULES, type KeepRule } from '../corpus/repository/retention.ts'
import type { SigningAlgorithm } from '../corpus/snapshot/index.ts'
import { addCheckCommand, CHECK_OPTIONS } from './check/options.ts'
import { addExportCommand } from './export/options.ts'
import { baseUrls, ecosystems, type FetchCommandOptions, feedNames, noBaseUrls } from './fetch/options.ts'
import { KEEP_OPTIONS, type KeepFlags, keepCount, keepRules } from './keep-options.ts'
import { addMcpCommand } from './mcp/options.ts'
import { type NightlyFlags, pingUrl } from './nightly/options.ts'
import { type AtomSubject, atomSubject, siteUrl } from './publish/options.ts'
import { addQueryCommand } from './query/options.ts'

const tools = commandLine('vulnshelf', {
  commands: {
    'Feeds and corpus:': ['sample', 'fetch', 'ingest', 'explain'],
    'Snapshots:': ['build', 'verify', 'show', 'snapshots', 'prune', 'derive'],
    'Signatures and distribution:': ['key', 'sign', 'publish', 'site'],
    'Packages:': ['check'],
    'Scripts and agents:': ['query', 'export', 'mcp'],
    'All steps:': ['nightly'],
  },
  options: {
    ingest: {
      'Corpus:': ['corpus', 'as-of', 'mission'],
      'Checks:': ['accept-shrink', 'accept-older', 'floor'],
      'Report:': ['verbose', 'json'],
    },
    check: CHECK_OPTIONS,
    prune: {
      'Snapshots to keep:': ['keep-last', 'keep-daily', 'keep-weekly', 'keep-monthly', 'keep-yearly', 'keep-derived'],
    },
    nightly: {
      'Corpus and snapshots:': ['corpus', 'out', 'jobs'],
      'Snapshots to keep:': ['keep-last', 'keep-daily', 'keep-weekly', 'keep-monthly', 'keep-yearly', 'keep-derived'],
      'Downloads:': ['skip-fetch', 'only', 'base-url', 'osv-ecosystems', 'allow-stale'],
      'Ingest:': ['accept-shrink', 'accept-older', 'floor', 'mission'],
      'Signature and publication:': ['sign-key', 'expires', 'unsigned', 'publish'],
      'Report:': ['report', 'ping', 'ping-failure', 'json'],
    },
  },
})

const { program, option, required, examples, fail } = tools

const day = (text: string) => {
  if (utcDate(text) !== text) throw new InvalidArgumentError('It must be a day, YYYY-MM-DD.')
  return text
}

const corpus = () => required(option('--corpus <file>', 'corpus database'))
/** Larger values are typing errors. */
const MAX_JOBS = 256
const jobs = () =>
  option('--jobs <n>', 'number of worker threads; 0 uses the main thread only')
    .argParser(wholeNumber(0, MAX_JOBS))
    .default(availableParallelism(), 'one per core')
/** Repeatable: `--sign-key old.json --sign-key new.json`. */
const signKeys = () =>
  option('--sign-key <file>', 'sign the pointer with this private key (repeatable)').argParser(
    (file: string, before: string[] = []) => [...before, file],
  )
const expires = () => option('--expires <time>', 'lifetime of the signature, such as 12h or 14d').default('14d')
const only = () =>
  option('--only <names>', 'download only these feeds, separated by commas (default: all)').argParser(feedNames)
const baseUrl = () =>
  option(
    '--base-url <url>',
    'download from this URL, a copy of a feeds folder; <feed>=<url> applies to one feed (repeatable)',
  )
    .argParser(baseUrls)
    .default(noBaseUrls, 'the publishers')
const osvEcosystems = () =>
  option(
    '--osv-ecosystems <names>',
    "OSV ecosystems, separated by commas, or 'all' (default: all but Linux distributions)",
  ).argParser(ecosystems)
const acceptShrink = () =>
  option('--accept-shrink', 'accept a feed that lost more than 10 % of its records, or of what they state')
const acceptOlder = () => option('--accept-older', 'take a feed with an older edition than the corpus has')
const floor = () =>
  option(
    '--floor <feed=n,...>',
    'reject a feed that is absent or has fewer than n usable records (repeatable)',
  ).argParser((text, before?: string) => (before === undefined ? text : `${before},${text}`))
const mission = () =>
  option('--mission <level>', '"mission and well-being" value of the SSVC decision')
    .choices(['low', 'medium', 'high'])
    .default('medium')
const site = () =>
  option(
    '--site-url <url>',
    'public URL of the target; writes kev.atom and changes.atom for feed readers (default: no feeds)',
  ).argParser(siteUrl)
const records = () =>
  option(
    '--records',
    'write a file per CVE too, cves/<id>.json; later runs keep these files up to date without the option',
  )
const keep = (rule: KeepRule) => option(`--keep-${rule} <n>`, KEEP_OPTIONS[rule]).argParser(keepCount)
const keepDerived = () =>
  option(
    '--keep-derived <n>',
    'keep the derived files of the n newest kept snapshots only; `derive` makes others again (default: of all)',
  ).argParser(keepCount)
const at = () =>
  option(
    '--at <snapshot>',
    'earlier snapshot: its id, the first 7 or more digits of it, a date (its end) or a time',
  ).argParser((text) => {
    if (/^[0-9a-f]{7,64}$/i.test(text) || parseDateBound(text) !== null) return text
    throw new InvalidArgumentError(`It must be at least 7 hexadecimal digits, or ${DATE_BOUND_FORM}.`)
  })
const json = () => option('--json', 'print the report as JSON')
const print = <T>(asJson: boolean | undefined, report: T, words: (report: T) => string) => {
  clearProgress()
  process.stdout.write(`${asJson ? printableJson(report, 1) : printable(words(report))}\n`)
}

const INGEST_REPORT = `
The report has one line for each feed. The corpus date is the newest date in the CVE
list. The age of a feed is the number of days from its own date to the corpus date; it
is negative if the feed is newer. If nothing changed since the last ingest, the report
is one line.`

const KEEP_HELP = `
A snapshot stays if one of the rules keeps it. <n> is a whole number from 1 on, or
unlimited. The current snapshot always stays. Files that several snapshots share stay
until the last of these snapshots goes.`

const NIGHTLY_KEEP_HELP = `
The rules of prune: a snapshot in <dist> stays if one of them keeps it. Without any rule,
the 7 newest stay.`

interface SampleFlags {
  cves: number
  advisories?: number
  seed: number
  nights: number
  json?: boolean
}

interface BuildFlags {
  corpus: string
  out: string
  signKey?: string[]
  expires: string
  unsigned?: boolean
  jobs: number
  json?: boolean
}

interface VerifyFlags {
  at?: string
  keys?: string
  jobs: number
  json?: boolean
}

interface PruneFlags extends KeepFlags {
  dryRun?: boolean
  json?: boolean
}

interface PublishFlags {
  parallel: number
  unsigned?: boolean
  siteUrl?: URL
  atomFor?: AtomSubject[]
  records?: boolean
  json?: boolean
}

interface SiteFlags {
  copy?: boolean
  unsigned?: boolean
  siteUrl?: URL
  records?: boolean
  json?: boolean
}

program.description('Build snapshots of vulnerability intelligence: feeds → corpus → snapshot').version(VERSION)

program
  .command('sample <feeds>')
  .description('Write synthetic feeds in the formats of their publishers')
  .addOption(option('--cves <n>', 'number of CVEs').argParser(wholeNumber(1, 5_000_000)).default(2000))
  .addOption(
    option('--advisories <n>', 'number of package advisories in OSV (default: 10 for every 7 CVEs)').argParser(
      wholeNumber(0, 10_000_000),
    ),
  )
  .addOption(
    option('--seed <n>', 'seed of the random numbers; the same seed gives the same feeds')
      .argParser(wholeNumber(0, 2 ** 31))
      .default(1),
  )
  .addOption(
    option('--nights <n>', 'number of nights; each has changes since the one before')
      .argParser(wholeNumber(1, 100))
      .default(2),
  )
  .addOption(json())
  .addHelpText(
    'after',
    examples('sample feeds', 'sample feeds --cves 20000 --nights 3', 'sample feeds --cves 20000 --advisories 0'),
  )
  .action(async (feeds: string, options: SampleFlags) => {
    const { generateSample } = await import('../corpus/sample/generate.ts')
    const { formatSampleReport } = await import('./report.ts')
    const { sampleDisk } = await import('../corpus/sample/disk.ts')
    const disk = { ...sampleDisk, mkdir: realEffects().mkdir }
    const report = await writingTo(feeds, () => generateSample({ feeds, ...options }, disk))
    print(options.json, report, formatSampleReport)
  })

program
  .command('fetch <feeds>')
  .description('Download the public feeds')
  .addOption(only())
  .addOption(baseUrl())
  .addOption(osvEcosystems())
  .addOption(option('--epss-since <date>', 'also download past editions of EPSS from this day on').argParser(day))
  .addOption(json())
  .addHelpText(
    'after',
    examples(
      'fetch feeds',
      'fetch feeds --only cvelist,kev,epss',
      'fetch feeds --only epss --epss-since 2026-01-01',
      'fetch feeds --base-url https://mirror.example.com/feeds',
    ),
  )
  .action(async (feeds: string, options: FetchCommandOptions) => {
    const { fetchFromCommand } = await import('./fetch/command.ts')
    const { failures, formatFetchReport } = await import('./fetch/report.ts')
    const report = await fetchFromCommand(feeds, options, showProgress())
    print(options.json, report, formatFetchReport)
    for (const failure of failures(report)) process.stderr.write(`vulnshelf: ${printableLine(failure)}\n`)
    if (report.failed + report.partial > 0) process.exitCode = 1
  })

program
  .command('ingest <feeds>')
  .description('Read a feeds folder into a corpus database')
  .addOption(corpus())
  .addOption(option('--as-of <date>', 'read the newest file of each feed up to this date').argParser(day))
  .addOption(acceptShrink())
  .addOption(acceptOlder())
  .addOption(floor())
  .addOption(mission())
  .addOption(jobs())
  .addOption(option('--verbose', 'list all files, warnings and changes in the report'))
  .addOption(json())
  .addHelpText('after', INGEST_REPORT)
  .addHelpText(
    'after',
    examples(
      'ingest feeds --corpus corpus.db',
      'ingest feeds --corpus corpus.db --as-of 2026-06-01',
      'ingest feeds --corpus corpus.db --floor cvelist=250000,kev=1000',
    ),
  )
  .action(async (feeds: string, { floor, verbose, json, ...options }) => {
    const { ingest } = await import('./ingest/ingest.ts')
    const { formatIngestReport } = await import('./ingest/format-report.ts')
    const { readMinimumCounts } = await import('./ingest/judge.ts')
    const floors = floor === undefined ? {} : readMinimumCounts(floor)
    // A log file needs only the report.
    const progress = process.stderr.isTTY ? showProgress() : noProgress
    const report = await ingest({ feeds, ...options, floors }, realEffects(), progress)
    print(json, report, () => formatIngestReport(report, { verbose }))
  })

program
  .command('explain <corpus> <cve>')
  .description('Show which source and rule produced each field of a CVE')
  .addOption(json())
  .addHelpText('after', examples('explain corpus.db CVE-2024-3400', 'explain corpus.db CVE-2024-3400 --json'))
  .action(async (corpus: string, cve: string, options: { json?: boolean }) => {
    const { openExplainer } = await import('./explain.ts')
    const { formatExplanation } = await import('./report.ts')
    const explainer = openExplainer(corpus)
    try {
      print(options.json, explainer.explain(cve), formatExplanation)
    } finally {
      explainer.close()
    }
  })

program
  .command('build')
  .description('Build a snapshot from a corpus database and activate it')
  .addOption(corpus())
  .addOption(required(option('--out <dist>', 'folder of snapshots')))
  .addOption(signKeys())
  .addOption(expires())
  .addOption(option('--unsigned', 'allow an unsigned snapshot after a signed one'))
  .addOption(jobs())
  .addOption(json())
  .addHelpText(
    'after',
    examples(
      'build --corpus corpus.db --out dist',
      'build --corpus corpus.db --out dist --sign-key key.json --expires 3d',
    ),
  )
  .action(async (options: BuildFlags) => {
    const { build } = await import('./snapshot/build.ts')
    const { signingOf } = await import('./keys.ts')
    const { formatBuildReport } = await import('./report.ts')
    const { corpus, out: dist, jobs } = options
    const signing = await signingOf(dist, options)
    print(options.json, await build({ corpus, dist, jobs, signing }, realEffects(), showProgress()), formatBuildReport)
  })

program
  .command('key <file>')
  .description('Create a signing key: a private key in <file>, and its public key in a key set')
  .addOption(option('--alg <name>', 'signature algorithm').choices(['EdDSA', 'ES256']).default('EdDSA'))
  .addOption(option('--public <file>', 'key set (JWKS) that gets the public key (default: <file> with .jwks.json)'))
  .addOption(json())
  .addHelpText('after', examples('key key.json', 'key key.json --alg ES256 --public keys.json'))
  .action(async (file: string, options: { alg: SigningAlgorithm; public?: string; json?: boolean }) => {
    const { makeKey } = await import('./keys.ts')
    const { formatKeyReport } = await import('./report.ts')
    print(options.json, await makeKey(file, { alg: options.alg, keys: options.public }, realEffects()), formatKeyReport)
  })

program
  .command('sign <dist>')
  .description('Sign the current pointer again, with a later expiry or with other keys')
  .addOption(required(signKeys()))
  .addOption(expires())
  .addOption(json())
  .addHelpText(
    'after',
    examples('sign dist --sign-key key.json', 'sign dist --sign-key old.json --sign-key new.json --expires 14d'),
  )
  .action(async (dist: string, options: { signKey: string[]; expires: string; json?: boolean }) => {
    const { readSigning } = await import('./keys.ts')
    const { sign } = await import('./sign.ts')
    const { formatSignReport } = await import('./report.ts')
    const signing = await readSigning(options.signKey, options.expires)
    print(options.json, await sign(dist, signing, realEffects()), formatSignReport)
  })

program
  .command('verify <dist>')
  .description('Verify digests, members and counts of a snapshot')
  .addOption(at())
  .addOption(
    option(
      '--keys <file>',
      'key set (JWKS); one of its keys must have signed the pointer. Without it, signatures are not required',
    ),
  )
  .addOption(jobs())
  .addOption(json())
  .addHelpText('after', examples('verify dist', 'verify dist --keys keys.json', 'verify dist --at 2026-09-11'))
  .action(async (dist: string, options: VerifyFlags) => {
    const { verify } = await import('../corpus/snapshot/derived.ts')
    const { readKeySetFile } = await import('../corpus/snapshot/index.ts')
    const { formatVerifyReport } = await import('./report.ts')
    const { findSnapshot } = await import('./snapshots.ts')
    const keys = options.keys === undefined ? {} : { keys: await readKeySetFile(options.keys) }
    const earlier = options.at === undefined ? {} : { earlier: findSnapshot(dist, options.at) }
    const progress = showProgress()
    const onProgress = (done: number, total: number) => progress('files', done, total)
    const report = await verify(dist, { ...keys, ...earlier, jobs: options.jobs, onProgress })
    print(options.json, report, () => formatVerifyReport(report, dist))
    for (const fault of report.faults) process.stderr.write(`vulnshelf: ${printableLine(fault)}\n`)
    if (report.faults.length > 0) process.exitCode = 1
  })

program
  .command('show <dist> [path]')
  .description('Print a part as JSON: manifest (default), pointer, a CVE id, or <role>/<name>')
  .addOption(at())
  .addHelpText(
    'after',
    examples('show dist', 'show dist CVE-2024-3400', 'show dist CVE-2024-3400 --at 2026-09-11', 'show dist list/cwes'),
  )
  .action(async (dist: string, path: string | undefined, flags: { at?: string }) => {
    const { show } = await import('./show.ts')
    process.stdout.write(`${printableJson(show(dist, path, flags.at), 1)}\n`)
  })

program
  .command('snapshots <dist>')
  .description('List the snapshots of a folder, newest first; * marks the current one')
  .addOption(json())
  .addHelpText('after', examples('snapshots dist', 'snapshots dist --json'))
  .action(async (dist: string, options: { json?: boolean }) => {
    const { listSnapshots } = await import('./snapshots.ts')
    const { formatSnapshots } = await import('./report.ts')
    print(options.json, await listSnapshots(dist), formatSnapshots)
  })

program
  .command('prune <dist>')
  .description('Remove old snapshots, and the files that only they use')
  .addOption(keep('last'))
  .addOption(keep('daily'))
  .addOption(keep('weekly'))
  .addOption(keep('monthly'))
  .addOption(keep('yearly'))
  .addOption(keepDerived())
  .addOption(option('--dry-run', 'remove nothing; list all snapshots, and why they stay or go'))
  .addOption(json())
  .addHelpText('after', KEEP_HELP)
  .addHelpText(
    'after',
    examples(
      'prune dist --keep-last 7',
      'prune dist --keep-daily 14 --keep-weekly 8 --keep-monthly 12 --keep-yearly unlimited --dry-run',
    ),
  )
  .action(async (dist: string, { dryRun = false, json, ...flags }: PruneFlags, command: Command) => {
    const { prune } = await import('./prune.ts')
    const { formatPruneReport } = await import('./report.ts')
    const keep = keepRules(flags)
    if (keep === null) {
      const names = KEEP_RULES.map((rule) => `--keep-${rule}`)
      return command.error(`no snapshots to keep: set one or more of ${names.join(', ')}`)
    }
    const report = await prune(dist, { keep, keepDerived: flags.keepDerived, dryRun }, realEffects())
    print(json, report, formatPruneReport)
  })

program
  .command('derive <dist> <snapshot>')
  .description('Derive the files of an earlier snapshot again that prune --keep-derived removed')
  .addOption(jobs())
  .addOption(json())
  .addHelpText('after', examples('derive dist 169a8f8d39a5', 'derive dist 2026-09-11 --jobs 2'))
  .action(async (dist: string, snapshot: string, options: { jobs: number; json?: boolean }) => {
    const { derive } = await import('./derive.ts')
    const { formatDeriveReport } = await import('./report.ts')
    print(options.json, await derive(dist, snapshot, options.jobs, realEffects()), formatDeriveReport)
  })

program
  .command('publish <dist> <target>')
  .description('Upload the current snapshot to a folder, s3://bucket/prefix or oci://registry/name:tag')
  .addOption(option('--parallel <n>', 'number of parallel transfers').argParser(wholeNumber(1, 64)).default(6))
  .addOption(json())
  .addOption(option('--unsigned', 'allow an unsigned snapshot to replace a signed one'))
  .addOption(site())
  .addOption(records())
  .addOption(
    option(
      '--atom-for <kind:name>',
      'write a feed of a vendor or product too, such as vendor:cisco (repeatable; needs --site-url)',
    ).argParser(atomSubject),
  )
  .addHelpText(
    'after',
    examples(
      'publish dist /srv/vulnshelf',
      'publish dist /srv/vulnshelf --site-url https://vulns.example.com/',
      'publish dist /srv/vulnshelf --site-url https://vulns.example.com/ --atom-for vendor:cisco',
      'publish dist s3://bucket/vulnshelf --parallel 12 --records',
      'publish dist oci://registry.example.com/security/vulnshelf:latest',
    ),
  )
  .action(async (dist: string, to: string, options: PublishFlags, command: Command) => {
    const { publishFromCommand } = await import('./publish/command.ts')
    const { formatPublishReport } = await import('./report.ts')
    const { parallel, unsigned = false, siteUrl: site = null, atomFor: subjects = [], records = false } = options
    if (site === null && subjects.length > 0)
      return command.error('--atom-for needs --site-url, the public URL of the target')
    const publishing = { dist, to, parallel, unsigned, site, subjects, records }
    print(options.json, await publishFromCommand(publishing), formatPublishReport)
  })

program
  .command('site <dist> <out>')
  .description('Write the explorer and the snapshots to a folder, for any web server')
  .addOption(option('--copy', 'copy all files (default: hard links where the file system can)'))
  .addOption(option('--unsigned', 'allow an unsigned snapshot to replace a signed one'))
  .addOption(site())
  .addOption(records())
  .addOption(json())
  .addHelpText(
    'after',
    examples(
      'site dist /srv/vulnshelf',
      'site dist /srv/vulnshelf --records',
      'site dist /srv/vulnshelf --site-url https://vulns.example.com/',
    ),
  )
  .action(async (dist: string, out: string, options: SiteFlags) => {
    const { siteFromCommand } = await import('./site/command.ts')
    const { formatSiteReport } = await import('./report.ts')
    const { copy = false, unsigned = false, siteUrl: site = null, records = false } = options
    print(options.json, await siteFromCommand({ dist, out, copy, unsigned, site, records }), formatSiteReport)
  })

program
  .command('nightly <feeds>')
  .description('Run a whole night: fetch, ingest, build, verify, publish, prune; stop at the first fault')
  .addOption(corpus())
  .addOption(required(option('--out <dist>', 'folder of snapshots')))
  .addOption(option('--publish <target>', 'publish to a folder, s3://bucket/prefix or oci://registry/name:tag'))
  .addOption(site())
  .addOption(keep('last'))
  .addOption(keep('daily'))
  .addOption(keep('weekly'))
  .addOption(keep('monthly'))
  .addOption(keep('yearly'))
  .addOption(keepDerived())
  .addOption(option('--skip-fetch', 'use the files in <feeds> as they are'))
  .addOption(only())
  .addOption(baseUrl())
  .addOption(osvEcosystems())
  .addOption(option('--allow-stale', 'continue with the previous files of feeds whose download fails'))
  .addOption(acceptShrink())
  .addOption(acceptOlder())
  .addOption(floor())
  .addOption(mission())
  .addOption(signKeys())
  .addOption(expires())
  .addOption(option('--unsigned', 'allow an unsigned snapshot after a signed one'))
  .addOption(jobs())
  .addOption(option('--report <file>', 'write the report as JSON, also after a fault'))
  .addOption(
    option('--ping <url>', 'POST the report to this URL of a monitoring service after success').argParser(pingUrl),
  )
  .addOption(
    option('--ping-failure <url>', 'POST it to this URL after a fault (default: --ping with /fail)').argParser(pingUrl),
  )
  .addOption(json())
  .addHelpText('after', NIGHTLY_KEEP_HELP)
  .addHelpText(
    'after',
    examples(
      'nightly feeds --corpus corpus.db --out dist',
      'nightly feeds --corpus corpus.db --out dist --publish s3://bucket/vulnshelf --report night.json',
      'nightly feeds --corpus corpus.db --out dist --sign-key key.json --ping https://monitor.example.com/abc',
    ),
  )
  .action(async (feeds: string, flags: NightlyFlags) => {
    const { nightlyFromCommand } = await import('./nightly/command.ts')
    const { formatNightlyReport } = await import('./nightly/report.ts')
    const { report, error } = await nightlyFromCommand(feeds, flags)
    print(flags.json, report, formatNightlyReport)
    // The text has them as its first lines.
    for (const warning of flags.json ? report.warnings : [])
      process.stderr.write(`vulnshelf: warning: ${printableLine(warning)}\n`)
    if (error === null) return
    fail(error)
    process.exitCode = 1
  })

addCheckCommand(tools, at)
addQueryCommand(tools, at)
addExportCommand(tools, { at, json })
addMcpCommand(tools, at)
addCompletion(program, examples)
addManualPage(program)
exitWithNpm()
exitOnClosedPipe()
program.parseAsync().catch(fail)
