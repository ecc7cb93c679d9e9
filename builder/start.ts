/**
 * `npm start`: the whole way on the embedded sample corpus. Makes sample feeds, ingests and builds them unless there is
 * a `dist/` already, starts a gateway on it, and prints a line to paste.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { generateSample } from '../corpus/sample/generate.ts'
import { build } from './build/build.ts'
import { fail } from './command-line.ts'
import { realEffects } from './effects.ts'
import { ingest } from './ingest/ingest.ts'
import { noProgress } from './progress.ts'

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
    effects.log('writing sample feeds: 2,000 synthetic CVEs')
    const feeds = local('feeds')
    await generateSample({ feeds })
    const corpus = local('corpus.db')
    await ingest({ feeds, corpus }, effects)
    effects.log('building the snapshot')
    await build({ corpus, dist }, effects, noProgress)
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

start().catch(fail)
