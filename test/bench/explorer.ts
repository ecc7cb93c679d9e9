/**
 * Measures the explorer in Chromium: `npx tsx test/bench/explorer.ts <dist>`. Both modes, `static` behind nginx and
 * `gateway`, are measured on loopback and on a line of 10 Mbit/s and 50 ms. Each run begins with an empty browser cache.
 */
import '../../corpus/command/node-version.js'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { writeSite } from '../../builder/site/site.ts'
import { noProgress } from '../../corpus/command/progress.ts'
import { realNetworkEffects } from '../../corpus/transfer/network.ts'
import { quietEffects } from '../support/dist.ts'
import { launch, openTab, serveSite, type Tab } from '../support/explorer.ts'
import { serving } from '../support/serving.ts'

/** The line of the budgets: 10 Mbit/s and 50 ms. */
const LINE = { offline: false, latency: 50, downloadThroughput: 10e6 / 8, uploadThroughput: 10e6 / 8 }

type Steps = readonly (readonly [name: string, hash: string | 'more'])[]

const START = ['start page', '#/'] as const

/** Each walk has its own tab, and each step follows the one before. */
const walks = (cveId: string): readonly Steps[] => [
  [
    START,
    ['then a CVE', `#/cves/${cveId}`],
    ['then the list', '#/cves'],
    ['then a filter', '#/cves?severity=critical&has_exploit=true'],
    ['then its next page', 'more'],
    ['then another filter', '#/cves?kev=true&sort=-epss'],
  ],
  [
    START,
    ['then a search without a match', '#/search?q=zzzzqqqq'],
    ['then of a frequent word', '#/search?q=injection'],
  ],
  [START, ['then a search of a frequent word', '#/search?q=injection']],
  [START, ['then two filters with a text', '#/cves?kev=true&severity=high&text=injection']],
]

/** Returns a row for each step: transfer in KB, and the memory of the tab in MB. */
async function measure(tab: Tab, steps: Steps, line: typeof LINE | null): Promise<object[]> {
  const session = await tab.page.context().newCDPSession(tab.page)
  let [requests, bytes] = [0, 0]
  session.on('Network.requestWillBeSent', () => requests++)
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await session.send('Network.enable')
  if (line) await session.send('Network.emulateNetworkConditions', line)
  const rows: object[] = []
  for (const [step, hash] of steps) {
    ;[requests, bytes] = [0, 0]
    const started = performance.now()
    if (hash === 'more') await more(tab)
    else await tab.show(hash)
    const ms = Math.round(performance.now() - started - CALM_MS)
    rows.push({ step, requests, KB: Math.round(bytes / 1000), ms, 'memory MB': Math.round(tabBytes() / 1e6) })
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

async function main(dist: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vulnshelf-bench-explorer-'))
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
    const all = walks(data[0]!.cve_id)
    const modes = [
      { mode: 'Static', origin: `http://127.0.0.1:${nginx.port}/`, token: null },
      { mode: 'Gateway', origin: `${gateway.url}/`, token: gateway.token },
    ]
    for (const { mode, origin, token } of modes) {
      for (const line of [null, LINE]) {
        for (const steps of all) {
          const rows = await measure(await openTab(browser, origin, { token }), steps, line)
          console.log(`\n${mode}, ${line ? '10 Mbit/s, 50 ms' : 'loopback'}`)
          console.table(rows)
        }
      }
    }
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
