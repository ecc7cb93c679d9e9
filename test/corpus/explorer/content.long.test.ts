/** What pages show in Chromium, compared with the API: a CVE, hostile text, a checked lock file, requests from the reference. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as assert from 'uvu/assert'
import { formatChange } from '../../../corpus/explorer/app/parts/format.ts'
import { cpeName } from '../../../corpus/explorer/app/parts/names.ts'
import { readIgnoreFile } from '../../../corpus/inventory/decisions/read.ts'
import { inventoryOf } from '../../../corpus/inventory/read.ts'
import {
  accessibilityFaults,
  DESKTOP,
  type ExplorerWorld,
  isExpected,
  layoutShift,
  MODES,
  openExplorerWorld,
  PHONE,
  pageAddresses,
  texts,
  tooWide,
} from '../../support/explorer.ts'
import { HOSTILE, HOSTILE_ADVISORY, HOSTILE_TITLE, TARGET_IN_CODE } from '../../support/hostile-records.ts'
import { suiteNeeding } from '../../support/needs.ts'
import { until } from '../../support/until.ts'

const test = suiteNeeding('content of the explorer', 'Chromium', 'nginx')

let world: ExplorerWorld

test.before(async () => {
  world = await openExplorerWorld()
})

interface Cve {
  title: string | null
  description: string
  cvss: { metrics: { vector_string: string }[] }
  affected: { product: string | null }[]
  references: { url: string }[]
  evidence: unknown[]
  timeline: unknown[]
}

/** White space as a page shows it. Long texts are cut. */
const plain = (text: string) => text.replace(/\s+/g, ' ').trim()

const TEXTS = new Set([
  'title',
  'description',
  'name',
  'cna_name',
  'vendor_display',
  'product_display',
  'grade',
  'scope',
])
const LONG = 'x'.repeat(2000)

/** Appends a word without a break to the texts of an answer. */
const lengthened = (value: unknown, key = ''): unknown => {
  if (typeof value === 'string') return TEXTS.has(key) ? value + LONG : value
  if (Array.isArray(value)) return value.map((one) => lengthened(one, key))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, lengthened(one, name)]))
}

test('no word of a feed makes a page wider than the screen', async () => {
  const tab = await world.open('gateway', { viewport: PHONE })
  await tab.page.route('**/api/v1/**', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: lengthened(await response.json()) })
  })
  let long = 0
  for (const address of (await pageAddresses(world)).filter((one) => !one.includes('/api'))) {
    await tab.show(address)
    assert.equal(await tooWide(tab.page), [], address)
    if ((await tab.page.locator('main').innerText()).includes(LONG)) long++
  }
  assert.ok(long > 10, `${long} pages`)
  await tab.close()
})

