#!/usr/bin/env node
/** The `vulnshelf` command: reads its words, loads the command they name, prints its report. */
import '../corpus/command/node-version.js'
import { availableParallelism } from 'node:os'
import { InvalidArgumentError } from 'commander'
import { commandLine, endWithReader, wholeNumber } from '../corpus/command/command-line.ts'
import { realEffects } from '../corpus/command/effects.ts'
import { endWithNpm } from '../corpus/command/npm-exit.ts'
import { printable } from '../corpus/command/printable.ts'
import { noProgress, showProgress } from '../corpus/command/progress.ts'
import { writingTo } from '../corpus/command/system-error.ts'
import { utcDate } from '../corpus/model/date.ts'
import type { SigningAlgorithm } from '../corpus/snapshot/signature.ts'
import { baseUrls, ecosystems, type FetchCommandOptions, feedNames, noBases } from './fetch/options.ts'

const { program, option, required, fail } = commandLine('vulnshelf')

const day = (text: string) => {
  if (utcDate(text) !== text) throw new InvalidArgumentError('It must be a day, YYYY-MM-DD.')
  return text
}

const corpus = () => required(option('--corpus <file>', 'the corpus database'))
/** More threads than this are a slip of the pen. */
const MAX_JOBS = 256
const jobs = () =>
  option('--jobs <n>', 'worker threads; 0 does without')
    .argParser(wholeNumber(0, MAX_JOBS))
    .default(availableParallelism(), 'as many as cores')
/** Given once for each: `--sign-key old.json --sign-key new.json`. */
const signKeys = () =>
  option('--sign-key <file>', 'sign the pointer with this private key (repeatable)').argParser(
    (file: string, before: string[] = []) => [...before, file],
  )
const expires = () => option('--expires <time>', 'how long a signed pointer is good for').default('14d')
const json = () => option('--json', 'print the report as JSON')
/** Prints a report: as JSON when asked to, else in words. */
const print = <T>(asJson: boolean | undefined, report: T, words: (report: T) => string) =>
  void process.stdout.write(`${asJson ? JSON.stringify(report, null, 1) : printable(words(report))}\n`)

const INGEST_REPORT = `
The report has one line for each feed. The age of a feed is the number of days from
its date to the corpus date, which is the newest date in the CVE list. A negative age
means that the feed is newer. If nothing changed since the last ingest, the report is
one line.`

interface BuildFlags {
  corpus: string
  out: string
  signKey?: string[]
  expires: string
  unsigned?: boolean
  jobs: number
  json?: boolean
}

program.description('Builds vulnerability intelligence: feeds → corpus → snapshot').version('0.1.0')

program
  .command('sample <feeds>')
  .description('write synthetic feeds in the upstream formats')
  .addOption(option('--cves <n>', 'how many CVEs').argParser(wholeNumber(1, 5_000_000)).default(2000))
  .addOption(
    option('--seed <n>', 'another seed, other feeds')
      .argParser(wholeNumber(0, 2 ** 31))
      .default(1),
  )
  .addOption(
    option('--nights <n>', 'nights, each a little later than the one before').argParser(wholeNumber(1, 100)).default(2),
  )
  .addOption(json())
  .action(async (feeds: string, options: { cves: number; seed: number; nights: number; json?: boolean }) => {
    const { generateSample } = await import('../corpus/sample/generate.ts')
    const { sampleWords } = await import('./report.ts')
    const { sampleDisk } = await import('../corpus/sample/disk.ts')
    const disk = { ...sampleDisk, mkdir: realEffects().mkdir }
    const report = await writingTo(feeds, () => generateSample({ feeds, ...options }, disk))
    print(options.json, report, sampleWords)
  })

