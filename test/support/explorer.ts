/** The explorer in Chromium, at a gateway and on nginx. Each tab records what must not happen. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { EntryType } from 'node:perf_hooks'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { writeSite } from '../../builder/site/site.ts'
import { noProgress } from '../../corpus/command/progress.ts'
import { cpeName } from '../../corpus/explorer/app/parts/names.ts'
import type { Mode } from '../../corpus/explorer/explorer.ts'
import { realNetworkEffects } from '../../corpus/transfer/network.ts'
import { openService, type Service } from '../contract/support/service.ts'
import { quietEffects, temporaryFolder } from './dist.ts'
import { HOSTILE, HOSTILE_ADVISORY } from './hostile-records.ts'
import { madeOnce } from './made-once.ts'
import { CHROMIUM } from './needs.ts'
import { type Nginx, startNginx } from './nginx.ts'

/** What the functions that run in the page use of it. The types of the DOM would be those of all programs. */
export interface PageElement {
  tagName: string
  className: string
  innerText: string
  outerHTML: string
  parentElement: PageElement | null
  offsetParent: PageElement | null
  getBoundingClientRect(): { right: number }
}
declare const document: {
  activeElement: PageElement | null
  documentElement: { scrollWidth: number; clientWidth: number }
  querySelector(selector: string): PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement>
  addEventListener(type: string, listener: (event: { effectiveDirective: string; blockedURI: string }) => void): void
}
declare const MutationObserver: new (
  work: () => void,
) => { observe(node: unknown, options: object): void; disconnect(): void }
declare const window: {
  shownAt: number
  shift: number
  shifted: string[]
  location: { hash: string; protocol: string }
  axe: Axe
}
declare const getComputedStyle: (element: PageElement) => { overflowX: string }
declare const sessionStorage: { setItem(name: string, value: string): void }
declare const requestAnimationFrame: (work: () => void) => void

interface Axe {
  run(options: {
    runOnly?: readonly string[]
    resultTypes?: readonly string[]
  }): Promise<{ violations: { id: string; nodes: { target: unknown[]; html: string }[] }[] }>
}

export const DESKTOP = { width: 1280, height: 900 }
export const PHONE = { width: 360, height: 740 }

export interface Tab {
  page: Page
  /** Errors of the console and of scripts, violations of the policy, requests to other hosts, failed requests. */
  faults: string[]
  /** URLs that were requested, in order. */
  requested: string[]
  /** Opens the page of this address, such as `#/cves`, and waits until it is complete. */
  show(hash: string): Promise<void>
  /** Like `show`, but the program starts again, as at an address that is typed in. */
  load(hash: string): Promise<void>
  /** Waits until nothing is loading. */
  settle(): Promise<void>
  close(): Promise<void>
}

export const MODES: readonly Mode[] = ['gateway', 'static']

export interface TabOptions extends BrowserContextOptions {
  /** Null: nobody has signed in. Default: an administrator's token. */
  token?: string | null
}

export interface ExplorerWorld {
  service: Service
  /** The addresses of the page, by mode, with a `/` at the end. */
  origins: Record<Mode, string>
  /** Where nginx finds the static mode. */
  site: string
  open(mode: Mode, options?: TabOptions): Promise<Tab>
  close(): Promise<void>
}

/** The usual sample at a gateway, and on nginx. */
export async function openExplorerWorld(): Promise<ExplorerWorld> {
  const folder = temporaryFolder('explorer')
  const service = await openService()
  const site = await madeOnce('explorer-site', async (out) => {
    const { effects, close } = realNetworkEffects(quietEffects())
    await writeSite({ dist: service.made.dist, out }, effects, noProgress)
    await close()
  })
  const nginx = await serveSite(site, join(folder.path, 'nginx'))
  const browser = await launch()
  const origins = { gateway: `${service.url}/`, static: `http://127.0.0.1:${nginx.port}/` }
  return {
    service,
    origins,
    site,
    open: (mode, { token = service.token, ...options } = {}) =>
      openTab(browser, origins[mode], { token: mode === 'gateway' ? token : null, ...options }),
    async close() {
      await browser.close()
      await nginx.stop()
      await service.remove()
      folder.remove()
    },
  }
}

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })

