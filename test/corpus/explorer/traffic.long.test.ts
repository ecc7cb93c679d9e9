/** Requests and bytes of the static mode in Chromium, as the page's own measurements state them. */
import * as assert from 'uvu/assert'
import { type ExplorerWorld, initialScriptBytes, openExplorerWorld, type Tab } from '../../support/explorer.ts'
import { suiteNeeding } from '../../support/needs.ts'

const test = suiteNeeding('traffic of the explorer', 'Chromium', 'nginx')

let world: ExplorerWorld

test.before(async () => {
  world = await openExplorerWorld()
})

interface Traffic {
  requests: number
  /** Size of all bodies, as transferred. */
  bytes: number
  /** Size of the scripts, as transferred. */
  scriptBytes: number
}

/** Runs `work` and returns what it transferred. */
async function trafficOf(tab: Tab, work: () => Promise<unknown>): Promise<Traffic> {
  const session = await tab.page.context().newCDPSession(tab.page)
  const types = new Map<string, string>()
  const traffic = { requests: 0, bytes: 0, scriptBytes: 0 }
  session.on('Network.requestWillBeSent', ({ requestId, type }) => {
    types.set(requestId, type ?? '')
    traffic.requests++
  })
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    traffic.bytes += encodedDataLength
    if (types.get(requestId) === 'Script') traffic.scriptBytes += encodedDataLength
  })
  await session.send('Network.enable')
  await work()
  await session.detach()
  return traffic
}

test('the start page loads at most 100 KiB of scripts before it shows', async () => {
  const tab = await world.open('static')
  const { requests, bytes, scriptBytes } = await trafficOf(tab, () => tab.show('#/'))
  const initial = await initialScriptBytes(tab.page)
  console.log(
    `# start page, static: ${requests} requests, ${bytes} B; scripts ${scriptBytes} B, ${initial} B before it shows`,
  )
  assert.ok(initial > 10_000 && initial <= 100 * 1024, String(initial))
  await tab.close()
})

test('after the start page, a CVE takes at most 6 requests of data, an unfiltered page 4, a filtered one 12', async () => {
  const [row] = (await world.service.json<{ data: { cve_id: string }[] }>('/cves?kev=true&limit=1')).data
  for (const [name, address, most, mostBytes] of [
    ['a CVE', `#/cves/${row!.cve_id}`, 6, 200_000],
    ['an unfiltered list', '#/cves', 4, 200_000],
  ] as const) {
    const tab = await world.open('static')
    await tab.show('#/')
    const isData = (url: string) => !new URL(url).pathname.startsWith('/assets/')
    const before = tab.requested.length
    const { bytes, scriptBytes } = await trafficOf(tab, () => tab.show(address))
    const data = tab.requested.slice(before).filter(isData)
    console.log(`# ${name}, static: ${data.length} requests of data, ${bytes - scriptBytes} B`)
    assert.ok(data.length <= most, `${name}: ${data.join(' ')}`)
    assert.ok(bytes - scriptBytes <= mostBytes, `${name}: ${bytes - scriptBytes} B`)
    await tab.close()
  }
  const tab = await world.open('static')
  await tab.show('#/cves?severity=high')
  const before = tab.requested.length
  await tab.show('#/cves?severity=critical&has_exploit=true')
  const data = tab.requested.slice(before)
  console.log(`# another filter, static: ${data.length} requests`)
  assert.ok(data.length <= 12, data.join(' '))
  await tab.close()
})

test.after(() => world.close())

test.run()
