/** An installation without the optional SDK. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../../support/dist.ts'

const folder = temporaryFolder('s3-missing')

/** Node then finds no such package, as after `npm install --omit=optional`. */
const WITHOUT_SDK = `import { registerHooks } from 'node:module'
registerHooks({
  resolve: (name, context, next) => next(name === '@aws-sdk/client-s3' ? 'no-such-package' : name, context),
})`

test('an s3:// address without the SDK ends with exit code 2 and the command that installs it', () => {
  const gateway = join(import.meta.dirname, '../../../gateway/bin.js')
  const preload = `data:text/javascript,${encodeURIComponent(WITHOUT_SDK)}`
  const args = [
    '--import',
    'tsx',
    '--import',
    preload,
    gateway,
    'mirror',
    's3://bucket/prefix',
    join(folder.path, 'copy'),
  ]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 })
  assert.equal(
    [status, stderr.trim()],
    [
      2,
      'vulnshelf-gateway: latest.json: s3:// addresses need the package @aws-sdk/client-s3. Run: npm install @aws-sdk/client-s3',
    ],
  )
})

test.after(folder.remove)
test.run()
