/** The explorer in Chromium with the keyboard alone. */
import * as assert from 'uvu/assert'
import {
  type ExplorerWorld,
  isExpected,
  MODES,
  openExplorerWorld,
  type PageElement,
  type Tab,
} from '../../support/explorer.ts'
import { suiteNeeding } from '../../support/needs.ts'
import { until } from '../../support/until.ts'

const test = suiteNeeding('the explorer with the keyboard', 'Chromium', 'nginx')

let world: ExplorerWorld

test.before(async () => {
  world = await openExplorerWorld()
})

/** Runs in the page. */
declare const document: { activeElement: PageElement; querySelectorAll(selector: string): Iterable<Control> }
declare const window: { reached: Set<unknown>; last: unknown }
declare const getComputedStyle: (element: unknown) => { outlineStyle: string; outlineWidth: string }
interface Control extends PageElement {
  tabIndex: number
  type?: string
  name?: string
  checkVisibility(options: object): boolean
  matches(selector: string): boolean
}

const press = async ({ page }: Tab, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}
const focused = ({ page }: Tab) => page.evaluate(() => document.activeElement.outerHTML.slice(0, 120))

for (const mode of MODES) {
  test(`${mode}: search with suggestions, and the focus is on the heading of the page that follows`, async () => {
    const tab = await world.open(mode)
    const { page } = tab
    const { data } = await world.service.json<{ data: { slug: string; display: string }[] }>('/vendors?limit=1')
    await tab.show('#/')
    const field = page.getByRole('combobox').first()
    // The focus is on the heading, behind the header.
    for (let i = 0; i < 40 && !(await field.evaluate((node) => node.matches(':focus'))); i++) {
      await press(tab, 'Shift+Tab')
    }
    await page.keyboard.type(data[0]!.display.slice(0, 5))
    const options = page.getByRole('search').getByRole('option')
    await options.first().waitFor()
    await press(tab, 'ArrowDown')
    const chosen = await page.locator('[role=option][aria-selected=true]').innerText()
    assert.is(await field.getAttribute('aria-activedescendant'), await options.first().getAttribute('id'))
    await press(tab, 'Enter')
    await until(
      () => /#\/[a-z]+\/./.test(page.url()),
      () => page.url(),
    )
    await tab.settle()
    assert.match(await focused(tab), /^<h1/)
    const name = chosen.split(/\s{2,}|\n/)[0]!
    assert.ok((await page.locator('main').innerText()).includes(name.split(' ')[0]!), name)
    assert.equal(tab.faults, [])
    await tab.close()
  })

  test(`${mode}: the key / moves the focus to the search field, but is text in a field; an id of a CVE leads to its page`, async () => {
    const tab = await world.open(mode)
    const { page } = tab
    const field = page.getByRole('search').getByRole('combobox')
    const { data } = await world.service.json<{ data: { cve_id: string }[] }>('/cves?kev=true&limit=1')
    const { cve_id } = data[0]!
    await tab.show('#/cwes')
    await press(tab, '/')
    assert.ok(await field.evaluate((node) => node.matches(':focus')))
    await page.keyboard.type(cve_id.toLowerCase())
    const option = page.getByRole('search').getByRole('option', { name: cve_id })
    await option.waitFor()
    assert.match(await option.innerText(), /(?:critical|high|medium|low|unscored).*KEV/s, 'severity and KEV')
    await press(tab, 'Enter')
    await page.waitForURL(`**/#/cves/${cve_id}`)
    await tab.settle()
    assert.match(await focused(tab), /^<h1/)
    await tab.show('#/cwes')
    const filter = page.locator('main input').first()
    await filter.focus()
    await press(tab, 'a', '/', 'b')
    assert.is(await filter.inputValue(), 'a/b')
    assert.equal(
      tab.faults.filter((fault) => !isExpected(fault)),
      [],
    )
    await tab.close()
  })

  test(`${mode}: Tab reaches every control in its order, and each shows the focus`, async () => {
    const tab = await world.open(mode)
    const { page } = tab
    const { data } = await world.service.json<{ data: { cve_id: string }[] }>('/cves?kev=true&limit=3')
    const [first] = data
    // A list of one page: a longer one would load the next page when the focus comes near its end.
    const list = `#/cves?ids=${data.map(({ cve_id }) => cve_id).join(',')}`
    for (const address of [list, `#/cves/${first!.cve_id}`, '#/check', '#/api?q=snapshot']) {
      await tab.show(address)
      const total = await page.evaluate(() => {
        window.reached = new Set()
        return [...document.querySelectorAll('a[href], button, input, select, textarea, summary')].filter(
          (control) =>
            control.tabIndex >= 0 &&
            !control.matches(':disabled') &&
            control.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }),
        ).length
      })
      const unseen: string[] = []
      for (let i = 0; i < total * 2 + 20; i++) {
        await press(tab, 'Tab')
        const found = await page.evaluate(() => {
          const { activeElement } = document
          if (activeElement.tagName === 'BODY') return { isNew: true, fault: null }
          // A field for days has several stops.
          const isSame = activeElement === window.last
          window.last = activeElement
          const isNew = isSame || !window.reached.has(activeElement)
          window.reached.add(activeElement)
          const { outlineStyle, outlineWidth } = getComputedStyle(activeElement)
          const isSeen = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1
          return { isNew, fault: isSeen ? null : activeElement.outerHTML.slice(0, 100) }
        })
        if (!found.isNew) break
        if (found.fault) unseen.push(found.fault)
      }
      const missed = await page.evaluate(() =>
        [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
          .filter(
            (control) =>
              control.tabIndex >= 0 &&
              !control.matches(':disabled') &&
              control.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) &&
              !window.reached.has(control),
          )
          .map(({ outerHTML }) => outerHTML.slice(0, 100)),
      )
      assert.equal({ address, missed, unseen }, { address, missed: [], unseen: [] })
    }
    await tab.close()
  })

  test(`${mode}: before the menu, a link skips it`, async () => {
    const tab = await world.open(mode)
    await tab.show('#/cwes')
    await tab.page.locator('.home').focus()
    await press(tab, 'Shift+Tab')
    assert.match(await focused(tab), /Skip to the content/)
    assert.ok(await tab.page.locator('.skip').isVisible())
    await press(tab, 'Enter')
    assert.match(await focused(tab), /^<main/)
    assert.is(new URL(tab.page.url()).hash, '#/cwes')
    await tab.close()
  })
}

test.after(() => world.close())

test.run()