for (const mode of MODES) {
  test(`${mode}: the page of a CVE shows what the API answers`, async () => {
    const tab = await world.open(mode)
    const rows = await world.service.all<{ cve_id: string }>('/cves?kev=true')
    const include = 'cvss,affected,references,evidence,timeline'
    for (const { cve_id } of rows.slice(0, 4)) {
      const cve = await world.service.json<Cve>(`/cves/${cve_id}?include=${include}`)
      await tab.show(`#/cves/${cve_id}`)
      const text = plain(await tab.page.locator('main').innerText())
      const stated = [cve.title, cve.description, ...cve.cvss.metrics.map(({ vector_string }) => vector_string)]
      for (const one of stated)
        if (one !== null) assert.ok(text.includes(plain(one).slice(0, 200)), `${cve_id}: ${one}`)
      for (const { product } of cve.affected.slice(0, 3)) if (product) assert.ok(text.includes(product), product)
      const links = await tab.page
        .locator('main a.external')
        .evaluateAll((all) => all.map((a) => a.getAttribute('href')))
      for (const { url } of cve.references.slice(0, 10)) assert.ok(links.includes(new URL(url).href), url)
    }
    assert.equal(
      tab.faults.filter((fault) => !isExpected(fault)),
      [],
    )
    await tab.close()
  })

  test(`${mode}: a CPE name shows the CVEs of the API, and two snapshots their changes`, async () => {
    const { json } = world.service
    const { slug: vendor } = (await json<{ data: { slug: string }[] }>('/vendors?limit=1')).data[0]!
    const products = `/vendors/${encodeURIComponent(vendor)}/products?limit=1`
    const { slug: product } = (await json<{ data: { slug: string }[] }>(products)).data[0]!
    const query = `cpe=${encodeURIComponent(cpeName(vendor, product, '1.0'))}`
    const { data } = await json<{ data: { advisory_id: string }[] }>(`/affected?${query}`)
    assert.ok(data.length > 2)
    const tab = await world.open(mode)
    await tab.show(`#/affected?${query}`)
    await tab.page.locator('main table').waitFor()
    const shown = await tab.page.locator('main').innerText()
    for (const { advisory_id: id } of data) assert.ok(shown.includes(id), id)
    const [current, parent] = (await json<{ data: { id: string }[] }>('/snapshots')).data
    await tab.show(`#/changes?since=${parent!.id}&until=${current!.id}`)
    await tab.page.getByLabel('Until snapshot').waitFor()
    await tab.page.locator('main table').first().waitFor()
    interface Row {
      cve_id: string
      change: string
      vendors: string[]
    }
    const rows = await world.service.all<Row>(`/changes?since=${parent!.id}&include=facts`)
    const countOf = (name: string) => rows.filter(({ change }) => change === name).length
    const counts = `${countOf('added')} added, ${countOf('changed')} changed, ${countOf('removed')} removed`
    assert.match(await tab.page.locator('main').innerText(), counts)
    const { cve_id: id, vendors } = rows.find((row) => row.vendors.length > 0)!
    await tab.show(`#/changes?since=${parent!.id}&until=${current!.id}&vendor=${encodeURIComponent(vendors[0]!)}`)
    await tab.page.locator('main table a.id', { hasText: id }).first().waitFor()
    await tab.close()
  })

  test(`${mode}: markup of feeds is text, and only pages of the web are links`, async () => {
    const tab = await world.open(mode)
    const { page } = tab
    const pages = [
      `#/cves/${HOSTILE}`,
      `#/advisories/${HOSTILE_ADVISORY}`,
      `#/cves?ids=${HOSTILE}`,
      '#/search?q=onerror',
      '#/affected?purl=pkg:npm/hostile-package@1.0.0',
      '#/vendors?q=onerror',
    ]
    for (const address of pages) {
      await tab.show(address)
      assert.not.match(await page.title(), /^run/, address)
      const made = page.locator('main :is(script, img, iframe, style, form[action], [onclick], [onerror])')
      assert.is(await made.count(), 0, address)
      const links = await page
        .locator('main a')
        .evaluateAll((all) => all.map((a) => ['href', 'rel', 'target'].map((name) => a.getAttribute(name))))
      for (const [href, rel] of links) {
        if (href === null || href!.startsWith('#/')) continue
        assert.match(href!, /^https?:\/\//, address)
        assert.is(rel, 'noopener noreferrer', `${address}: ${href}`)
      }
    }
    await tab.show(`#/cves/${HOSTILE}`)
    assert.ok((await page.locator('main').innerText()).includes(HOSTILE_TITLE))
    assert.equal(
      tab.faults.filter((fault) => !isExpected(fault)),
      [],
    )
    await tab.close()
  })

  test(`${mode}: a lock file has the findings of the API, and is not sent`, async () => {
    const tab = await world.open(mode)
    const { page } = tab
    await tab.show('#/check')
    const purls = await lockedPurls()
    await page.setInputFiles('input[type=file]', {
      name: 'purls.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from(purls.join('\n')),
    })
    await page.locator('#result').waitFor()
    await tab.settle()
    const expected = new Set<string>()
    for (const purl of purls) {
      const { data } = await world.service.json<{ data: { advisory_id: string }[] }>(
        `/affected?purl=${encodeURIComponent(purl)}`,
      )
      for (const { advisory_id } of data) expected.add(advisory_id)
    }
    assert.ok(expected.size > 3)
    const shown = await page
      .locator('table.findings a')
      .evaluateAll((all) =>
        all.flatMap((a) => /#\/advisories\/(.+)$/.exec(decodeURIComponent(a.getAttribute('href') ?? ''))?.[1] ?? []),
      )
    assert.equal([...new Set(shown)].sort(), [...expected].sort())
    assert.equal(
      tab.requested.filter((url) => url.includes('purls.txt')),
      [],
    )
    assert.equal(tab.faults, [])
    await tab.close()
  })

  test(`${mode}: the sample file has findings in a sample snapshot`, async () => {
    const tab = await world.open(mode)
    await tab.show('#/check')
    await tab.page.getByRole('button', { name: 'Try it with a sample file' }).click()
    await tab.page.locator('table.findings').getByText('lantern-http').first().waitFor()
    await tab.close()
  })
}

test('Markdown shows no targets of links, and its tables and code scroll with the keyboard', async () => {
  const tab = await world.open('static', { viewport: PHONE })
  const { page } = tab
  await tab.show(`#/advisories/${HOSTILE_ADVISORY}`)
  assert.is(await page.getByRole('heading', { name: 'Heading with a target', exact: true }).count(), 1)
  assert.is(await page.getByText(TARGET_IN_CODE, { exact: true }).count(), 1)
  for (const name of ['Table', 'Code']) {
    const region = page.locator('.markdown').getByRole('group', { name }).first()
    await region.press('ArrowRight')
    await until(
      async () => (await region.evaluate((element) => element.scrollLeft)) > 0,
      () => `${name} does not scroll`,
    )
  }
  await tab.close()
})

for (const mode of MODES) {
  test(`${mode}: decisions of files and of the user suppress findings, and are saved as an ignore file`, async () => {
    const tab = await world.open(mode)
    const { page } = tab
    await tab.show('#/check')
    const summary = page.getByRole('status').filter({ hasText: 'affected' })
    const figures = async () =>
      Object.fromEntries((await texts(page.locator('.figures').first().locator('div'))).map(figure))
    await page.setInputFiles('input[type=file]', chosen('app.purl', (await lockedPurls()).join('\n')))
    await page.getByRole('heading', { level: 2, name: 'app.purl' }).waitFor()
    const before = await figures()
    assert.is(before.packages, before.affected! + before['not affected']! + before.undecided! + before['not checked']!)
    const [first, second] = await texts(page.locator('table.findings .ids a:first-child'))
    const ignore = {
      ignore: [
        { id: first, reason: 'never called', until: '2999-01-31' },
        { id: 'X-1', reason: 'none' },
      ],
    }
    await page.setInputFiles('input[type=file]', chosen('accepted.json', JSON.stringify(ignore, null, 1)))
    await page.locator('table.suppressed').getByText('never called').first().waitFor()
    await page.getByText('X-1: the snapshot has no vulnerability with this id').waitFor()
    assert.match(await summary.innerText(), /Decisions suppress \d+ of \d+ findings/)
    assert.equal(await figures(), before)
    await page
      .getByRole('button', { name: new RegExp(`^Suppress ${second} `) })
      .first()
      .click()
    await page.getByLabel('Reason').fill('not reachable')
    await page.getByLabel('Last day, in UTC (optional)').fill('2999-12-31')
    assert.equal(await accessibilityFaults(page), [])
    await page.getByRole('button', { name: 'Suppress', exact: true }).click()
    await page.locator('table.suppressed').getByText('not reachable').first().waitFor()
    // The page sets the focus two frames after the change.
    await page.locator('#decisions:focus').waitFor()
    assert.equal(await accessibilityFaults(page), [])
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save vulnshelf.ignore.json' }).click()
    const saved = await (await download).path()
    assert.is((await download).suggestedFilename(), 'vulnshelf.ignore.json')
    const { statements } = readIgnoreFile('saved', readFileSync(saved))
    assert.equal(
      statements.map(({ ids, reason, until }) => [ids[0], reason, until]),
      [
        [first, 'never called', '2999-01-31'],
        ['X-1', 'none', null],
        [second, 'not reachable', '2999-12-31'],
      ],
    )
    await page
      .getByRole('button', { name: `Undo the decision on ${second}` })
      .first()
      .click()
    await page.locator('table.suppressed').getByText('not reachable').first().waitFor({ state: 'detached' })
    // Another page, and back: files and decisions are as before.
    await tab.show('#/cwes')
    await tab.show('#/check')
    await page.getByRole('heading', { level: 2, name: 'app.purl' }).waitFor()
    await page.locator('table.suppressed').getByText('never called').first().waitFor()
    assert.is((await layoutShift(page)).shift, 0)
    assert.equal(
      tab.faults.filter((fault) => !isExpected(fault)),
      [],
    )
    await tab.close()
  })
}

/** Returns name and value of a figure. */
function figure(text: string): [string, number] {
  const [value, name] = text.split('\n').map((part) => part.trim())
  return /^\d/.test(value!) ? [name!, Number(value)] : [value!, Number(name)]
}

const chosen = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

test('a file beyond a bound is an error on the page; a file with many entries is shown in steps', async () => {
  const tab = await world.open('gateway')
  const { page } = tab
  await tab.show('#/check')
  const lists = `lockfileVersion: '9.0'\npackages: [${'[],'.repeat(1_000_000)}]\n`
  await page.setInputFiles('input[type=file]', chosen('pnpm-lock.yaml', lists))
  await page.getByRole('alert').getByText('it has more than 1,000,000 tokens of YAML, the limit').waitFor()
  await page.setInputFiles('input[type=file]', chosen('many.purl', 'pkg:npm/a\n'.repeat(100_000)))
  await page.getByRole('button', { name: 'Show 500 more of 100,000 entries' }).waitFor()
  assert.is(await page.locator('tbody tr').count(), 500)
  assert.equal(tab.faults, [])
  await tab.close()
})

test('a file that takes long does not stop the page: it can be cancelled, and ends at a deadline', async () => {
  const tab = await world.open('gateway')
  const { page } = tab
  await page.clock.install()
  const endless = "postMessage('ready'); onmessage = () => { for (;;); }"
  await page.route('**/assets/inventory-worker-*.js', (route) =>
    route.fulfill({ body: endless, contentType: 'text/javascript' }),
  )
  await tab.show('#/check')
  const choose = () => page.setInputFiles('input[type=file]', chosen('go.sum', ''))
  const reading = page.getByText('Reading go.sum')
  await choose()
  await reading.waitFor()
  await page.getByText('Paste the content').click()
  await page.getByRole('textbox', { name: 'Content of the file' }).fill('the page reacts')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await reading.waitFor({ state: 'detached' })
  await until(
    () => page.workers().length === 0,
    () => 'the worker runs on',
  )
  await choose()
  await until(
    () => page.workers().length === 1,
    () => 'no worker',
  )
  const late = page.getByRole('alert').getByText('Reading go.sum takes more than 60 s, the limit of this page')
  // The message of the worker starts the deadline, and can come after the first step of the clock.
  await until(
    async () => {
      await page.clock.fastForward(60_000)
      return late.isVisible()
    },
    () => 'no message about the deadline',
  )
  await until(
    () => page.workers().length === 0,
    () => 'the worker runs on',
  )
  await tab.close()
})

/** Versions of packages of the sample that advisories affect, and one that is not affected. */
async function lockedPurls(): Promise<string[]> {
  const { data } = await world.service.json<{ data: { ecosystem: string; name: string }[] }>('/packages?limit=100')
  const npm = data.filter(({ ecosystem }) => ecosystem === 'npm').slice(0, 5)
  const purls = npm.flatMap(({ name }) => ['1.0.0', '2.0.0', '999.0.0'].map((version) => `pkg:npm/${name}@${version}`))
  purls.push('pkg:npm/hostile-package@1.0.0')
  const { components } = inventoryOf(join('purls.txt'), 'purls.txt', Buffer.from(purls.join('\n')))
  assert.is(components.length, purls.length)
  return purls
}

/** Texts on which a parser in the page would take seconds to minutes, with a part of the reason that the page states. */
const FREEZING: readonly (readonly [text: string, reason: string])[] = [
  ['***a** '.repeat(9_000), 'takes too long'],
  ['_a_'.repeat(33_000), 'more than 65,536 characters'],
  [`${'|a'.repeat(10_000)}|\n${'|-'.repeat(10_000)}|\n${'a\n'.repeat(10_000)}`, 'would be too large'],
  [`${'> '.repeat(2_000)}${'a '.repeat(20_000)}`, 'nested too deep'],
]

test('a text that would stop the page is shown as plain text, with the reason, and the page goes on', async () => {
  const tab = await world.open('gateway')
  const { page } = tab
  let details = ''
  await page.route(`**/api/v1/advisories/${HOSTILE_ADVISORY}`, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), details } })
  })
  /** Shows the text, again where a busy machine has exceeded the time of the worker. */
  const showUntil = (text: string, isShown: () => Promise<boolean>, what: string) => {
    details = text
    return until(
      async () => {
        await tab.show('#/')
        await tab.show(`#/advisories/${HOSTILE_ADVISORY}`)
        return isShown()
      },
      () => `${what} is not shown`,
    )
  }
  // The worker that takes too long is ended, and another one reads the text when it is shown again.
  let workers = 0
  page.on('worker', () => workers++)
  const [slow, takesTooLong] = FREEZING[0]!
  const isSlow = page.getByText(takesTooLong)
  for (let times = 1; times <= 2; times++) {
    await showUntil(slow, () => isSlow.isVisible(), takesTooLong)
    assert.is(workers, times, 'the text is not read again')
  }
  for (const [text, reason] of FREEZING) {
    const isPlain = page.getByText('This is shown as plain text: ').filter({ hasText: reason })
    await showUntil(text, () => isPlain.isVisible(), reason)
    const shown = await page.locator('main .long-text').innerText()
    assert.is(shown.slice(0, 1000).trim(), text.slice(0, 1000).trim())
    assert.ok(shown.length <= 20_001 && text.length > shown.length, String(shown.length))
    await page.getByRole('button', { name: 'Show the whole text' }).click()
    assert.ok((await page.locator('main .long-text').innerText()).length >= text.trim().length)
  }
  // Its rules of style must not compare each of them with all before it.
  const items = page.locator('.markdown li')
  await showUntil('- a\n'.repeat(8_000), async () => (await items.count()) === 8_000, 'a list of 8,000 items')
  const isRead = page.locator('.markdown strong').getByText('read', { exact: true })
  await showUntil('**read** again', () => isRead.isVisible(), 'Markdown')
  assert.equal(tab.faults, [])
  await tab.close()
})

