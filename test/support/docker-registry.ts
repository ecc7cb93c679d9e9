/** Runs an OCI registry, Debian's `docker-registry`, on a free port of this machine. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { freePort } from './listening.ts'

export interface Registry {
  /** Host and port. */
  host: string
  /** Returns the path of a blob on the registry's disk. */
  blobPath(sha256: string): string
  /** Digests of all blobs on the registry's disk. */
  blobs(): string[]
  stop(): Promise<void>
}

/** `htpasswd` is a file of accounts with bcrypt; without it, everybody may push. */
export async function startRegistry(folder: string, { htpasswd }: { htpasswd?: string } = {}): Promise<Registry> {
  mkdirSync(folder, { recursive: true })
  const host = `127.0.0.1:${await freePort()}`
  const file = join(folder, 'config.yml')
  const auth = htpasswd === undefined ? '' : `auth: { htpasswd: { realm: test, path: ${JSON.stringify(htpasswd)} } }`
  writeFileSync(
    file,
    `version: 0.1
log: { level: error, accesslog: { disabled: true } }
storage: { filesystem: { rootdirectory: ${JSON.stringify(join(folder, 'data'))} } }
http: { addr: '${host}' }
${auth}
`,
  )
  // A pipe that nobody reads while `skopeo` runs would block it.
  const log = join(folder, 'log')
  const logFile = openSync(log, 'w')
  const child = spawn('docker-registry', ['serve', file], { stdio: ['ignore', 'ignore', logFile] })
  closeSync(logFile)
  while (!(await fetch(`http://${host}/v2/`).catch(() => null))) {
    if (child.exitCode !== null) throw new Error(`docker-registry did not start: ${readFileSync(log, 'utf8').trim()}`)
    await sleep(20)
  }
  const blobFolder = join(folder, 'data/docker/registry/v2/blobs/sha256')
  const blobPath = (sha256: string) => join(blobFolder, sha256.slice(0, 2), sha256, 'data')
  return {
    host,
    blobPath,
    blobs: () =>
      readdirSync(blobFolder)
        .flatMap((two) => readdirSync(join(blobFolder, two)))
        .filter((sha256) => statSync(blobPath(sha256), { throwIfNoEntry: false }))
        .sort(),
    stop: () => stop(child),
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}

/** A bound for a test that fails. */
const SKOPEO_MS = 120_000

/** Runs skopeo without the machine's own policy and credentials. Returns its output; fails if it fails. */
export function skopeo(...words: string[]): string {
  const { status, stdout, stderr } = spawnSync('skopeo', ['--insecure-policy', ...words], {
    encoding: 'utf8',
    timeout: SKOPEO_MS,
  })
  assert.is(status, 0, `skopeo ${words.join(' ')}: ${stderr}`)
  return stdout
}

/** Changes one byte in the middle of a file. */
export function changeByte(path: string): void {
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(path, bytes)
}
