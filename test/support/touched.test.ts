import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readBy, touchedBy } from './touched.ts'

test('a file reads what it imports directly or by others, and what it starts', () => {
  const gateway = readBy('test/gateway/process/workers/workers.long.test.ts')
  for (const path of [
    'test/support/serving.ts',
    'gateway/bin.js',
    'gateway/process/serve.ts',
    'corpus/runtime/digest.ts',
  ])
    assert.ok(gateway.has(path), path)
  assert.not.ok(gateway.has('builder/site/site.ts'))
})

test('a change touches the files that read it', () => {
  const files = [
    'test/builder/site/site.long.test.ts',
    'test/gateway/limits/redis.long.test.ts',
    'test/docs/links.test.ts',
    'test/growth/patterns.long.test.ts',
  ]
  const [site, redis, docs, patterns] = files
  assert.equal(touchedBy(['builder/site/site.ts'], files), [site, patterns])
  assert.equal(touchedBy(['test/support/redis.ts'], files), [redis])
  assert.equal(touchedBy(['corpus/README.md'], files), [docs])
  assert.equal(touchedBy(['package.json'], files), files)
  assert.equal(touchedBy([], files), [])
})

test.run()