/** Elements of a page, however large its record is. The page of a usual CVE has about 1,000. */
const MOST_ELEMENTS = 20_000
/** A list of which each entry is an element has more. */
const MANY = MOST_ELEMENTS + 1_000
const MANY_TEXT = MANY.toLocaleString('en-GB')

const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

/** The formats of records close the sets of their values. */
const CLOSED = /^(?:cvss_version|source|source_type|base_severity|type|category|operation|provider)$/

/** Returns a record in which each list has thousands of copies of its first item, each with other texts. */
function enlarged(value: unknown, n = 0, key = '', depth = 0): unknown {
  if (typeof value === 'string') return CLOSED.test(key) || /^\d{4}-\d\d-\d\d/.test(value) ? value : `${value}${n}`
  if (Array.isArray(value)) {
    if (value.length === 0) return value
    return many(depth === 0 ? 3_000 : 30, (i) => enlarged(value[0], n + i, key, depth + 1))
  }
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, enlarged(one, n, name, depth)]))
}

test('the EPSS history is a curve with a line for each model, and a table', async () => {
  const rows = await world.service.all<{ cve_id: string }>('/cves?sort=-epss')
  for (const mode of MODES) {
    const tab = await world.open(mode)
    const { page } = tab
    for (const { cve_id: id } of rows.slice(0, 30)) {
      const { points } = await world.service.json<{ points: { model_version: string; score: number }[] }>(
        `/cves/${id}/epss/history`,
      )
      const models = new Set(points.map(({ model_version }) => model_version))
      if (models.size < 2) continue
      await tab.show(`#/cves/${id}`)
      const curve = page.locator('.epss-curve')
      assert.match(
        (await curve.locator('svg').getAttribute('aria-label'))!,
        /^EPSS from .* to .*; the model changed to /,
      )
      assert.is(await curve.locator('path').count(), models.size)
      assert.equal(await curve.locator('.model text').allTextContents(), [...models].slice(1))
      await curve.getByText('Values of the EPSS history').click()
      await curve.locator('tbody tr').first().waitFor()
      const scores = await curve.locator('tbody tr td:nth-child(2)').allTextContents()
      assert.equal(scores.map(Number), points.map(({ score }) => score).reverse())
      await tab.close()
      break
    }
    assert.ok(page.isClosed(), 'a CVE has scores of two models')
  }
})

