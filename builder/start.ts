/**
 * `npm start`: the whole way on the embedded sample corpus. Makes sample feeds, ingests and builds them unless there is
 * a `dist/` already, starts a gateway on it, and prints a line to paste.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine } from '../corpus/command/command-line.ts'
import { type Effects, realEffects } from '../corpus/command/effects.ts'
import { noProgress } from '../corpus/command/progress.ts'
import { generateSample } from '../corpus/sample/generate.ts'
import { build } from './build/build.ts'
import { formatCorpus } from './ingest/format-report.ts'
import { ingest } from './ingest/ingest.ts'

const root = join(import.meta.dirname, '..')
const local = (name: string) => join(root, '.vulnshelf', name)
const dist = join(root, 'dist')
/** The gateway is a program of its own: it is started, not imported. */
const gateway = ['--import', 'tsx', join(root, 'gateway/cli.ts')]

async function start(): Promise<void> {
  const effects = realEffects()
  if (existsSync(join(dist, 'latest.json'))) {
    effects.log('serving the snapshot in dist/ as it is')
  } else {
    await makeSample(effects)
  }
  const keys = local('keys')
  const token = execFileSync(process.execPath, [...gateway, 'token', '--expires', '1d', '--keys', keys], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
  const server = spawn(process.execPath, [...gateway, 'serve', dist, '--jwks', join(keys, 'jwks.json')], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'pipe'],
  })
  server.stderr.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk)
    const url = /listening on (\S+)/.exec(chunk.toString())?.[1]
    if (url)
      process.stdout.write(
        `\ntry:\n\n  curl -s --compressed -H 'Authorization: Bearer ${token}' '${url}/api/v1/cves'\n\n`,
      )
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal))
  server.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}

/** Two nights, so that there is something to be seen of what changes between them. */
async function makeSample(effects: Effects): Promise<void> {
  // Leftovers of an earlier version: all of it is made anew.
  for (const file of ['corpus.db', 'corpus.db-wal', 'corpus.db-shm']) rmSync(local(file), { force: true })
  effects.log('writing sample feeds: 2,000 synthetic CVEs')
  const [feeds, corpus] = [local('feeds'), local('corpus.db')]
  const { nights } = await generateSample({ feeds })
  for (const night of nights) {
    effects.log(`ingesting the night of ${night}`)
    effects.log(formatCorpus(await ingest({ feeds, corpus, asOf: night }, { ...effects, log: () => {} })))
    effects.log('building the snapshot')
    await build({ corpus, dist }, effects, noProgress)
  }
}

start().catch(commandLine('vulnshelf').fail)
