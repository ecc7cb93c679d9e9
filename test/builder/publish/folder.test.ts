/** Publishing to a folder. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { bytesContent } from '../../../builder/publish/content.ts'
import { openFolder } from '../../../builder/publish/folder.ts'
import { realNetworkEffects } from '../../../corpus/transfer/network.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'

const folder = temporaryFolder('publish-folder')
const { effects, close } = realNetworkEffects(quietEffects())

test('files with equal content are written at the same time', async () => {
  const dist = join(folder.path, 'dist')
  const target = await openFolder(dist, effects)
  const contents = ['a.css', 'b.css', 'c.css'].map((path) => bytesContent(path, Buffer.from('same')))
  await Promise.all(contents.map((content) => target.put(content)))
  await target.close()
  for (const { path } of contents) assert.is(readFileSync(join(dist, path), 'utf8'), 'same')
})

test.after(async () => {
  await close()
  folder.remove()
})

test.run()
