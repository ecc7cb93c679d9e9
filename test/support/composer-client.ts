/** Debian's Composer, unmodified, and projects with a `composer.lock`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const RUN_MS = 120_000

export type LockedPackage = readonly [name: string, version: string]

/** Writes a project with these locked packages; the last one is for development. Returns its folder. */
export function writeComposerProject(folder: string, packages: readonly LockedPackage[]): string {
  mkdirSync(folder, { recursive: true })
  const locked = packages.map(([name, version]) => ({ name, version }))
  const lock = { packages: locked.slice(0, -1), 'packages-dev': locked.slice(-1), aliases: [], 'stability-flags': [] }
  writeFileSync(
    join(folder, 'composer.lock'),
    JSON.stringify({ ...lock, 'minimum-stability': 'dev', platform: [], 'platform-dev': [] }),
  )
  return folder
}

export interface ComposerAudit {
  code: number
  /** Name and advisory, such as `acme/lib GHSA-aaaa-bbbb-cccc`. */
  findings: string[]
  output: string
}

/** Runs `composer audit --locked` against the repository at `url`, in a new home. Null is no token. */
export async function composerAudit(
  project: string,
  url: string,
  token: string | null,
  settings: object = {},
): Promise<ComposerAudit> {
  const home = join(project, '.home')
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home)
  const repositories = [{ type: 'composer', url }, { 'packagist.org': false }]
  const config = { 'secure-http': false, 'cache-dir': join(home, 'cache'), ...settings }
  writeFileSync(join(project, 'composer.json'), JSON.stringify({ name: 'acme/project', config, repositories }))
  const auth = token === null ? {} : { bearer: { [new URL(url).host]: token } }
  writeFileSync(join(home, 'auth.json'), JSON.stringify(auth))
  const env = { ...process.env, COMPOSER_HOME: home, COMPOSER_ALLOW_SUPERUSER: '1' }
  const words = ['audit', '--locked', '--no-interaction', '--format=json']
  const child = spawn('composer', words, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: RUN_MS })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const [code] = (await once(child, 'close')) as [number]
  const findings = out.startsWith('{')
    ? Object.entries(
        (JSON.parse(out) as { advisories: Record<string, Record<string, { advisoryId: string }>> }).advisories,
      )
    : []
  return {
    code,
    findings: findings
      .flatMap(([name, list]) => Object.values(list).map(({ advisoryId }) => `${name} ${advisoryId}`))
      .sort(),
    output: out + err,
  }
}