program
  .command('fetch <feeds>')
  .description('download the public feeds, each from its publisher or from a copy')
  .addOption(option('--only <names>', 'these feeds, separated by commas').argParser(feedNames))
  .addOption(
    option('--base-url <url>', 'take them from a copy of a feeds folder; kev=<url> that feed only (repeatable)')
      .argParser(baseUrls)
      .default(noBases, 'the publishers'),
  )
  .addOption(option('--osv-ecosystems <names>', "of OSV these ecosystems, or 'all'").argParser(ecosystems))
  .addOption(json())
  .action(async (feeds: string, options: FetchCommandOptions) => {
    const { fetchFromCommand } = await import('./fetch/command.ts')
    const { failures, fetchWords } = await import('./fetch/report.ts')
    const report = await fetchFromCommand(feeds, options, showProgress())
    print(options.json, report, fetchWords)
    for (const failure of failures(report)) process.stderr.write(`vulnshelf: ${printable(failure)}\n`)
    if (report.failed > 0) process.exitCode = 1
  })

program
  .command('ingest <feeds>')
  .description('read a feeds folder into a corpus')
  .addOption(corpus())
  .addOption(option('--as-of <date>', 'take of each feed the newest file dated up to then').argParser(day))
  .addOption(option('--accept-shrink', 'take a feed that lost more than a tenth of its records'))
  .addOption(option('--accept-older', 'take a feed whose edition is older than the one that the corpus has'))
  .addOption(
    option('--floor <feed=n,...>', 'refuse a feed that has fewer usable records, or is absent (repeatable)').argParser(
      (text, before?: string) => (before === undefined ? text : `${before},${text}`),
    ),
  )
  .addOption(
    option('--mission <level>', 'mission and well-being, for the SSVC decision')
      .choices(['low', 'medium', 'high'])
      .default('medium'),
  )
  .addOption(jobs())
  .addOption(option('--verbose', 'list every file, warning and change in the report, not only examples'))
  .addOption(json())
  .addHelpText('after', INGEST_REPORT)
  .action(async (feeds: string, { floor, verbose, json, ...options }) => {
    const { ingest } = await import('./ingest/ingest.ts')
    const { formatIngestReport } = await import('./ingest/format-report.ts')
    const { readFloors } = await import('./ingest/floors.ts')
    const floors = floor === undefined ? {} : readFloors(floor)
    // In a log the line for each feed is enough: the report must not drown in progress.
    const progress = process.stderr.isTTY ? showProgress() : noProgress
    const report = await ingest({ feeds, ...options, floors }, realEffects(), progress)
    print(json, report, () => formatIngestReport(report, { verbose }))
  })

program
  .command('explain <corpus> <cve>')
  .description('tell of each value of a CVE which claims were considered, by which rule, and which one decides')
  .addOption(json())
  .action(async (corpus: string, cve: string, options: { json?: boolean }) => {
    const { openExplainer } = await import('./explain.ts')
    const { explainWords } = await import('./report.ts')
    const explainer = openExplainer(corpus)
    try {
      print(options.json, explainer.explain(cve), explainWords)
    } finally {
      explainer.close()
    }
  })

program
  .command('build')
  .description('make a snapshot of a corpus')
  .addOption(corpus())
  .addOption(required(option('--out <dist>', 'the folder that snapshots are put up in')))
  .addOption(signKeys())
  .addOption(expires())
  .addOption(option('--unsigned', 'leave the pointer unsigned where it was signed before'))
  .addOption(jobs())
  .addOption(json())
  .action(async (options: BuildFlags) => {
    const { build } = await import('./build/build.ts')
    const { signingOf } = await import('./keys.ts')
    const { formatBuildReport } = await import('./report.ts')
    const { corpus, out: dist, jobs } = options
    const signing = await signingOf(dist, options)
    print(options.json, await build({ corpus, dist, jobs, signing }, realEffects(), showProgress()), formatBuildReport)
  })

