/** People sign in in Chromium, at a gateway with two workers and at a real identity provider. */
import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { readOidcOptions } from '../../../gateway/auth/oidc-options.ts'
import { LOCAL } from '../../../gateway/auth/token.ts'
import { type Gateway, startGateway } from '../../../gateway/process/gateway.ts'
import { openLog } from '../../../gateway/process/log.ts'
import { type RunningWorkers, startWorkers } from '../../../gateway/process/workers/primary.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { launch } from '../../support/explorer.ts'
import { CLIENT, CookieJar, type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts'
import { freePort } from '../../support/listening.ts'
import { suiteNeeding } from '../../support/needs.ts'
import { sharedSample } from '../../support/samples.ts'
import { listLog } from '../../support/server.ts'

const test = suiteNeeding('signing in with a browser', 'Chromium')

const folder = temporaryFolder('sign-in-browser')
const oidcClientSecretFile = join(folder.path, 'secret')
writeFileSync(oidcClientSecretFile, CLIENT.secret)

let idp: IdentityProvider
let browser: Browser
let port: number
let publicUrl: string

test.before(async () => {
  port = await freePort()
  publicUrl = `http://localhost:${port}/`
  idp = await startIdentityProvider(() => [publicUrl])
  browser = await launch()
})
test.after(async () => {
  await browser.close()
  await idp.stop()
  folder.remove()
})

async function options() {
  const { dist } = await sharedSample('small')
  const flags = { issuer: idp.issuer, oidcClientId: CLIENT.id, oidcClientSecretFile, publicUrl }
  const { audience } = LOCAL
  return {
    dist,
    port,
    host: 'localhost',
    issuer: idp.issuer,
    audience,
    oidc: readOidcOptions(flags)!,
    pollMs: 0,
    rateLimit: 1e6,
  }
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const providerLink = (page: Page) => page.getByRole('link', { name: `Sign in with ${new URL(idp.issuer).host}` })

test('login, two tabs, renewal by both at once, and logout', async () => {
  let passedMs = 0
  idp.idTokenSeconds = 60
  const lines = listLog()
  const gateway: Gateway = await startGateway(await options(), lines.log, { now: () => Date.now() + passedMs })
  const context = await browser.newContext()
  const page = await context.newPage()
  // The link returns to this address, which is malformed.
  await page.goto(`${publicUrl}#/search?q=100%&e=é\\`)
  await providerLink(page).waitFor()
  assert.match(
    (await providerLink(page).getAttribute('href'))!,
    /return=%2F%23%2Fsearch%3Fq%3D100%25%26e%3D%25C3%25A9%255C$/,
  )
  await page.goto(`${publicUrl}#/cves?kev=true`)
  await heading(page, 'Sign in to vulnshelf')
  await page.getByLabel('Access token').waitFor()
  await providerLink(page).click()
  await heading(page, 'CVEs')
  assert.is(page.url(), `${publicUrl}#/cves?kev=true`)
  const [cookie, ...more] = (await context.cookies()).filter(
    ({ domain, name }) => domain === 'localhost' && !name.startsWith('_'),
  )
  assert.equal([cookie!.name, cookie!.httpOnly, cookie!.sameSite, more.length], ['session', true, 'Strict', 0])
  const other = await context.newPage()
  await other.goto(`${publicUrl}#/cwes`)
  await heading(other, 'Weaknesses')
  await other.locator('tbody tr').first().waitFor()

  // The ID token expires in both tabs.
  passedMs = 300_000
  idp.idTokenSeconds = 3600
  const before = idp.requested.filter((path) => path === '/token').length
  await Promise.all([page.reload(), other.reload()])
  await Promise.all([page.locator('tbody tr').first().waitFor(), other.locator('tbody tr').first().waitFor()])
  assert.is(idp.requested.filter((path) => path === '/token').length, before + 1, 'one renewal')
  assert.is(await other.getByRole('heading', { name: 'Sign in to vulnshelf' }).count(), 0)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${idp.issuer}/**`)
  await page.getByRole('button', { name: /yes/i }).click()
  await page.waitForURL(publicUrl)
  await heading(page, 'Sign in to vulnshelf')
  await other.reload()
  await heading(other, 'Sign in to vulnshelf')
  await context.close()
  await gateway.close()
})

test('an account without the role gets the remedy, and can sign out', async () => {
  idp.account = { sub: 'vera', role: 'viewer' }
  const gateway = await startGateway(await options(), listLog().log)
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${publicUrl}#/cves`)
  await providerLink(page).click()
  await page.getByRole('alert').filter({ hasText: '--no-preview' }).first().waitFor()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await context.close()
  await gateway.close()
  idp.account = { sub: 'alice', role: 'admin' }
})

test('a session of one worker counts at the other', async () => {
  const log = openLog({ to: join(folder.path, 'workers.log') })
  const workers: RunningWorkers = await startWorkers(2, await options(), log)
  const jar = new CookieJar()
  const isBack = (url: string) => url.startsWith(publicUrl) && !url.startsWith(`${publicUrl}auth/`)
  await jar.follow(`${publicUrl}auth/login`, isBack)
  const headers = { cookie: jar.header(publicUrl) }
  // Each request has a connection of its own, which the workers get in turn.
  const status = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const url = `${publicUrl}api/v1/cves?limit=1`
      get(url, { agent: false, headers }, (response) => resolve(response.resume().statusCode)).on('error', reject)
    })
  const statuses = []
  for (let i = 0; i < 6; i++) statuses.push(await status())
  assert.equal(statuses, Array(6).fill(200))
  await workers.close()
  await log.flush()
})

test.run()
