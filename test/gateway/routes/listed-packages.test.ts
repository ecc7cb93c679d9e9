/** Every listed package is answered, whatever names the publishers of feeds invent. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { foldName } from '../../../corpus/model/packages/name.ts'
import type { PackageRow } from '../../../corpus/model/packages/package-entry.ts'
import { walk } from '../../support/ask.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { cveRecord, recordPath, zipOf } from '../../support/feeds.ts'
import { testGateway } from '../../support/gateway.ts'
import { distOf } from '../../support/samples.ts'

const NAMES = [
  ...['__proto__', 'constructor', '..', '.', '../..', 'a/../b', '%2e%2e', 'a%2fb', 'a b', 'a\nb', 'a\u0000b'],
  ...[
    'é',
    'e\u0301',
    '\u212A',
    'İ',
    'ß',
    '@x/y',
    'a#b',
    'a?b',
    'a&b',
    'a;b',
    'a+b',
    '"',
    '<b>',
    '\\',
    '//',
    '/a',
    'a/',
    'a//b',
  ],
]

const folder = temporaryFolder('listed-packages')
const ID = 'CVE-2024-0001'
const records = NAMES.map((name, i) => {
  const affected = [
    { package: { ecosystem: 'npm', name }, ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }] },
  ]
  return [`GHSA-${i}.json`, JSON.stringify({ id: `GHSA-${i}`, modified: '2024-05-03T00:00:00Z', affected })]
})
const { dist } = await distOf(folder.path, {
  'cvelistv5/2024-06-01_all_CVEs.zip': zipOf({ [recordPath(ID)]: JSON.stringify(cveRecord({ id: ID })) }),
  'osv/npm/all.zip': zipOf(Object.fromEntries(records)),
})
const gateway = await testGateway(folder.path, dist)

test('every listed package is answered by its name, and by its purl if it has one', async () => {
  const rows = await walk<PackageRow>((query) => gateway.body(`/packages?${query}`))
  const unlisted = ['..', '.', 'a b', 'a\nb', 'a\u0000b']
  // The spellings of one name are one package.
  const names = new Set(NAMES.filter((name) => !unlisted.includes(name)).map((name) => foldName('npm', name)))
  assert.equal(rows.map(({ name }) => foldName('npm', name)).sort(), [...names].sort())
  for (const { name, purl, advisory_count } of rows) {
    const questions = [`ecosystem=npm&name=${encodeURIComponent(name)}`, purl && `purl=${encodeURIComponent(purl)}`]
    for (const question of questions.filter((one) => one !== null)) {
      const { data } = JSON.parse(await gateway.body(`/affected?${question}`))
      assert.is(data.length, advisory_count, question)
    }
    assert.is(JSON.parse(await gateway.body(`/packages/npm/${encodeURIComponent(name)}`)).name, name)
  }
})

test.after(async () => {
  await gateway.close()
  folder.remove()
})
test.run()
