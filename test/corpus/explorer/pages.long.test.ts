/** Every page in Chromium, from its address: heading, title, focus; nothing fails, nothing moves, nothing leaves the host. */
import * as assert from 'uvu/assert'
import {
  DESKTOP,
  type ExplorerWorld,
  isExpected,
  layoutShift,
  MODES,
  openExplorerWorld,
  type PageElement,
  PHONE,
  pageAddresses,
} from '../../support/explorer.ts'
import { suiteNeeding } from '../../support/needs.ts'

const test = suiteNeeding('pages of the explorer', 'Chromium', 'nginx')

let world: ExplorerWorld

test.before(async () => {
  world = await openExplorerWorld()
})

for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  for (const mode of MODES) {
    test(`${mode}, ${size}: each page opens from its address, with a heading and a title; nothing fails or moves`, async () => {
      const found: string[] = []
      const tab = await world.open(mode, { viewport })
      const { page } = tab
      for (const address of await pageAddresses(world)) {
        tab.faults.length = 0
        await page.goto('about:blank')
        await tab.show(address)
        const fault = (text: string) => found.push(`${address}: ${text}`)
        const { shift, shifted } = await layoutShift(page)
        if (shift > 0) fault(`${shift.toFixed(4)} of ${[...new Set(shifted)].join(', ')}`)
        const headings = await page.locator('h1').allInnerTexts()
        if (headings.length !== 1 || headings[0]!.trim() === '') fault(`headings ${JSON.stringify(headings)}`)
        const title = await page.title()
        if (!/^(?:.+ · )?vulnshelf$/.test(title)) fault(`title ${title}`)
        const [focused] = await page.locator(':focus').evaluateAll((all) => all.map((one: PageElement) => one.tagName))
        if (focused !== 'H1' && focused !== 'INPUT') fault(`the focus is on ${focused}`)
        for (const one of tab.faults) if (!isExpected(one)) fault(one)
      }
      await tab.close()
      assert.equal(found, [])
    })
  }
}

test.after(() => world.close())

test.run()