interface Change {
  cve_id: string
  epss_change: number | null
}

test('the start page lists the scores that rose most, once they are seen, and nothing moves', async () => {
  const rows = await world.service.all<Change>('/cves?sort=-epss_change&fields=epss_change')
  const risen = rows.filter(({ epss_change: change }) => change !== null && change > 0).slice(0, 8)
  assert.is(risen.length, 8)
  // The mode decides where rows come from, and the screen how they look.
  for (const [mode, viewport] of [
    ['gateway', DESKTOP],
    ['static', PHONE],
  ] as const) {
    const tab = await world.open(mode, { viewport })
    const { page } = tab
    await tab.show('#/')
    const before = tab.requested.length
    const links = page.locator('.rising .id')
    assert.is(await links.count(), 0)
    await page.locator('.rising').scrollIntoViewIfNeeded()
    await links.first().waitFor()
    await tab.settle()
    assert.ok(tab.requested.length > before)
    assert.equal(
      await links.allTextContents(),
      risen.map(({ cve_id }) => cve_id),
    )
    const changes = await page.locator('.rising b').allTextContents()
    assert.equal(
      changes,
      risen.map(({ epss_change: change }) => formatChange(change!)),
    )
    assert.equal(await layoutShift(page), { shift: 0, shifted: [] })
    assert.equal(await accessibilityFaults(page), [])
    assert.equal(await tooWide(page), [])
    await page.getByRole('link', { name: 'All CVEs by the rise of their score' }).click()
    await tab.settle()
    const first = page.locator('table.cves tbody tr').first()
    assert.is(await first.locator('.id').textContent(), risen[0]!.cve_id)
    assert.is(await first.locator('.of-epss_change').textContent(), changes[0])
    assert.equal(tab.faults, [])
    await tab.close()
  }
})