program
  .command('key <file>')
  .description('make a key to sign pointers with: a private one in <file>, its public one in a key set')
  .addOption(option('--alg <name>', 'signature algorithm').choices(['EdDSA', 'ES256']).default('EdDSA'))
  .addOption(option('--public <file>', 'the key set to add it to (default: <file> with .jwks.json)'))
  .addOption(json())
  .action(async (file: string, options: { alg: SigningAlgorithm; public?: string; json?: boolean }) => {
    const { makeKey } = await import('./keys.ts')
    const { keyWords } = await import('./report.ts')
    print(options.json, await makeKey(file, { alg: options.alg, keys: options.public }, realEffects()), keyWords)
  })

program
  .command('sign <dist>')
  .description('sign the pointer of the current snapshot anew: with a later expiry, or with other keys')
  .addOption(required(signKeys()))
  .addOption(expires())
  .addOption(json())
  .action(async (dist: string, options: { signKey: string[]; expires: string; json?: boolean }) => {
    const { readSigning } = await import('./keys.ts')
    const { sign } = await import('./sign.ts')
    const { signWords } = await import('./report.ts')
    const signing = await readSigning(options.signKey, options.expires)
    print(options.json, await sign(dist, signing, realEffects()), signWords)
  })

program
  .command('verify <dist>')
  .description('check every digest, every member and every count of the current snapshot')
  .addOption(option('--keys <file>', 'key set of which one key must have signed the pointer'))
  .addOption(jobs())
  .addOption(json())
  .action(async (dist: string, options: { keys?: string; jobs: number; json?: boolean }) => {
    const { verify } = await import('../corpus/snapshot/verify.ts')
    const { readKeySetFile } = await import('../corpus/snapshot/key-files.ts')
    const { verifyWords } = await import('./report.ts')
    const keys = options.keys === undefined ? {} : { keys: await readKeySetFile(options.keys) }
    const progress = showProgress()
    const onProgress = (done: number, total: number) => progress('files', done, total)
    const report = await verify(dist, { ...keys, jobs: options.jobs, onProgress })
    print(options.json, report, verifyWords)
    for (const fault of report.faults) process.stderr.write(`vulnshelf: ${printable(fault)}\n`)
    if (report.faults.length > 0) process.exitCode = 1
  })

program
  .command('show <dist> [path]')
  .description('print a record, a file or the manifest as JSON')
  .action(async (dist: string, path: string | undefined) => {
    const { show } = await import('./show.ts')
    process.stdout.write(`${JSON.stringify(show(dist, path), null, 1)}\n`)
  })

program
  .command('snapshots <dist>')
  .description('list the snapshots that are kept, newest first; * marks the current one')
  .addOption(json())
  .action(async (dist: string, options: { json?: boolean }) => {
    const { listSnapshots } = await import('./snapshots.ts')
    const { snapshotsWords } = await import('./report.ts')
    print(options.json, await listSnapshots(dist), snapshotsWords)
  })

program
  .command('prune <dist>')
  .description('remove snapshots but the newest, and the files that only they needed')
  .addOption(required(option('--keep <n>', 'how many snapshots stay').argParser(wholeNumber(1))))
  .addOption(json())
  .action(async (dist: string, options: { keep: number; json?: boolean }) => {
    const { prune } = await import('./prune.ts')
    const { pruneWords } = await import('./report.ts')
    print(options.json, await prune(dist, options.keep, realEffects()), pruneWords)
  })

program
  .command('publish <dist> <target>')
  .description('put the current snapshot where mirrors find it: in a folder, or at s3://bucket/prefix')
  .addOption(option('--parallel <n>', 'transfers at once').argParser(wholeNumber(1, 64)).default(6))
  .addOption(json())
  .addOption(option('--unsigned', 'put an unsigned snapshot in the place of a signed one'))
  .action(async (dist: string, to: string, options: { parallel: number; unsigned?: boolean; json?: boolean }) => {
    const { publishFromCommand } = await import('./publish/command.ts')
    const { publishWords } = await import('./report.ts')
    const { parallel, unsigned = false } = options
    print(options.json, await publishFromCommand({ dist, to, parallel, unsigned }), publishWords)
  })

endWithNpm()
endWithReader()
program.parseAsync().catch(fail)
