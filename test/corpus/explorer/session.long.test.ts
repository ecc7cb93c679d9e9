/** Signing in at a gateway, in Chromium. */
import * as assert from 'uvu/assert'
import { type Identity, identityOf } from '../../contract/support/service.ts'
import { type ExplorerWorld, openExplorerWorld, type Tab } from '../../support/explorer.ts'
import { testGateway } from '../../support/gateway.ts'
import { suiteNeeding } from '../../support/needs.ts'

const test = suiteNeeding('sessions of the explorer', 'Chromium', 'nginx')

let world: ExplorerWorld
let identity: Identity

test.before(async () => {
  world = await openExplorerWorld()
  identity = await identityOf(world.service)
})

const heading = ({ page }: Tab, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const enter = async ({ page }: Tab, token: string) => {
  await page.getByLabel('Access token').fill(token)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
const stored = ({ page }: Tab) => page.evaluate("sessionStorage.getItem('vulnshelf.token')") as Promise<string | null>
const withoutStatus = (faults: readonly string[]) => faults.filter((fault) => !/status of 401/.test(fault))

test('a page asks for the token, and shows what was asked for afterwards', async () => {
  const tab = await world.open('gateway', { token: null })
  await tab.page.goto(`${world.origins.gateway}#/cves?kev=true`)
  await heading(tab, 'Sign in to vulnshelf').waitFor()
  await enter(tab, 'no token')
  await tab.page.getByRole('alert').filter({ hasText: 'rejected' }).waitFor()
  assert.is(await stored(tab), null)
  await enter(tab, await identity.token({ exp: Math.floor(Date.now() / 1000) - 3600 }))
  await tab.page.getByRole('alert').filter({ hasText: 'expired' }).waitFor()
  await enter(tab, world.service.token)
  await heading(tab, 'CVEs').waitFor()
  await tab.settle()
  assert.is(new URL(tab.page.url()).hash, '#/cves?kev=true')
  assert.ok((await tab.page.locator('tbody tr').count()) > 0)
  assert.equal(withoutStatus(tab.faults), [])
  await tab.close()
})

test('a token signs in every tab until the user signs out; scripts cannot read it', async () => {
  const tab = await world.open('gateway', { token: null })
  await tab.page.goto(world.origins.gateway)
  const other = await tab.page.context().newPage()
  await other.goto(`${world.origins.gateway}#/cwes`)
  await other.getByRole('heading', { level: 1, name: 'Sign in to vulnshelf' }).waitFor()
  await enter(tab, world.service.token)
  await heading(tab, 'vulnshelf').waitFor()
  await tab.settle()
  assert.equal([await stored(tab), await tab.page.evaluate('document.cookie')], [null, ''])
  const [cookie] = await tab.page.context().cookies()
  assert.equal([cookie!.name, cookie!.httpOnly, cookie!.sameSite], ['session', true, 'Strict'])
  // As when the user comes back to this tab.
  await other.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  await other.getByRole('heading', { level: 1, name: 'Weaknesses' }).waitFor()
  const third = await tab.page.context().newPage()
  await third.goto(`${world.origins.gateway}#/cves`)
  await third.getByRole('heading', { level: 1, name: 'CVEs' }).waitFor()
  await tab.page.getByRole('button', { name: 'Sign out' }).click()
  await heading(tab, 'Sign in to vulnshelf').waitFor()
  assert.equal(await tab.page.context().cookies(), [])
  assert.not.match(await tab.page.evaluate('JSON.stringify(localStorage)'), world.service.token)
  assert.equal(withoutStatus(tab.faults), [])
  await tab.close()
})

test('a browser that blocks cookies keeps the token in its tab', async () => {
  const tab = await world.open('gateway', { token: null })
  // As an answer whose cookie the browser does not store.
  await tab.page.route('**/auth/token', (route) => route.fulfill({ status: 200, body: '{"signed_in":true}' }))
  await tab.page.goto(world.origins.gateway)
  await enter(tab, world.service.token)
  await heading(tab, 'vulnshelf').waitFor()
  await tab.settle()
  assert.is(await stored(tab), world.service.token)
  await tab.page.reload()
  await heading(tab, 'vulnshelf').waitFor()
  await tab.page.getByRole('button', { name: 'Sign out' }).click()
  await heading(tab, 'Sign in to vulnshelf').waitFor()
  assert.is(await stored(tab), null)
  await tab.close()
})

test('a login link signs a browser in once; scripts cannot read its token', async () => {
  const { folder, made } = world.service
  const login = { code: 'a-code-of-the-login-link-0123456789', token: world.service.token }
  const gateway = await testGateway(folder, made.dist, { login })
  const link = `${gateway.url}/login/${login.code}`
  const tab = await world.open('gateway', { token: null })
  const shows = (name: string) => heading(tab, name).waitFor()
  await tab.page.goto(link)
  await shows('vulnshelf')
  assert.is(tab.page.url(), `${gateway.url}/`)
  await tab.page.goto(`${gateway.url}/#/cves`)
  await tab.page.reload()
  await shows('CVEs')
  await tab.page.locator('tbody tr').first().waitFor()
  assert.equal([await stored(tab), await tab.page.evaluate('document.cookie')], [null, ''])
  const other = await world.open('gateway', { token: null })
  const again = await other.page.goto(link)
  assert.is(again!.status(), 410)
  await other.page.goto(gateway.url)
  await heading(other, 'Sign in to vulnshelf').waitFor()
  await tab.page.getByRole('button', { name: 'Sign out' }).click()
  await shows('Sign in to vulnshelf')
  assert.is(await tab.page.getByRole('alert').count(), 0)
  assert.equal(await tab.page.context().cookies(), [])
  await tab.page.reload()
  await shows('Sign in to vulnshelf')
  for (const one of [tab, other]) await one.close()
  await gateway.close()
})

test('signing out states that a cookie of another host stays', async () => {
  const tab = await world.open('gateway', { token: null })
  const { hostname } = new URL(world.origins.gateway)
  // The gateway removes the cookie of the path `/`.
  await tab.page.context().addCookies([{ name: 'session', value: world.service.token, domain: hostname, path: '/api' }])
  await tab.page.goto(world.origins.gateway)
  await heading(tab, 'vulnshelf').waitFor()
  await tab.page.getByRole('button', { name: 'Sign out' }).click()
  await heading(tab, 'Sign in to vulnshelf').waitFor()
  await tab.page.getByRole('alert').filter({ hasText: 'may still be signed in' }).waitFor()
  await tab.close()
})

/** As in a browser that blocks cookies. */
function blockStorage(): void {
  for (const name of ['localStorage', 'sessionStorage']) {
    Object.defineProperty(globalThis, name, {
      get() {
        throw new DOMException('Access is denied for this document.', 'SecurityError')
      },
    })
  }
}

test('without storage, the token, the columns and the colours last as long as the page', async () => {
  const tab = await world.open('gateway', { token: null })
  await tab.page.addInitScript(blockStorage)
  await tab.page.goto(`${world.origins.gateway}#/cves`)
  await enter(tab, 'no token')
  await tab.page.getByRole('alert').filter({ hasText: 'rejected' }).waitFor()
  await enter(tab, world.service.token)
  await heading(tab, 'CVEs').waitFor()
  await tab.page.locator('tbody tr').first().waitFor()
  await tab.page.getByText('Columns', { exact: true }).first().click()
  await tab.page.getByRole('checkbox', { name: 'CNA', exact: true }).check()
  await tab.page.getByRole('columnheader', { name: 'CNA' }).waitFor()
  await tab.page.getByLabel('Colours').selectOption('dark')
  assert.is(await tab.page.evaluate('document.documentElement.dataset.theme'), 'dark')
  await tab.page.goto(`${world.origins.gateway}#/cwes`)
  await tab.page.goto(`${world.origins.gateway}#/cves`)
  await tab.page.getByRole('columnheader', { name: 'CNA' }).waitFor()
  await tab.page.getByRole('button', { name: 'Sign out' }).click()
  await heading(tab, 'Sign in to vulnshelf').waitFor()
  assert.equal(withoutStatus(tab.faults), [])
  await tab.close()
})

const FOREIGN: [status: number, body: string][] = [
  [502, '<html>Bad gateway</html>'],
  [200, '<html>Sign in to this network</html>'],
  [200, 'null'],
  [500, 'null'],
  [503, '"busy"'],
  [503, '{"detail":"busy"}'],
]

test('a page shows the status of an answer that is not of a gateway', async () => {
  const tab = await world.open('gateway')
  for (const [status, body] of FOREIGN) {
    await tab.page.route('**/api/v1/cwes**', (route) => route.fulfill({ status, body }))
    await tab.show('#/cwes')
    await tab.page
      .getByRole('alert')
      .filter({ hasText: `Status ${status}` })
      .waitFor()
    await tab.page.unrouteAll()
    await tab.page.getByRole('button', { name: 'Try again' }).click()
    await tab.page.locator('tbody tr').first().waitFor()
    await tab.page.goto('about:blank')
  }
  assert.equal(
    tab.faults.filter((fault) => !/status of 50/.test(fault)),
    [],
  )
  await tab.close()
})

test('a text that no header can have is not a token', async () => {
  const tab = await world.open('gateway', { token: null })
  await tab.page.goto(world.origins.gateway)
  await enter(tab, 'токен')
  await tab.page.getByRole('alert').filter({ hasText: 'rejected' }).waitFor()
  assert.is(await stored(tab), null)
  await tab.close()
})

test('a token without access gets the reason, not the sign-in', async () => {
  const { authorization } = await world.service.tokenOf({ role: 'viewer' })
  const tab = await world.open('gateway', { token: authorization.slice('Bearer '.length) })
  await tab.show('#/cves')
  assert.is(await heading(tab, 'CVEs').count(), 1)
  await tab.page.getByRole('alert').first().waitFor()
  await tab.close()
})

test.after(() => world.close())

test.run()
