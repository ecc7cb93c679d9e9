/** Staging: an item that occurs several times in one ingest, with other CVEs each time. */
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import { withRawDigest } from '../../../corpus/model/item-digest.ts'
import { openMerging } from '../../../corpus/store/merging.ts'
import { packText, unpackText } from '../../../corpus/store/packed-text.ts'
import { createSchema } from '../../../corpus/store/schema.ts'
import { idOfSortKey, sortKey } from '../../../corpus/store/sort-key.ts'
import { openStaging } from '../../../corpus/store/staging.ts'

const A: CveId = 'CVE-2024-0001'
const B: CveId = 'CVE-2024-0002'

/** A copy of the item: its bytes, as a letter, and its CVEs. */
type Copy = readonly [bytes: string, ...cveIds: CveId[]]

/** Runs ingests in sequence into one corpus. Returns the changes of the last, and the ids of records to merge. */
function ingests(...nights: Copy[][]) {
  const database = new Database(':memory:')
  createSchema(database)
  const last = nights.map((copies) => {
    const staging = openStaging(database)
    for (const [file, [bytes, ...cveIds]] of copies.entries()) {
      const claim = { feed: 'osv', item: 'X', cveIds, digest: Buffer.from(bytes), statedAt: null, facets: null, file }
      staging.claim(claim, packText(JSON.stringify(bytes)))
    }
    const { added, changed, removed } = staging.claimCounts('osv')
    const merging = openMerging(database)
    merging.settleClaims('osv', false, null)
    const touched = merging.touched().map(({ cveKey }) => idOfSortKey(cveKey))
    const claims = [A, B].map((id) => merging.claims(sortKey(id))!.map(({ body }) => unpackText(body)))
    for (const table of ['altered', 'restated', 'scores', 'touched', 'lost']) database.exec(`DROP TABLE temp.${table}`)
    return { counts: [added, changed, removed], touched, claims }
  })
  database.close()
  return last.at(-1)!
}

test('the last copy counts, and what earlier ones said of other CVEs is withdrawn', () => {
  const { counts, touched, claims } = ingests([
    ['x', A, B],
    ['y', A],
  ])
  assert.equal(counts, [1, 0, 0])
  assert.ok(touched.includes(A))
  assert.equal(claims, [['"y"'], []])
})

test('a CVE that the first and the last copy name, but none between them, is merged', () => {
  const copies: Copy[] = [
    ['x', A, B],
    ['y', A],
    ['x', A, B],
  ]
  const { counts, touched, claims } = ingests(copies)
  assert.equal(
    [counts, touched],
    [
      [1, 0, 0],
      [A, B],
    ],
  )
  assert.equal(claims, [['"x"'], ['"x"']])
  assert.equal(ingests([['w', A, B]], copies).touched, [A, B], 'it said something else before')
})

test('the same copies again change nothing', () => {
  const copies: Copy[] = [
    ['x', A],
    ['y', B],
    ['z', A],
  ]
  const { counts, claims } = ingests(copies, copies)
  assert.equal(counts, [0, 0, 0])
  assert.equal(claims, [['"z"'], []])
})

test('an item that is about another CVE than before, or about none any more, is changed and not new', () => {
  assert.equal(ingests([['x', A]], [['y', B]]).counts, [0, 1, 0])
  assert.equal(ingests([['x', A]], [['y']]).counts, [0, 1, 0])
  const back: Copy[] = [
    ['y', B],
    ['x', A],
  ]
  assert.equal(ingests([['x', A]], back).counts, [0, 0, 0], 'the last copy says what the corpus had')
})

test('an item that is only wrapped otherwise changes nothing, and is known by its new wrapping', () => {
  const database = new Database(':memory:')
  createSchema(database)
  const [content, first, second] = [Buffer.alloc(17, 1), Buffer.alloc(16, 2), Buffer.alloc(16, 3)]
  const claim = {
    feed: 'osv',
    item: 'X',
    cveIds: [A],
    digest: withRawDigest(content, first),
    statedAt: null,
    facets: null,
    file: 0,
  }
  openStaging(database).claim(claim, packText('"x"'))
  for (const table of ['altered', 'restated', 'scores']) database.exec(`DROP TABLE temp.${table}`)
  const staging = openStaging(database)
  assert.equal(Buffer.from(staging.digestOf('osv', 'X')!), Buffer.concat([content, first]))
  assert.is(staging.digestOf('osv', 'X'), null, 'asked for before: it may be on its way')
  staging.known({ ...claim, digest: withRawDigest(content, second) })
  assert.is(staging.hold('osv', 'X'), false, 'it was staged')
  assert.equal(staging.claimCounts('osv'), { kept: 1, added: 0, changed: 0, removed: 0 })
  const merging = openMerging(database)
  merging.settleClaims('osv', false, null)
  assert.equal(merging.touched(), [])
  const digest = database.prepare('SELECT digest FROM claim').pluck().get() as Buffer
  assert.equal(digest, Buffer.concat([content, second]))
  database.close()
})

test('what other bytes say is never staged as known', () => {
  const database = new Database(':memory:')
  createSchema(database)
  const staging = openStaging(database)
  const known = { feed: 'osv', item: 'X', digest: Buffer.from('x'), file: 0 }
  const refusal = /staged as unchanged, but the corpus has another digest/
  assert.throws(() => staging.known(known), refusal)
  assert.throws(() => staging.same('osv', 'X', 0), refusal)
  staging.claim({ ...known, cveIds: [A], statedAt: null, facets: null }, packText('"x"'))
  assert.throws(() => staging.known(known), refusal, 'a copy in this ingest came before')
  assert.throws(() => staging.same('osv', 'X', 0), refusal)
  database.close()
})

test.run()
