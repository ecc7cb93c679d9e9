/** Pages of an earlier snapshot in Chromium: they show its data, and that they are not those of today. */
import * as assert from 'uvu/assert'
import {
  accessibilityFaults,
  type ExplorerWorld,
  isExpected,
  MODES,
  openExplorerWorld,
  PHONE,
} from '../../support/explorer.ts'
import { suiteNeeding } from '../../support/needs.ts'

const test = suiteNeeding('the past in the explorer', 'Chromium', 'nginx')

let world: ExplorerWorld
let newest: { id: string; created_at: string }
let earlier: typeof newest
let changed: string

interface Changes {
  data: { cve_id: string; change: string; sections: string[] }[]
}

test.before(async () => {
  world = await openExplorerWorld()
  const { json } = world.service
  const { data } = await json<{ data: (typeof newest)[] }>('/snapshots')
  newest = data[0]!
  earlier = data.at(-1)!
  const { data: changes } = await json<Changes>(`/changes?since=${earlier.id}&limit=100`)
  changed = changes.find(({ change, sections }) => change === 'changed' && sections.includes('core'))!.cve_id
})

for (const mode of MODES) {
  test(`${mode}: a record is that of the snapshot, and is compared with today`, async () => {
    const tab = await world.open(mode)
    const { page } = tab
    await tab.show(`?snapshot=${earlier.id}#/cves/${changed}`)
    const notice = page.locator('aside.past')
    const words = await notice.innerText()
    assert.match(words, 'This is the past, not today.')
    assert.match(words, earlier.id.slice(0, 12))
    assert.match(await page.title(), /^Past \(/)
    const then = await world.service.json<{ title: string }>(`/cves/${changed}?snapshot=${earlier.id}`)
    assert.match(await page.locator('main').innerText(), then.title)
    const rows = await page.locator('.since-then tbody tr').count()
    assert.ok(rows > 0, 'the record has changed')
    assert.equal(await accessibilityFaults(page), [])
    assert.equal(
      tab.faults.filter((fault) => !isExpected(fault)),
      [],
    )
    // The notice stays in sight, and links keep the snapshot.
    await page.mouse.wheel(0, 5000)
    await tab.settle()
    assert.ok(await notice.isVisible())
    const box = (await notice.boundingBox())!
    assert.ok(box.y >= 0 && box.y < 200, `it is at ${box.y}`)
    await page.locator('nav a', { hasText: 'CVEs' }).click()
    await tab.settle()
    assert.match(page.url(), `?snapshot=${earlier.id}#/cves`)
    assert.ok(await notice.isVisible())
    await page.getByRole('button', { name: 'Back to today' }).click()
    await page.waitForURL((url) => url.search === '')
    await tab.settle()
    assert.is(await notice.count(), 0)
    assert.not.match(await page.title(), 'Past')
    await tab.close()
  })

  test(`${mode}: a day is chosen in the header; one without a snapshot is an error, not today`, async () => {
    const tab = await world.open(mode, { viewport: PHONE })
    const { page } = tab
    await tab.show('#/cves')
    const choose = async (day: string) => {
      await page.getByRole('button', { name: 'Menu' }).click()
      await page.locator('.day input').fill(day)
      await page.locator('.day button').click()
      await page.waitForURL((url) => url.search === `?snapshot=${day}`)
      await tab.settle()
    }
    await choose(newest.created_at.slice(0, 10))
    assert.match(await page.locator('aside.past').innerText(), 'This is the newest snapshot.')
    assert.is(await page.locator('.day input').inputValue(), newest.created_at.slice(0, 10))
    await choose('1999-12-31')
    assert.match(await page.locator('main').innerText(), /no snapshot of .*1999.* or before it is kept/i)
    assert.is(await page.locator('main tbody tr').count(), 0)
    await tab.close()
  })
}

test.after(() => world.close())

test.run()
