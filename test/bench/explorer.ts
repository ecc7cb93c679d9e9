/**
 * Measures the explorer in Chromium: `npx tsx test/bench/explorer.ts <dist>`. Both modes, `static` behind nginx and
 * `gateway`, are measured on loopback and on a line of 10 Mbit/s and 50 ms. Each run begins with an empty browser cache.
 */
import '../../corpus/command/node-version.js'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { writeSite } from '../../builder/site/site.ts'
import { noProgress } from '../../corpus/command/progress.ts'
import { realNetworkEffects } from '../../corpus/transfer/network.ts'
import { openExplorer } from '../../gateway/explorer/explorer.ts'
import { quietEffects } from '../support/dist.ts'
import { launch, openTab, serveSite, type Tab } from '../support/explorer.ts'
import { serving } from '../support/serving.ts'

/** The line of the budgets: 10 Mbit/s and 50 ms. */
const LINE = { offline: false, latency: 50, downloadThroughput: 10e6 / 8, uploadThroughput: 10e6 / 8 }

/** Each step follows the one before in the same tab. */
const steps = (cveId: string): readonly (readonly [name: string, hash: string | 'more'])[] => [
  ['start page', '#/'],
  ['then a CVE', `#/cves/${cveId}`],
  ['then the list', '#/cves'],
  ['then a filter', '#/cves?severity=critical&has_exploit=true'],
  ['then its next page', 'more'],
  ['then another filter', '#/cves?kev=true&sort=-epss'],
]

interface Row {
  name: string
  requests: number
  bytes: number
  ms: number
  tabBytes: number
}

async function measure(
  browser: Browser,
  origin: string,
  token: string | null,
  hashes: ReturnType<typeof steps>,
  line: boolean,
): Promise<Row[]> {
  const tab = await openTab(browser, origin, { token })
  const session = await tab.page.context().newCDPSession(tab.page)
  let [requests, bytes] = [0, 0]
  session.on('Network.requestWillBeSent', () => requests++)
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await session.send('Network.enable')
  if (line) await session.send('Network.emulateNetworkConditions', LINE)
  const rows: Row[] = []
  for (const [name, hash] of hashes) {
    ;[requests, bytes] = [0, 0]
    const started = performance.now()
    if (hash === 'more') await more(tab)
    else await tab.show(hash)
    const ms = performance.now() - started - CALM_MS
    rows.push({ name, requests, bytes, ms, tabBytes: tabBytes() })
  }
  if (tab.faults.length > 0) console.log(`# faults: ${tab.faults.slice(0, 5).join('; ')}`)
  await tab.close()
  return rows
}

/** `settle` waits this long after the last request, to be sure that it was the last. */
const CALM_MS = 90

async function more(tab: Tab): Promise<void> {
  const button = tab.page.locator('button.more')
  if ((await button.count()) > 0) await button.scrollIntoViewIfNeeded()
  await tab.page.waitForTimeout(50)
  await tab.settle()
}

/** Private memory of the tab's process, in bytes: of the largest renderer below this process. Chromium keeps a spare one. */
function tabBytes(): number {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
  const processes = [...table.matchAll(/^ *(\d+) +(\d+) (.*)$/gm)].map(([, pid, parent, command]) => ({
    pid: Number(pid),
    parent: Number(parent),
    isRenderer: command!.includes('--type=renderer'),
  }))
  const below = (parent: number): typeof processes =>
    processes.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)])
  const sizes = below(process.pid)
    .filter(({ isRenderer }) => isRenderer)
    .map(({ pid }) => privateBytes(pid))
  return Math.max(...sizes)
}

function privateBytes(pid: number): number {
  const kilobytes = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Private_\w+: +(\d+) kB$/gm)
  return [...kilobytes].reduce((sum, [, size]) => sum + Number(size) * 1024, 0)
}

const KB = 1000
const print = (title: string, rows: readonly Row[]) => {
  console.log(`\n${title}\n\n| Step | Requests | KB | ms | Memory of the tab, MB |\n|---|---|---|---|---|`)
  for (const { name, requests, bytes, ms, tabBytes } of rows)
    console.log(
      `| ${name} | ${requests} | ${(bytes / KB).toFixed(0)} | ${ms.toFixed(0)} | ${(tabBytes / 1e6).toFixed(0)} |`,
    )
}

async function main(dist: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vulnshelf-bench-explorer-'))
  const { files } = await openExplorer()
  const scripts = [...files].filter(([path]) => path.endsWith('.js'))
  for (const [path, bytes] of scripts
    .map(([path, body]) => [path, gzipSync(body, { level: 9 }).length] as const)
    .sort((a, b) => b[1] - a[1])
    .slice(0, 8))
    console.log(`${path}: ${(bytes / KB).toFixed(1)} KB gzip`)
  const { effects, close } = realNetworkEffects(quietEffects())
  const site = join(folder, 'site')
  await writeSite({ dist, out: site, unsigned: true }, effects, noProgress)
  await close()
  const nginx = await serveSite(site, join(folder, 'nginx'))
  const gateway = await serving(folder, dist, ['--rate-limit', '1000000'])
  const browser = await launch()
  try {
    const answer = await fetch(`${gateway.url}/api/v1/cves?kev=true&limit=1`, {
      headers: { authorization: `Bearer ${gateway.token}` },
    })
    const { data } = (await answer.json()) as { data: { cve_id: string }[] }
    const hashes = steps(data[0]!.cve_id)
    const local = `http://127.0.0.1:${nginx.port}/`
    print('Static, 10 Mbit/s, 50 ms', await measure(browser, local, null, hashes, true))
    print('Static, loopback', await measure(browser, local, null, hashes, false))
    print('Gateway, loopback', await measure(browser, `${gateway.url}/`, gateway.token, hashes, false))
    print('Gateway, 10 Mbit/s, 50 ms', await measure(browser, `${gateway.url}/`, gateway.token, hashes, true))
  } finally {
    await browser.close()
    await gateway.stop()
    await nginx.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const [dist] = process.argv.slice(2)
if (dist === undefined) {
  process.stderr.write('bench: state the folder of a snapshot: npx tsx test/bench/explorer.ts dist\n')
  process.exit(2)
}
await main(resolve(dist))
