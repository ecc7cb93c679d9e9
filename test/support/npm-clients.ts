/** The clients of npm's audit endpoint, unmodified: npm, pnpm, bun and yarn, and projects with a lock file for each. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { madeOnce } from './made-once.ts'

export const CLIENTS = ['npm', 'pnpm', 'bun', 'yarn'] as const
export type ClientName = (typeof CLIENTS)[number]

const PACKAGES = ['pnpm@12.21.0', 'bun@1.4.5', '@yarnpkg/cli-dist@4.18.1']
const INSTALL_MS = 240_000
const RUN_MS = 120_000

export interface Client {
  name: ClientName
  /** Program and first arguments. */
  command: readonly string[]
  /** Its caches and settings. */
  home: string
}

/** Returns the clients with homes in `folder`. A run installs pnpm, bun and yarn once. npm is that of the machine, with this Node. */
export async function installClients(folder: string): Promise<Record<ClientName, Client>> {
  const installed = await madeOnce('npm-clients', async (made) => installPackages(made, PACKAGES))
  const program = (name: string) => join(installed, 'node_modules/.bin', name)
  const client = (name: ClientName, ...command: string[]): Client => {
    const home = join(folder, 'home', name)
    mkdirSync(home, { recursive: true })
    return { name, command, home }
  }
  return {
    npm: client('npm', 'npm'),
    pnpm: client('pnpm', program('pnpm')),
    bun: client('bun', program('bun')),
    yarn: client('yarn', process.execPath, program('yarn')),
  }
}

/** Installs packages from the public registry into the folder, which must exist. */
export function installPackages(folder: string, packages: readonly string[], ...options: string[]): void {
  writeFileSync(join(folder, 'package.json'), '{}')
  const words = ['install', '--no-audit', '--no-fund', ...options, ...packages]
  const { status, stderr } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8', timeout: INSTALL_MS })
  if (status !== 0) throw new Error(`cannot install the clients: ${stderr}`)
}

/** Name and version. A name can occur with several versions: all but the first are aliases. */
export type Dependency = readonly [name: string, version: string]

/** Nothing is installed, so that no archive is compared with it. */
const INTEGRITY = `sha512-${'A'.repeat(86)}==`

