/**
 * `npm start`: serves a sample corpus. It writes sample feeds, ingests and builds them unless `dist/` exists, starts a
 * gateway, and prints a link that signs a browser in, questions to ask, and a `curl` command.
 */
import '../corpus/command/node-version.js'
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, rmdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { commandLine, wholeNumber } from '../corpus/command/command-line.ts'
import { type Effects, realEffects } from '../corpus/command/effects.ts'
import { exitWithNpm } from '../corpus/command/npm-exit.ts'
import { noProgress } from '../corpus/command/progress.ts'
import { writingTo } from '../corpus/command/system-error.ts'
import { BuildError } from './snapshot/error.ts'

const root = join(import.meta.dirname, '..')
const local = (name: string) => join(root, '.vulnshelf', name)
const dist = join(root, 'dist')
/** Renamed to `dist` when complete, so that an interrupted start is never served. */
const unfinished = local('dist')
const gateway = ['--import', 'tsx', join(root, 'gateway/process/cli.ts')]

interface StartFlags {
  port: number
  host: string
  cves: number
}

exitWithNpm()
const { program, option, fail } = commandLine('npm start')
program
  .usage('-- [options]')
  .description(
    'Serve a sample corpus: write its feeds, build a snapshot in dist/, start a gateway, print a login link and a curl command',
  )
  .addOption(option('--port <port>', 'listen on this port').argParser(wholeNumber(0, 65_535)).default(8080))
  .addOption(option('--host <host>', 'listen on this address').default('127.0.0.1'))
  .addOption(
    option('--cves <n>', 'size of the sample corpus; requires that dist/ does not exist yet')
      .argParser(wholeNumber(1, 5_000_000))
      .default(2000),
  )
  .addHelpText('after', '\nExamples:\n  npm start\n  npm start -- --port 9000\n  npm start -- --cves 20000')
  .action(start)

async function start({ port, host, cves }: StartFlags): Promise<void> {
  refuseNpmOptions()
  await assertUsable(port, host)
  const effects = realEffects()
  if (!existsSync(join(dist, 'latest.json'))) await writingTo(local(''), () => makeSample(cves, effects))
  else if (program.getOptionValueSource('cves') !== 'default') {
    program.error("option '--cves' has no effect: dist/ has a snapshot already. Remove dist/ to build another one")
  } else effects.log('using the existing snapshot in dist/')
  serve(port, host)
}

/** Without `--`, npm only sets environment variables. */
function refuseNpmOptions(): void {
  const taken = program.options.find(({ long }) => process.env[`npm_config_${long?.slice(2)}`] !== undefined)
  if (taken) program.error(`npm took option '${taken.long}' for its own. Write: npm start -- ${taken.flags}`)
}

/** Writing a sample takes time, so this is checked first. */
async function assertUsable(port: number, host: string): Promise<void> {
  const server = createServer()
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    server.once('error', resolve)
    server.listen({ port, host }, () => server.close(() => resolve(null)))
  })
  if (!error) return
  const other = `npm start -- --port ${port === 9000 ? 9001 : 9000}`
  if (error.code === 'EADDRINUSE') {
    throw new BuildError('busy', `port ${port} on ${host} is already in use. Choose another port: ${other}`)
  }
  throw new BuildError('unusable', `cannot listen on ${host}, port ${port}: ${error.message}. For example: ${other}`)
}

/** Two nights, so that `/changes` has something to show. */
async function makeSample(cves: number, effects: Effects): Promise<void> {
  const { lockFile } = await import('../corpus/command/lock.ts')
  const { generateSample } = await import('../corpus/sample/generate.ts')
  const { build } = await import('./snapshot/build.ts')
  const { formatCorpus } = await import('./ingest/format-report.ts')
  const { ingest } = await import('./ingest/ingest.ts')
  await effects.mkdir(local(''))
  const unlock = lockFile(local('start.lock'))
  if (unlock === null) throw new BuildError('busy', 'another `npm start` is writing the sample corpus. Wait for it')
  if (existsSync(join(dist, 'latest.json'))) return unlock()
  removeEmptyDist()
  if (existsSync(unfinished)) effects.log('an earlier start was interrupted, starting again')
  for (const name of ['dist', 'feeds', 'corpus.db', 'corpus.db-wal', 'corpus.db-shm']) await effects.remove(local(name))
  await effects.mkdir(unfinished)
  effects.log(`writing sample feeds: ${cves.toLocaleString('en-US')} synthetic CVEs`)
  const [feeds, corpus] = [local('feeds'), local('corpus.db')]
  const { nights } = await generateSample({ feeds, cves })
  for (const night of nights) {
    effects.log(`ingesting the night of ${night}`)
    effects.log(formatCorpus(await ingest({ feeds, corpus, asOf: night }, { ...effects, log: () => {} })))
    effects.log('building the snapshot')
    await build({ corpus, dist: unfinished }, effects, noProgress)
  }
  await effects.rename(unfinished, dist)
  unlock()
}

function removeEmptyDist(): void {
  if (!existsSync(dist)) return
  try {
    rmdirSync(dist)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw cause
    const message =
      'dist/ has files but no snapshot. Remove dist/, or complete it with `npx vulnshelf build --out dist`'
    throw new BuildError('unusable', message, { cause })
  }
}

/** Lifetime of the token, the login link and the session. */
const LIFETIME = '1d'
/** `check` in the explorer sends a request for each package. */
const RATE_LIMIT = '100000'

function serve(port: number, host: string): void {
  const keys = local('keys')
  const token = execFileSync(process.execPath, [...gateway, 'token', '--expires', LIFETIME, '--keys', keys], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
  const code = randomBytes(32).toString('base64url')
  const options = ['--port', String(port), '--host', host, '--rate-limit', RATE_LIMIT, '--open-docs']
  const server = spawn(process.execPath, [...gateway, 'serve', dist, '--jwks', join(keys, 'jwks.json'), ...options], {
    cwd: root,
    env: { ...process.env, VULNSHELF_LOGIN: `${code}:${token}` },
    stdio: ['inherit', 'inherit', 'pipe'],
  })
  let isWelcomed = false
  server.stderr.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk)
    // Later lines can have texts of clients.
    if (isWelcomed) return
    const url = /listening on (\S+)/.exec(chunk.toString())?.[1]
    if (!url) return
    isWelcomed = true
    process.stdout.write(welcome(url, code, token))
  })
  // The gateway interprets SIGHUP as "reload".
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => server.kill())
  process.on('exit', () => server.kill())
  server.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}

function welcome(url: string, code: string, token: string): string {
  return `
Open the explorer. This link signs you in, once:

  ${url}/login/${code}

Three questions to start with:

  Which critical CVEs are in KEV, by EPSS score?
  ${url}/#/cves?kev=true&severity=critical&sort=-epss

  What changed since the previous snapshot?
  ${url}/#/changes

  Which advisories affect my packages? Drop a lock file or SBOM.
  ${url}/#/check

API reference: ${url}/#/api

From a program (the token and your session are valid for 24 hours):

  curl -s --compressed -H 'Authorization: Bearer ${token}' '${url}/api/v1/cves'

`
}

program.parseAsync().catch(fail)