test('without editions of 30 days before, the start page states that no change is known', async () => {
  const tab = await world.open('gateway')
  const { page } = tab
  await page.route('**/api/v1/cves?sort=-epss_change*', async (route) => {
    const response = await route.fetch()
    const { data, pagination } = (await response.json()) as { data: Change[]; pagination: object }
    await route.fulfill({ response, json: { data: data.map((row) => ({ ...row, epss_change: null })), pagination } })
  })
  await tab.show('#/')
  await page.locator('.rising').scrollIntoViewIfNeeded()
  await page.getByText('No change over 30 days is known.').waitFor()
  assert.equal(await layoutShift(page), { shift: 0, shifted: [] })
  await tab.close()
})

test('a record with lists of many thousand entries is shown in steps', async () => {
  const tab = await world.open('gateway')
  const { page } = tab
  const elements = () => page.evaluate('document.querySelectorAll("*").length') as Promise<number>
  const [{ cve_id }] = (await world.service.json<{ data: [{ cve_id: string }] }>('/cves?kev=true&limit=1')).data
  const range = { introduced: '0', fixed: '1' }
  await page.route(`**/api/v1/cves/${cve_id}?*`, async (route) => {
    const response = await route.fetch()
    const cve = (await response.json()) as { affected: object[]; references: object[] }
    const large = { ...(enlarged(cve) as typeof cve), cve_id }
    const affected = many(MANY, (n) => ({
      ...cve.affected[0],
      product: `product ${n}`,
      affected_ranges: n === 0 ? many(MANY, () => range) : [range],
      affected_versions: n === 1 ? many(MANY, String) : [],
      cpes: n === 2 ? many(MANY, String) : [],
    }))
    const references = large.references.map((one, n) => ({
      ...one,
      tags: n === 0 ? many(MANY, String) : [`tag ${n}`],
    }))
    await route.fulfill({ response, json: { ...large, affected, references } })
  })
  await tab.show(`#/cves/${cve_id}`)
  assert.ok((await elements()) < MOST_ELEMENTS, `${await elements()} elements`)
  const rows = page.locator('table.affected tbody tr')
  assert.is(await rows.count(), 15)
  await page.getByRole('button', { name: `Show 500 more of ${MANY_TEXT} entries` }).click()
  assert.is(await rows.count(), 515)
  await page.unroute(`**/api/v1/cves/${cve_id}?*`)

  await page.route(`**/api/v1/advisories/${HOSTILE_ADVISORY}`, async (route) => {
    const response = await route.fetch()
    const advisory = (await response.json()) as { affected: object[]; database_specific: object }
    const affected = many(MANY, (n) => ({
      ...advisory.affected[0],
      versions: n === 0 ? many(MANY, String) : [],
      ranges: [
        {
          type: 'SEMVER',
          events: many(n === 0 ? MANY : 2, (i) => (i % 2 ? { fixed: `${i}` } : { introduced: `${i}` })),
        },
      ],
    }))
    const lists = {
      aliases: many(MANY, (n) => `GHSA-${n}`),
      references: many(MANY, (n) => ({ type: 'WEB', url: `https://elsewhere.example/${n}` })),
      severity: many(MANY, (n) => ({ type: 'CVSS_V3', score: `CVSS:3.1/${n}` })),
      credits: many(MANY, (n) => ({ name: `name ${n}` })),
      database_specific: { ...advisory.database_specific, cwe_ids: many(MANY, (n) => `CWE-${n}`) },
    }
    await route.fulfill({ response, json: { ...advisory, ...lists, affected } })
  })
  await tab.show(`#/advisories/${HOSTILE_ADVISORY}`)
  assert.ok((await elements()) < MOST_ELEMENTS, `${await elements()} elements`)
  await page.getByRole('button', { name: `Show 500 more of ${MANY_TEXT} packages` }).click()
  assert.is(await page.getByRole('table', { name: 'Affected packages' }).locator('tbody tr').count(), 550)
  assert.equal(
    tab.faults.filter((fault) => !isExpected(fault)),
    [],
  )
  await tab.close()
})

