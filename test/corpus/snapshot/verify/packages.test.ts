/** Advisories and packages: `verify` checks their shards and derived files. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packageStatements } from '../../../../corpus/model/packages/package-advisory.ts'
import { shortHash } from '../../../../corpus/runtime/digest.ts'
import { entriesOf } from '../../../../corpus/snapshot/derive/advisory-extract.ts'
import { countDerived } from '../../../../corpus/snapshot/files/kinds.ts'
import { fileOf } from '../../../../corpus/snapshot/files/layout.ts'
import type { Role } from '../../../../corpus/snapshot/files/manifest.ts'
import { encodeEntries } from '../../../../corpus/snapshot/record/entry-shard.ts'
import { HASHED_KINDS, type HashedRole } from '../../../../corpus/snapshot/record/hashed-shard.ts'
import { membersOf } from '../../../../corpus/snapshot/record/shard.ts'
import { goodSnapshot, oneFault, type TableChange } from '../forgery.ts'

const good = await goodSnapshot('verify-packages')
const { manifest } = good

test('the derived files of advisories and packages have a row for each', () => {
  const derived = manifest.files.filter((file) => file.derived)
  const members = (role: Role) => manifest.files.reduce((sum, file) => sum + (file.role === role ? file.count : 0), 0)
  const [advisories, packages] = [members('advisories'), members('packages')]
  assert.ok(advisories > packages && packages > 0)
  assert.is(countDerived({ advisories: true, packages: true }), derived.length)
  assert.is(countDerived({ advisories: false, packages: false }), derived.length - 3)
  assert.is(fileOf(manifest, 'index', 'advisories').count, advisories)
  assert.is(fileOf(manifest, 'index', 'packages').count, packages)
  assert.is(fileOf(manifest, 'list', 'packages').count, packages)
})

type Entry = Record<string, unknown> & { id: string }

/** Returns the faults after a change of the entries of the first shard of a role. */
function faultsOfShard(
  role: HashedRole,
  change: (entries: { key: string; text: string }[]) => void,
): Promise<string[]> {
  const file = fileOf(manifest, role, '0000')
  const shard = good.bytesOf(role, '0000')
  const entries = Array.from(entriesOf(role, shard, [...membersOf(shard)]), ({ member, entry }) => ({
    key: member.key,
    text: JSON.stringify(entry),
  }))
  change(entries)
  const stated = entries.map(({ key, text }) => ({ key, source: shortHash(text), text: () => text }))
  const { bytes, content, members } = encodeEntries(HASHED_KINDS[role], stated)
  return good.faultsAfter((dist) => good.forge(dist, file, bytes, content, members.length))
}

const changed = (entry: { text: string }, change: (value: Entry) => void) => {
  const value = JSON.parse(entry.text) as Entry
  change(value)
  entry.text = JSON.stringify(value)
}

test('a package that states what its advisories do not', async () => {
  const faults = await faultsOfShard('packages', ([entry]) =>
    changed(entry!, ({ advisories }) => {
      ;(advisories as Entry[])[0]!.summary = 'another'
    }),
  )
  assert.equal(faults, ['the packages do not match the advisories'])
})

test('an advisory that its packages do not have', async () => {
  const faults = await faultsOfShard('advisories', (entries) => {
    const entry = entries.find(({ text }) => packageStatements(JSON.parse(text)).length > 0)!
    changed(entry, (value) => {
      value.summary = 'another'
    })
  })
  assert.equal(faults, ['the packages do not match the advisories'])
})

test('members out of order, with the key of another, in another shard, or with another number of shards', async () => {
  for (const role of ['advisories', 'packages'] as const) {
    oneFault(await faultsOfShard(role, (entries) => entries.reverse()), role, /is out of order, after /)
    const swap = (entries: { key: string; text: string }[]) => {
      ;[entries[0]!.text, entries[1]!.text] = [entries[1]!.text, entries[0]!.text]
    }
    oneFault(await faultsOfShard(role, swap), role, /the member .* contains /)
  }
  const shard = fileOf(manifest, 'packages', '0000')
  const renamed = manifest.files.map((file) => (file === shard ? { ...file, name: '0001' } : file))
  const faults = await good.faultsAfter((dist) => good.activate(dist, renamed))
  assert.match(faults.join('\n'), /is not shard 0000/)
})

test('a package that contradicts itself', async () => {
  const wrong: ((value: Entry) => void)[] = [
    (value) => {
      value.spellings = []
    },
    (value) => {
      value.more = 1
    },
  ]
  for (const change of wrong) {
    const faults = await faultsOfShard('packages', ([entry]) => changed(entry!, change))
    oneFault(faults, 'packages', /contradicts its advisories$/)
  }
})

/** An index of hashed shards that leads elsewhere, by one of its columns. */
const indexes = (name: string): TableChange[] =>
  (['advisories', 'packages'] as const).map((role) => ({
    role: 'index',
    name: role,
    change({ columns }) {
      columns[name]![0]! ^= 1
    },
    line: new RegExp(`^file index ${role} .* derived from \\(${name}\\)$`),
  }))

/** Posting lists in which a vendor, a product or a package has another CVE. */
const postings = (filter: string): TableChange => ({
  role: 'columns',
  name: 'lists',
  change({ columns }) {
    const { [`${filter}.starts`]: starts, [`${filter}.ordinals`]: ordinals } = columns
    const single = starts!.findIndex((start, at) => starts![at + 1] === start + 1)
    ordinals![starts![single]!]! ^= 1
  },
})

const list = (name: string, change: TableChange['change']): TableChange => {
  return { role: 'list', name, change }
}

const WRONG_TABLES: Record<string, TableChange[]> = {
  'low hashes, CVEs of a vendor, and counts of advisories': [
    ...indexes('hashLow'),
    postings('vendor'),
    list('packages', ({ columns }) => {
      columns['sort.advisories.keys']![1] = 0
    }),
  ],
  'positions, CVEs of a product, and aliases that no advisory states': [
    ...indexes('at'),
    postings('product'),
    {
      role: 'aliases',
      name: 'cve',
      change({ columns }) {
        columns.sets![2]! ^= 1
      },
    },
  ],
  'lengths, CVEs of a package, and keys of packages': [
    ...indexes('length'),
    postings('package'),
    list('packages', ({ columns }) => {
      columns['ids.texts']![1]! ^= 1
    }),
    list('vendors', ({ columns }) => {
      columns.productsStart![0]! ^= 1
    }),
  ],
}

for (const [what, changes] of Object.entries(WRONG_TABLES)) {
  test(`tables with wrong ${what}`, () => good.expectTableFaults(...changes))
}

test('each derived file must be there, and the fault names it', async () => {
  for (const [role, name] of [
    ['index', 'advisories'],
    ['index', 'packages'],
    ['aliases', 'cve'],
    ['list', 'packages'],
    ['columns', 'lists'],
    ['orders', 'epss'],
    ['stats', 'cve'],
  ] as const) {
    const without = manifest.files.filter((file) => file !== fileOf(manifest, role, name))
    const faults = await good.faultsAfter((dist) => good.activate(dist, without))
    assert.equal(faults, [
      `the snapshot: the manifest lists no file ${role} ${name}: the snapshot is damaged, or another version built it; build it again`,
    ])
  }
})

test.after(() => good.remove())

test.run()
