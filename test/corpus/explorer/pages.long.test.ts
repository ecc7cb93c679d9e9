/**
 * Every page in Chromium, from its address: heading, title, focus; axe-core finds nothing; nothing fails, nothing moves,
 * nothing leaves the host, and no page scrolls sideways.
 */
import * as assert from 'uvu/assert'
import type { Mode } from '../../../corpus/explorer/explorer.ts'
import {
  accessibilityFaults,
  DESKTOP,
  type ExplorerWorld,
  isExpected,
  layoutShift,
  MODES,
  openExplorerWorld,
  type PageElement,
  PHONE,
  pageAddresses,
  tooWide,
} from '../../support/explorer.ts'
import { suiteNeeding } from '../../support/needs.ts'

const test = suiteNeeding('pages of the explorer', 'Chromium', 'nginx')

const LOOKS = {
  'desktop, light': { viewport: DESKTOP, colorScheme: 'light' },
  'phone, dark': { viewport: PHONE, colorScheme: 'dark' },
} as const
type Look = keyof typeof LOOKS

/** The modes load pages with different looks. Their elements are the same, so one mode then shows them with the other look. */
const LOADED: Record<Mode, readonly [Look, ...Look[]]> = {
  gateway: ['desktop, light', 'phone, dark'],
  static: ['phone, dark'],
}

let world: ExplorerWorld

test.before(async () => {
  world = await openExplorerWorld()
})

for (const mode of MODES) {
  const looks = LOADED[mode]
  const [first] = looks
  test(`${mode}: each page opens from its address, and is accessible with ${looks.join(' and ')}; nothing fails or moves`, async () => {
    const found: string[] = []
    const tab = await world.open(mode, LOOKS[first])
    const { page } = tab
    for (const address of await pageAddresses(world)) {
      tab.faults.length = 0
      await page.setViewportSize(LOOKS[first].viewport)
      await page.emulateMedia({ colorScheme: LOOKS[first].colorScheme })
      await tab.load(address)
      const fault = (text: string) => found.push(`${address}: ${text}`)
      const { shift, shifted } = await layoutShift(page)
      if (shift > 0) fault(`${shift.toFixed(4)} of ${[...new Set(shifted)].join(', ')}`)
      const headings = await page.locator('h1').allInnerTexts()
      if (headings.length !== 1 || headings[0]!.trim() === '') fault(`headings ${JSON.stringify(headings)}`)
      const title = await page.title()
      if (!/^(?:.+ · )?vulnshelf$/.test(title)) fault(`title ${title}`)
      const [focused] = await page.locator(':focus').evaluateAll((all) => all.map((one: PageElement) => one.tagName))
      if (focused !== 'H1' && focused !== 'INPUT') fault(`the focus is on ${focused}`)
      for (const name of looks) {
        if (name !== first) {
          await page.setViewportSize(LOOKS[name].viewport)
          await page.emulateMedia({ colorScheme: LOOKS[name].colorScheme })
          await tab.settle()
        }
        for (const one of await accessibilityFaults(page)) fault(`${name}: ${one}`)
        const wide = await tooWide(page)
        if (wide.length > 0) fault(`${name}: too wide: ${wide.join(', ')}`)
      }
      for (const one of tab.faults) if (!isExpected(one)) fault(one)
    }
    await tab.close()
    assert.equal(found, [])
  })
}

test.after(() => world.close())

test.run()