const isWorker = (url: string) => url.includes('/assets/markdown-worker-')

test('Markdown is read only in a worker, and only when it is shown', async () => {
  const tab = await world.open('gateway')
  const { page } = tab
  await tab.show(`#/cves/${HOSTILE}`)
  assert.equal(tab.requested.filter(isWorker), [])
  await page.getByText('Text of the advisory', { exact: true }).click()
  await page.locator('.markdown').getByText('Heading with a target').waitFor()
  assert.is(tab.requested.filter(isWorker).length, 1)
  await tab.close()
  const other = await world.open('gateway')
  await other.page.route(
    (url) => isWorker(url.href),
    (route) => route.abort(),
  )
  await other.show(`#/advisories/${HOSTILE_ADVISORY}`)
  await other.page.getByText('the code that reads Markdown could not be loaded').waitFor()
  assert.is(await other.page.locator('.markdown').count(), 0)
  await other.close()
})

test('gateway: the reference sends a request with the token, and shows the answer but not the token', async () => {
  const tab = await world.open('gateway')
  const { page } = tab
  await tab.show('#/api?q=get a cve&open=getCve')
  const operation = page.locator('#operations-CVEs-getCve')
  await operation.getByRole('button', { name: 'Try it out' }).click()
  await operation.getByRole('textbox', { name: 'cveId' }).fill(HOSTILE)
  await operation.getByRole('button', { name: 'Execute' }).click()
  const answer = operation.locator('.live-responses-table')
  await until(
    async () => (await answer.count()) > 0,
    () => 'there is no answer',
  )
  assert.match(await answer.innerText(), `"cve_id": "${HOSTILE}"`)
  assert.not.match(await page.locator('main').innerText(), world.service.token)
  assert.ok((await page.locator('.opblock').count()) < 30)
  await operation.locator('.opblock-summary-control').click()
  await until(
    () => !page.url().includes('open='),
    () => page.url(),
  )
  assert.equal(tab.faults, [])
  await tab.close()
})

