/**
 * The conformance suite of the Model Context Protocol, unmodified, against a gateway. Other scenarios need a server of examples:
 * tools with fixed names and answers, prompts, resources, subscriptions, sessions or messages of the server.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'
import { LOCAL, makeToken } from '../../../gateway/auth/token.ts'
import { type Gateway, startGateway } from '../../../gateway/process/gateway.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { suiteNeeding } from '../../support/needs.ts'
import { installPackages } from '../../support/npm-clients.ts'
import { sharedSample } from '../../support/samples.ts'
import { listLog } from '../../support/server.ts'

const test = suiteNeeding('MCP conformance', 'the npm registry')
const run = promisify(execFile)
const VERSION = '0.1.16'

const folder = temporaryFolder('mcp-conformance')
let gateway: Gateway

test.before(async () => {
  installPackages(folder.path, [`@modelcontextprotocol/conformance@${VERSION}`], '--ignore-scripts')
  const { dist } = await sharedSample('small')
  const { jwksFile: jwks } = await makeToken({ dir: join(folder.path, 'keys') })
  const { issuer, audience } = LOCAL
  const compat = { compat: ['mcp'], compatPort: 0, compatAuth: 'none' as const }
  gateway = await startGateway({ dist, port: 0, issuer, audience, jwks, pollMs: 0, ...compat }, listLog().log)
})

for (const [scenario, checks] of [
  ['server-initialize', 1],
  ['ping', 1],
  ['tools-list', 1],
  ['dns-rebinding-protection', 2],
] as const) {
  test(`the scenario ${scenario} passes`, async () => {
    const program = join(folder.path, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
    const args = [program, 'server', '--url', `${gateway.compatUrl}/mcp`, '--scenario', scenario]
    const { stdout, stderr } = await run(process.execPath, args, { cwd: folder.path })
    assert.match(stdout + stderr, `Passed: ${checks}/${checks}, 0 failed, 0 warnings`)
  })
}

test.after(async () => {
  await gateway.close()
  folder.remove()
})
test.run()