/** The configuration that the documentation shows. */
const EXAMPLE = readFileSync(join(import.meta.dirname, '../examples/nginx-site.conf'), 'utf8')

/** Starts nginx over a site. It writes its files to `folder`. */
export const serveSite = (site: string, folder: string): Promise<Nginx> =>
  startNginx(folder, (port) =>
    EXAMPLE.replace('listen 80;', `listen 127.0.0.1:${port};`).replace('root /srv/vulnshelf;', `root ${site};`),
  )

/** Returns addresses of all kinds of pages, with entries of the sample. */
export async function pageAddresses({ service }: ExplorerWorld): Promise<string[]> {
  const first = async <T>(path: string) => (await service.json<{ data: T[] }>(`${path}limit=1`)).data[0]!
  const { cve_id } = await first<{ cve_id: string }>('/cves?kev=true&')
  const { capec_id } = await first<{ capec_id: number }>('/capecs?')
  const { slug } = await first<{ slug: string }>('/vendors?')
  const product = await first<{ slug: string }>(`/vendors/${encodeURIComponent(slug)}/products?`)
  const cna = await first<{ slug: string }>('/cnas?')
  const exploit = await first<{ source: string; source_id: string }>('/exploits?')
  const named = await first<{ ecosystem: string; name: string }>('/packages?')
  const { id: snapshot } = await first<{ id: string }>('/snapshots?')
  const part = (text: string | number) => encodeURIComponent(text)
  return [
    '#/',
    '#/search?q=injection',
    '#/cves',
    '#/cves?kev=true&severity=critical,high&sort=-epss',
    '#/cves?epss_min=7',
    `#/cves/${cve_id}`,
    `#/cves/${HOSTILE}`,
    '#/cves/CVE-1999-9999',
    '#/cwes',
    '#/cwes/cwe-79',
    '#/capecs',
    `#/capecs/${capec_id}`,
    '#/vendors',
    `#/vendors/${part(slug)}`,
    `#/vendors/${part(slug)}/products/${part(product.slug)}`,
    '#/packages',
    `#/packages/${part(named.ecosystem)}/${part(named.name)}`,
    '#/cnas',
    `#/cnas/${part(cna.slug)}`,
    '#/kev',
    '#/kev?ransomware=known&sort=due_date',
    '#/advisories',
    '#/rejected',
    '#/exploits',
    `#/exploits/${part(exploit.source)}/${part(exploit.source_id)}`,
    `#/advisories/${HOSTILE_ADVISORY}`,
    '#/affected?purl=pkg:npm/hostile-package@1.0.0',
    `#/affected?cpe=${part(cpeName(slug, product.slug, '1.0'))}`,
    '#/changes',
    `#/changes?until=${snapshot}`,
    '#/changes?group=new&vendor=acme&watched=true',
    '#/watch',
    '#/check',
    '#/api',
    '#/api?open=listCves',
    '#/nothing',
  ]
}

/** Chromium logs the status of requests for what does not exist; these pages show it. */
export const isExpected = (fault: string): boolean => /the server responded with a status of 40[04]/.test(fault)

/** Faults and measures of the page itself, from its beginning. */
function observe(token: string | null): void {
  // `about:blank` between pages has no storage.
  if (token !== null && window.location.protocol !== 'about:') sessionStorage.setItem('vulnshelf.token', token)
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
    console.error(`policy: ${effectiveDirective} ${blockedURI}`),
  )
  window.shift = 0
  window.shifted = []
  const watch = new MutationObserver(() => {
    if (document.querySelector('h1') === null) return
    window.shownAt = performance.now()
    watch.disconnect()
  })
  watch.observe(document, { childList: true, subtree: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as unknown as LayoutShift[]) {
      if (entry.hadRecentInput) continue
      window.shift += entry.value
      for (const { node } of entry.sources) window.shifted.push(node?.outerHTML?.slice(0, 80) ?? '')
    }
  }).observe({ type: 'layout-shift' as EntryType, buffered: true })
}

