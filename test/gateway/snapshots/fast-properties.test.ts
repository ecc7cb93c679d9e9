/**
 * Requests read the properties of a snapshot in their hot loops. An object with many properties that `Object.assign` adds
 * gets a hash table for them: a filtered page then takes 7 % more CPU time.
 */
import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openRegistry } from '../../../gateway/snapshots/registry.ts'
import { sharedSample } from '../../support/samples.ts'
import { listLog } from '../../support/server.ts'

setFlagsFromString('--allow-natives-syntax')
// Compiled at its first call.
const hasFastProperties = runInThisContext('(object) => %HasFastProperties(object)') as (object: object) => boolean

test('the properties of a served snapshot are fast', async () => {
  const slow = { first: 1, second: 2, third: 3 }
  Reflect.deleteProperty(slow, 'first')
  assert.not.ok(hasFastProperties(slow))
  const { dist } = await sharedSample('small')
  const registry = openRegistry(dist, { log: listLog().log, pollMs: 0 })
  try {
    assert.ok(hasFastProperties(registry.current))
    assert.ok(hasFastProperties(registry.current.cves))
  } finally {
    registry.close()
  }
})

test.run()
