/** Clients of OSV's API, unmodified: cve-lite-cli, which requires TLS, and the security scanner of bun. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { listening } from './listening.ts'
import { type Client, type Dependency, installPackages, runClient } from './npm-clients.ts'
import { makeCertificate } from './redis.ts'

export const CVE_LITE = 'cve-lite-cli@1.37.0'
const PACKAGES = [CVE_LITE, '@bun-security-scanner/osv@1.0.0', 'bun@1.4.5']

export interface OsvClients {
  cveLite: Pick<Client, 'command' | 'home'>
  bunScanner: Pick<Client, 'command' | 'home'>
}

/** Installs the clients into the folder, which must exist. */
export function installOsvClients(folder: string): OsvClients {
  // The database of cve-lite-cli for scans without a network would be downloaded or compiled.
  installPackages(folder, PACKAGES, '--ignore-scripts')
  const [modules, home] = [join(folder, 'node_modules'), join(folder, 'home')]
  execFileSync(process.execPath, ['install.js'], { cwd: join(modules, 'bun'), stdio: 'ignore' })
  mkdirSync(home)
  return {
    cveLite: { command: [process.execPath, join(modules, 'cve-lite-cli/dist/index.js')], home },
    bunScanner: { command: [join(modules, '.bin/bun'), join(modules, '@bun-security-scanner/osv/src/cli.ts')], home },
  }
}

/** A proxy with TLS on a free port, as clients need that refuse plain HTTP. */
export interface TlsProxy {
  url: string
  certFile: string
  close(): Promise<void>
}

/** `folder` gets the certificate. */
export async function tlsProxy(folder: string, target: string): Promise<TlsProxy> {
  const { certFile, keyFile } = makeCertificate(folder)
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (asked, answer) => {
    const onwards = request(target + asked.url, { method: asked.method, headers: asked.headers }, (given) => {
      answer.writeHead(given.statusCode!, given.headers)
      given.pipe(answer)
    })
    onwards.once('error', () => answer.destroy())
    asked.pipe(onwards)
  })
  const { port, close } = await listening(server)
  return { url: `https://localhost:${port}`, certFile, close }
}

export interface Scan {
  code: number | null
  /** `name@version advisory`. */
  findings: Set<string>
  output: string
}

/** Scans the lock file of the project. Exits with 1 for a finding. */
export async function cveLiteScan(
  { cveLite }: OsvClients,
  project: string,
  { url, certFile }: Pick<TlsProxy, 'url' | 'certFile'>,
): Promise<Scan> {
  const reports = mkdtempSync(join(cveLite.home, 'reports-'))
  const { code, out, err } = await runClient(cveLite, project, [
    project,
    ...['--osv-url', url, '--allow-private-osv-url', '--ca-cert', certFile],
    ...['--json', '--output', reports, '--no-cache', '--fail-on', 'low', '--no-open'],
  ])
  const [report] = readdirSync(reports)
  const { findings = [] } =
    report === undefined ? {} : (JSON.parse(readFileSync(join(reports, report), 'utf8')) as Report)
  const all = findings.flatMap(({ package: name, version, vulnerabilities }) =>
    vulnerabilities.map(({ id }) => `${name}@${version} ${id}`),
  )
  return { code, findings: new Set(all), output: out + err }
}

interface Report {
  findings?: { package: string; version: string; vulnerabilities: { id: string }[] }[]
}

export interface BunScan {
  /** Those that the server found, those whose record the scanner has read, and those that it reports. */
  found: number
  read: number
  reported: number
  output: string
}

/** Scans packages through the API at `url`: in one batch, or by one query each. */
export async function bunScan(
  { bunScanner }: OsvClients,
  packages: readonly Dependency[],
  url: string,
  { batch = true }: { batch?: boolean } = {},
): Promise<BunScan> {
  const words = ['test', ...packages.map((one) => one.join('@'))]
  const { out, err } = await runClient(bunScanner, bunScanner.home, words, {
    OSV_API_BASE_URL: `${url}/v1`,
    OSV_LOG_LEVEL: 'info',
    OSV_DISABLE_BATCH: String(!batch),
  })
  const output = out + err
  const count = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? 0)
  return {
    found: count(/Batch query found (\d+) vulnerabilities/),
    read: count(/(?:Retrieved (?=\d)|Processing )(\d+)/),
    reported: count(/Advisories found: (\d+)/),
    output,
  }
}
