/** Every page in Chromium with axe-core: on a desktop and a phone, in light and dark. No page scrolls sideways. */
import * as assert from 'uvu/assert'
import {
  accessibilityFaults,
  DESKTOP,
  type ExplorerWorld,
  isExpected,
  MODES,
  openExplorerWorld,
  PHONE,
  pageAddresses,
  tooWide,
} from '../../support/explorer.ts'
import { suiteNeeding } from '../../support/needs.ts'

const test = suiteNeeding('accessibility of the explorer', 'Chromium', 'nginx')

let world: ExplorerWorld

test.before(async () => {
  world = await openExplorerWorld()
})

/** Colours differ in dark, nothing else. */
const COLOURS = ['color-contrast', 'link-in-text-block']

for (const mode of MODES) {
  test(`${mode}: axe-core finds nothing, on a desktop and a phone, in light and dark`, async () => {
    const tab = await world.open(mode)
    const { page } = tab
    const found: string[] = []
    for (const address of await pageAddresses(world)) {
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize(DESKTOP)
      await tab.show(address)
      for (const [screen, size] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
        await page.setViewportSize(size)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          const faults = await accessibilityFaults(page, colorScheme === 'dark' ? COLOURS : undefined)
          found.push(...faults.map((fault) => `${address}, ${screen}, ${colorScheme}: ${fault}`))
        }
        const wide = await tooWide(page)
        if (wide.length > 0) found.push(`${address}, ${screen}: too wide: ${wide.join(', ')}`)
      }
    }
    assert.equal(found, [])
    assert.equal(
      tab.faults.filter((fault) => !isExpected(fault)),
      [],
    )
    await tab.close()
  })
}

test.after(() => world.close())

test.run()
