/** Every page in Chromium: from its address, with axe-core, on a phone, in light and dark. */
import * as assert from 'uvu/assert'
import type { Mode } from '../../../gateway/explorer/explorer.ts'
import {
  accessibilityFaults,
  type ExplorerWorld,
  HOSTILE,
  HOSTILE_ADVISORY,
  layoutShift,
  openExplorerWorld,
  type PageElement,
  PHONE,
  tooWide,
} from '../../support/explorer.ts'
import { suiteNeeding } from '../../support/needs.ts'

const MODES: readonly Mode[] = ['gateway']

const test = suiteNeeding('pages of the explorer', 'Chromium', 'nginx')

let world: ExplorerWorld
/** Addresses of all kinds of pages, with entries of the sample. */
let addresses: string[]

test.before(async () => {
  world = await openExplorerWorld()
  const { service } = world
  const first = async <T>(path: string) => (await service.json<{ data: T[] }>(`${path}limit=1`)).data[0]!
  const { cve_id } = await first<{ cve_id: string }>('/cves?kev=true&')
  const { capec_id } = await first<{ capec_id: number }>('/capecs?')
  const { slug } = await first<{ slug: string }>('/vendors?')
  const product = await first<{ slug: string }>(`/vendors/${encodeURIComponent(slug)}/products?`)
  const cna = await first<{ slug: string }>('/cnas?')
  const exploit = await first<{ source: string; source_id: string }>('/exploits?')
  const named = await first<{ ecosystem: string; name: string }>('/packages?')
  const part = (text: string | number) => encodeURIComponent(text)
  addresses = [
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
    '#/exploits',
    `#/exploits/${part(exploit.source)}/${part(exploit.source_id)}`,
    `#/advisories/${HOSTILE_ADVISORY}`,
    '#/affected?purl=pkg:npm/hostile-package@1.0.0',
    '#/changes',
    '#/check',
    '#/api',
    '#/api?open=listCves',
    '#/nothing',
  ]
})

/** These pages ask for what does not exist: Chromium logs the status. */
const isExpected = (fault: string) => /status of 40[04]/.test(fault)

for (const mode of MODES) {
  test(`${mode}: each page opens from its address, with a heading and a title; nothing fails or moves`, async () => {
    const found: string[] = []
    for (const address of addresses) {
      const tab = await world.open(mode)
      await tab.show(address)
      const { page } = tab
      const fault = (text: string) => found.push(`${address}: ${text}`)
      const headings = await page.locator('h1').allInnerTexts()
      if (headings.length !== 1 || headings[0]!.trim() === '') fault(`headings ${JSON.stringify(headings)}`)
      const title = await page.title()
      if (!/^(?:.+ · )?vulnshelf$/.test(title)) fault(`title ${title}`)
      const focused = await page.locator(':focus').evaluate(({ tagName }: PageElement) => tagName)
      if (focused !== 'H1' && focused !== 'INPUT') fault(`the focus is on ${focused}`)
      const { shift, shifted } = await layoutShift(page)
      if (shift > 0) fault(`layout shift ${shift.toFixed(4)} of ${[...new Set(shifted)].join(', ')}`)
      for (const one of tab.faults) if (!isExpected(one)) fault(one)
      await tab.close()
    }
    assert.equal(found, [])
  })

  for (const [screen, options] of [
    ['desktop, light', { colorScheme: 'light' }],
    ['desktop, dark', { colorScheme: 'dark' }],
    ['phone, light', { colorScheme: 'light', viewport: PHONE }],
    ['phone, dark', { colorScheme: 'dark', viewport: PHONE }],
  ] as const) {
    test(`${mode}, ${screen}: axe-core finds nothing, and no page scrolls sideways`, async () => {
      const tab = await world.open(mode, options)
      const found: string[] = []
      for (const address of addresses) {
        await tab.show(address)
        for (const fault of await accessibilityFaults(tab.page)) found.push(`${address}: ${fault}`)
        for (const element of await tooWide(tab.page)) found.push(`${address}: too wide: ${element}`)
      }
      assert.equal(found, [])
      assert.equal(
        tab.faults.filter((fault) => !isExpected(fault)),
        [],
      )
      await tab.close()
    })
  }
}

test.after(() => world.close())

test.run()
