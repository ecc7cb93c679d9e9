/** A few kills on sample feeds; `test/real/mirror-kill.ts` does more of them, on the real ones. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { ownSample } from '../../support/samples.ts'
import { hardTimes } from './hard-times.ts'
import { makeSigner, signDist } from './repository.ts'

const folder = temporaryFolder('mirror-kill')
const KILLS = 6

test('a mirror that is killed again and again ends complete and right, and fetches little twice', async () => {
  const signer = await makeSigner()
  const first = await ownSample('small', folder.path)
  await signDist(first.dist, signer)
  const second = join(folder.path, 'second')
  cpSync(first.dist, second, { recursive: true })
  await ingestAndBuild({ feeds: first.feeds, corpus: first.corpus, dist: second, asOf: first.nights[1]! })
  await signDist(second, signer)
  const report = await hardTimes({
    nights: [first.dist, second],
    signer,
    folder: join(folder.path, 'mirrors'),
    kills: KILLS,
    seed: 20261121,
    faultShare: 0.05,
    bytesPerMs: 2000,
    say: () => {},
  })
  assert.is(report.kills, KILLS)
  assert.ok(report.mirrors > 0)
  assert.ok(report.sent >= report.needed)
})

test.after(folder.remove)
test.run()