interface LayoutShift extends PerformanceEntry {
  value: number
  hadRecentInput: boolean
  sources: { node: PageElement | null }[]
}

export async function openTab(
  browser: Browser,
  origin: string,
  { token = null, ...options }: TabOptions,
): Promise<Tab> {
  const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-GB', timezoneId: 'UTC', ...options })
  await context.addInitScript(observe, token)
  const page = await context.newPage()
  const faults: string[] = []
  const requested: string[] = []
  const open = new Set<unknown>()
  page.on('console', (message) => message.type() === 'error' && faults.push(`console: ${message.text()}`))
  page.on('pageerror', ({ message }) => faults.push(`script: ${message}`))
  page.on('request', (request) => {
    open.add(request)
    requested.push(request.url())
    if (!/^(?:data|blob|about):/.test(request.url()) && !request.url().startsWith(origin))
      faults.push(`elsewhere: ${request.url()}`)
  })
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => {
    open.delete(request)
    const reason = request.failure()?.errorText
    // The page stops requests whose answer it no longer needs.
    if (reason !== 'net::ERR_ABORTED') faults.push(`failed: ${request.url()} ${reason}`)
  })
  const settle = async () => {
    let calm = 0
    const deadline = Date.now() + 30_000
    while (calm < 3) {
      if (Date.now() > deadline) throw new Error(`${page.url()} is still loading after 30 s`)
      const isLoading = await page.evaluate(
        () =>
          new Promise<boolean>((resolve) =>
            requestAnimationFrame(() =>
              resolve(
                document.querySelector('h1') === null ||
                  document.querySelector('.loading, [aria-busy="true"]') !== null,
              ),
            ),
          ),
      )
      calm = isLoading || open.size > 0 ? 0 : calm + 1
      await page.waitForTimeout(30)
    }
  }
  let isOpen = false
  let loads = 0
  return {
    page,
    faults,
    requested,
    settle,
    async show(hash) {
      if (isOpen) await page.goto(origin + hash, { waitUntil: 'commit' })
      else await page.goto(origin + hash)
      isOpen = true
      await settle()
    },
    async load(hash) {
      // Another query makes another document, without a new process of the browser.
      await page.goto(`${origin}?${loads++}${hash}`)
      isOpen = true
      await settle()
    },
    close: () => context.close(),
  }
}

/** Layout shift without input since the page was opened (Layout Instability API), and the nodes that moved. */
export const layoutShift = (page: Page): Promise<{ shift: number; shifted: string[] }> =>
  page.evaluate(() => ({ shift: window.shift, shifted: window.shifted }))

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Bytes of the scripts that were loaded before the page had its heading, as transferred. */
export const initialScriptBytes = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const scripts = performance.getEntriesByType('resource' as EntryType) as unknown as ResourceEntry[]
    return scripts
      .filter(({ name, responseEnd }) => name.endsWith('.js') && responseEnd <= window.shownAt)
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
  })

interface ResourceEntry {
  name: string
  responseEnd: number
  encodedBodySize: number
}

/** What axe-core finds by these rules, default: all. Returns rule, selector and markup of each node. */
export async function accessibilityFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  await twoFrames(page)
  return page.evaluate(async (runOnly) => {
    // Details of the rules that pass take a third of the time.
    const { violations } = await window.axe.run({ resultTypes: ['violations'], ...(runOnly && { runOnly }) })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html }) => `${id}: ${target.join(' ')}: ${html.slice(0, 120)}`),
    )
  }, rules)
}

/** The page adapts to another size of the window in the frame after it. */
const twoFrames = (page: Page): Promise<void> =>
  page.evaluate(() => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))))

/** Elements that are wider than the window, if the page scrolls sideways. */
export const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const isClipped = (element: PageElement | null): boolean =>
      element !== null && (getComputedStyle(element).overflowX !== 'visible' || isClipped(element.parentElement))
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth && !isClipped(element.offsetParent))
      .map((element) => `${element.tagName}.${element.className}`)
      .slice(0, 5)
  })

export const texts = (locator: Locator): Promise<string[]> =>
  locator.evaluateAll((nodes) => nodes.map((node) => (node as PageElement).innerText.trim()))
