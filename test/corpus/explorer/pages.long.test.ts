/**
 * Every page in Chromium, from its address: heading, title, focus; axe-core finds nothing; nothing fails, nothing moves,
 * nothing leaves the host, and no page scrolls sideways.
 */
import * as assert from 'uvu/assert'
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

const SIZES = { desktop: DESKTOP, phone: PHONE }

let world: ExplorerWorld

test.before(async () => {
  world = await openExplorerWorld()
})

for (const mode of MODES) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    // Each two of mode, size and colours occur together.
    const colorScheme = (mode === 'gateway') === (size === 'desktop') ? 'light' : 'dark'
    test(`${mode}, ${size}, ${colorScheme}: each page opens from its address, and is accessible; nothing fails or moves`, async () => {
      const found: string[] = []
      const tab = await world.open(mode, { viewport, colorScheme })
      const { page } = tab
      for (const address of await pageAddresses(world)) {
        tab.faults.length = 0
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
        for (const one of await accessibilityFaults(page)) fault(one)
        const wide = await tooWide(page)
        if (wide.length > 0) fault(`too wide: ${wide.join(', ')}`)
        for (const one of tab.faults) if (!isExpected(one)) fault(one)
      }
      await tab.close()
      assert.equal(found, [])
    })
  }
}

test.after(() => world.close())

test.run()
