/** What no reader would accept is not built. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { writeCatalogs } from '../../../builder/build/catalogs.ts'
import { BuildError } from '../../../builder/build/error.ts'
import { MAX_CATALOG_PLAIN } from '../../../corpus/snapshot/bounds.ts'

test('a catalog that readers would refuse stops the build, by its name', async () => {
  const most = MAX_CATALOG_PLAIN['report-types']
  const entries = [{ key: 'a', text: JSON.stringify('x'.repeat(most)) }]
  // It is refused before the job is looked at.
  const error = await writeCatalogs({ 'report-types': entries }, { parent: null } as never).catch((cause) => cause)
  assert.instance(error, BuildError)
  assert.is(error.code, 'too_large')
  assert.is(error.message, `the catalog report-types has ${most + 2} bytes, more than ${most}: shorten its feed`)
})

test.run()