test('static: the reference has every operation, and no form', async () => {
  const tab = await world.open('static')
  await tab.show('#/api?open=getCve')
  assert.is(await tab.page.getByRole('button', { name: 'Try it out' }).count(), 0)
  const { paths } = await world.service.json<{ paths: object }>('/openapi.json')
  assert.is(await tab.page.locator('.opblock').count(), Object.keys(paths).length)
  assert.equal(tab.faults, [])
  await tab.close()
})

test('a record is shown without the part that has no answer', async () => {
  const tab = await world.open('gateway')
  const { page } = tab
  const references = page.getByRole('heading', { name: /^References/ })
  await page.route('**/reports', () => {})
  await page.goto(`${world.origins.gateway}#/cves/${HOSTILE}`)
  await references.waitFor()
  await page.unroute('**/reports')
  await page.route('**/reports', (route) => route.fulfill({ status: 502, contentType: 'text/html', body: 'no' }))
  await page.reload()
  await page.getByRole('alert').filter({ hasText: 'Status 502' }).waitFor()
  await references.waitFor()
  await tab.close()
})

test('a page that is opened as a file states why it stays empty, and what to do; a page that starts does not', async () => {
  for (const mode of MODES) {
    const tab = await world.open(mode)
    await tab.show('#/')
    assert.is(await tab.page.locator('#app > .starting').count(), 0, mode)
    await tab.close()
  }
  const tab = await world.open('static')
  await tab.page.goto(pathToFileURL(join(world.site, 'index.html')).href)
  await tab.page.getByText('open http://localhost:8000/').waitFor()
  assert.match(await tab.page.locator('body').innerText(), 'browsers run its scripts only from a web server')
  await tab.close()
})

test.after(() => world.close())

test.run()