function manifestOf(dependencies: readonly Dependency[]) {
  const seen = new Map<string, number>()
  const direct = dependencies.map(([name, version]) => {
    const count = seen.get(name) ?? 0
    seen.set(name, count + 1)
    const alias = count === 0 ? name : `${name.replace(/^@[^/]+\//, '')}-alias-${count}`
    return { name, version, alias, spec: alias === name ? version : `npm:${name}@${version}` }
  })
  const specs = Object.fromEntries(direct.map(({ alias, spec }) => [alias, spec]))
  return { direct, specs, root: { name: 'audited', version: '1.0.0', dependencies: specs } }
}

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`

/** Writes a project with these dependencies, and a lock file for each client. Returns its folder. */
export function writeProject(folder: string, dependencies: readonly Dependency[]): string {
  const { direct, specs, root } = manifestOf(dependencies)
  mkdirSync(folder, { recursive: true })
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('package.json', json(root))
  const locked = direct.map(({ name, version, alias }) => [
    `node_modules/${alias}`,
    { ...(alias === name ? {} : { name }), version, integrity: INTEGRITY },
  ])
  const packages = { '': root, ...Object.fromEntries(locked) }
  write('package-lock.json', json({ name: 'audited', version: '1.0.0', lockfileVersion: 3, requires: true, packages }))
  const q = JSON.stringify
  write(
    'pnpm-lock.yaml',
    [
      "lockfileVersion: '9.0'",
      'settings: {autoInstallPeers: true, excludeLinksFromLockfile: false}',
      'importers:',
      '  .:',
      '    dependencies:',
      ...direct.flatMap(({ name, version, alias, spec }) => [
        `      ${q(alias)}:`,
        `        specifier: ${q(spec)}`,
        `        version: ${q(alias === name ? version : `${name}@${version}`)}`,
      ]),
      'packages:',
      ...direct.map(({ name, version }) => `  ${q(`${name}@${version}`)}: {resolution: {integrity: ${q(INTEGRITY)}}}`),
      'snapshots:',
      ...direct.map(({ name, version }) => `  ${q(`${name}@${version}`)}: {}`),
      '',
    ].join('\n'),
  )
  write(
    'bun.lock',
    json({
      lockfileVersion: 1,
      workspaces: { '': { name: 'audited', dependencies: specs } },
      packages: Object.fromEntries(
        direct.map(({ name, version, alias }) => [alias, [`${name}@${version}`, '', {}, INTEGRITY]]),
      ),
    }),
  )
  const hard = ['languageName: node', 'linkType: hard']
  const keys = new Map(direct.map(({ name, version }) => [`${name}@npm:${version}`, version]))
  write(
    'yarn.lock',
    [
      '__metadata:\n  version: 10\n  cacheKey: 10c0\n',
      ...Array.from(keys, ([key, version]) =>
        [`${q(key)}:`, `  version: ${version}`, `  resolution: ${q(key)}`, ...hard.map((line) => `  ${line}`), ''].join(
          '\n',
        ),
      ),
      [
        '"audited@workspace:.":',
        '  version: 0.0.0-use.local',
        '  resolution: "audited@workspace:."',
        '  dependencies:',
        ...direct.map(({ alias, spec }) => `    ${q(alias)}: ${q(spec.startsWith('npm:') ? spec : `npm:${spec}`)}`),
        '  languageName: unknown',
        '  linkType: soft',
        '',
      ].join('\n'),
    ].join('\n'),
  )
  return folder
}

export const LOCKS: Record<ClientName, { file: string; words: readonly string[] }> = {
  npm: { file: 'package-lock.json', words: ['install', '--package-lock-only', '--ignore-scripts', '--no-audit'] },
  pnpm: { file: 'pnpm-lock.yaml', words: ['install', '--lockfile-only', '--ignore-scripts'] },
  bun: { file: 'bun.lock', words: ['install', '--lockfile-only', '--ignore-scripts'] },
  yarn: { file: 'yarn.lock', words: ['install', '--mode=update-lockfile'] },
}

/**
 * Lets the client make the lock file of a project with these dependencies, from the public registry. Installs nothing
 * and runs no scripts. Returns the path of the lock file.
 */
export async function lockProject(
  client: Client,
  folder: string,
  dependencies: readonly Dependency[],
): Promise<string> {
  const { file, words } = LOCKS[client.name]
  mkdirSync(folder, { recursive: true })
  const path = join(folder, file)
  writeFileSync(join(folder, 'package.json'), json(manifestOf(dependencies).root))
  if (client.name === 'yarn') {
    // yarn takes the nearest folder with a lock file for the project.
    writeFileSync(path, '')
    writeFileSync(join(folder, '.yarnrc.yml'), 'enableTelemetry: false\nenableScripts: false\n')
  }
  const { code, out, err } = await runClient(client, folder, words)
  if (code !== 0) throw new Error(`${client.name} cannot make a lock file: ${out}${err}`)
  return path
}

export interface Audit {
  code: number | null
  /** `name@range advisory`, such as `left@<1.0.0 GHSA-aaaa-bbbb-cccc`. */
  findings: Set<string>
  /** `name@version advisory`; empty for npm and bun, which do not print the version of a finding. */
  affected: Set<string>
  /** The names of packages that npm can fix; empty for other clients. */
  fixable: Set<string>
  output: string
}

/** Runs the client's audit of the project against the registry at `url`. Null is no token. */
export async function audit(client: Client, project: string, url: string, token: string | null): Promise<Audit> {
  configure(project, url, token)
  const { code, out, err } = await runClient(client, project, WORDS[client.name])
  const found = FINDINGS[client.name](out)
  return { code, output: out + err, ...found }
}

function configure(project: string, url: string, token: string | null): void {
  const host = url.replace(/^https?:/, '')
  const write = (name: string, ...lines: string[]) => writeFileSync(join(project, name), `${lines.join('\n')}\n`)
  write('.npmrc', `registry=${url}/`, ...(token === null ? [] : [`${host}/:_authToken=${token}`]))
  write('bunfig.toml', '[install]', `registry = { url = "${url}"${token === null ? '' : `, token = "${token}"`} }`)
  write(
    '.yarnrc.yml',
    'enableTelemetry: false',
    'unsafeHttpWhitelist: ["127.0.0.1"]',
    `npmAuditRegistry: "${url}"`,
    ...(token === null
      ? []
      : ['npmRegistries:', `  "${url}":`, `    npmAuthToken: ${token}`, '    npmAlwaysAuth: true']),
  )
}

const WORDS: Record<ClientName, readonly string[]> = {
  npm: ['audit', '--json'],
  pnpm: ['audit', '--json'],
  bun: ['audit', '--json'],
  // Deprecations would be requested from the public registry.
  yarn: ['npm', 'audit', '--all', '--recursive', '--json', '--no-deprecations'],
}

/** Certificates and proxies. */
const NETWORK = /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|HTTPS_PROXY|NO_PROXY)$/i

/** Runs the client in the folder. `variables` are additions to its environment. */
export function runClient(
  { command, home }: Pick<Client, 'command' | 'home'>,
  cwd: string,
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; out: string; err: string }> {
  // Neither the settings of this machine's user nor those of `npm test` apply, except how to reach the registry.
  const network = Object.entries(process.env).filter(([name]) => NETWORK.test(name))
  const env = {
    ...Object.fromEntries(network),
    PATH: process.env.PATH,
    HOME: home,
    npm_config_cache: join(home, 'cache'),
    NO_COLOR: '1',
    ...variables,
  }
  return new Promise((resolve, reject) => {
    const [program = '', ...first] = command
    const child = spawn(program, [...first, ...words], { cwd, env, timeout: RUN_MS })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, out, err }))
  })
}

type Findings = Pick<Audit, 'findings' | 'affected' | 'fixable'>

const finding = (name: string, range: string, url: string) => `${name}@${range} ${url.slice(url.lastIndexOf('/') + 1)}`

const FINDINGS: Record<ClientName, (out: string) => Findings> = {
  npm(out) {
    const { vulnerabilities = {} } = parsed<{ vulnerabilities?: Record<string, NpmVulnerability> }>(out)
    const all = Object.entries(vulnerabilities)
    const via = all.flatMap((entry) => entry[1].via).filter((one) => typeof one === 'object')
    return {
      findings: new Set(via.map(({ name, range, url }) => finding(name, range, url))),
      affected: new Set(),
      fixable: new Set(all.filter((entry) => entry[1].fixAvailable !== false).map(([name]) => name)),
    }
  },
  pnpm(out) {
    const all = Object.values(parsed<{ advisories?: Record<string, PnpmAdvisory> }>(out).advisories ?? {})
    return only(
      all.map((one) => finding(one.module_name, one.vulnerable_versions, one.url)),
      all.flatMap((one) => one.findings.map(({ version }) => finding(one.module_name, version, one.url))),
    )
  },
  bun(out) {
    const all = Object.entries(parsed<Record<string, { vulnerable_versions: string; url: string }[]>>(out))
    return only(
      all.flatMap(([name, list]) =>
        list.map(({ vulnerable_versions, url }) => finding(name, vulnerable_versions, url)),
      ),
    )
  },
  yarn(out) {
    const lines = out.split('\n').filter((line) => line.startsWith('{"value"'))
    const all = lines.map((line) => JSON.parse(line) as { value: string; children: YarnAdvisory })
    return only(
      all.map(({ value, children }) => finding(value, children['Vulnerable Versions'], children.URL)),
      all.flatMap(({ value, children }) =>
        children['Tree Versions'].map((version) => finding(value, version, children.URL)),
      ),
    )
  },
}

interface NpmVulnerability {
  via: (string | { name: string; range: string; url: string })[]
  fixAvailable: boolean | object
}

interface PnpmAdvisory {
  module_name: string
  vulnerable_versions: string
  url: string
  findings: { version: string }[]
}

interface YarnAdvisory {
  'Vulnerable Versions': string
  'Tree Versions': string[]
  URL: string
}

const only = (findings: string[], affected: string[] = []): Findings => ({
  findings: new Set(findings),
  affected: new Set(affected),
  fixable: new Set(),
})

/** Returns an empty object for output that is no JSON: that of an error. */
function parsed<T extends object>(out: string): Partial<T> & T {
  try {
    return JSON.parse(out) as T
  } catch {
    return {} as T
  }
}
