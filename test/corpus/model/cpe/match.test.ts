/** Which statements of a record affect the product and version of a CPE name. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfigurations } from '../../../../corpus/feeds/nvd/configurations.ts'
import { joinedProduct } from '../../../../corpus/model/affected/joined-product.ts'
import { type VersionStatement, versionLists } from '../../../../corpus/model/affected/ranges.ts'
import {
  MAX_STATEMENTS,
  matchCpe,
  productEntries,
  productOfCpe,
  TOO_LARGE,
} from '../../../../corpus/model/cpe/match.ts'
import { readCpe } from '../../../../corpus/model/cpe/name.ts'
import { matchStatements } from '../../../../corpus/model/cpe/statements.ts'
import type { AffectedEntry } from '../../../../corpus/model/record.ts'
import { MAX_VERSION_LENGTH } from '../../../../corpus/model/versions/order.ts'
import { finished } from '../../../../corpus/runtime/steps.ts'

const match = suite('cpe match')

const WIDGET = joinedProduct('acme', 'widget')!

/** `version:update:edition:language:sw_edition:target_sw:target_hw:other`, as far as given. */
const cpeOf = (rest: string, product = 'acme:widget') => {
  const given = rest.split(':')
  return `cpe:2.3:a:${product}:${[...given, ...Array(8 - given.length).fill('*')].join(':')}`
}

type Bounds = Record<string, string | boolean>
const DATE = '2024-01-01T00:00:00Z'

/** Entries as the adapter of NVD reads them. */
const nvd = (...matches: [rest: string, bounds?: Bounds][]): AffectedEntry[] =>
  readConfigurations(
    [
      {
        nodes: [
          { cpeMatch: matches.map(([rest, bounds]) => ({ vulnerable: true, criteria: cpeOf(rest), ...bounds })) },
        ],
      },
    ],
    DATE,
    [],
  )

const versionOf = (statement: Partial<VersionStatement>): VersionStatement => ({
  version: '0',
  status: 'affected',
  lessThan: null,
  lessThanOrEqual: null,
  versionType: null,
  changes: [],
  ...statement,
})

/** An entry as the adapter of the CVE list reads it. */
const cna = (
  statements: Partial<VersionStatement>[],
  { defaultStatus = null, ...fields }: Partial<AffectedEntry> & { defaultStatus?: string | null } = {},
): AffectedEntry[] => [
  {
    ...nvd(['*'])[0]!,
    source: 'cna',
    vendor: 'Acme',
    product: 'Widget',
    cpes: null,
    default_status: defaultStatus,
    ...versionLists(statements.map(versionOf), defaultStatus),
    ...fields,
  },
]

const found = (affected: AffectedEntry[], rest: string) =>
  finished(matchCpe(productEntries(affected, WIDGET), readCpe(cpeOf(rest))))
const verdictOf = (affected: AffectedEntry[], rest: string) => found(affected, rest)?.verdict ?? 'unaffected'

/** The verdict of each version. */
function verdicts(affected: AffectedEntry[], expected: Record<string, 'affected' | 'undecided' | 'unaffected'>) {
  for (const [rest, verdict] of Object.entries(expected)) assert.is(verdictOf(affected, rest), verdict, rest)
}

match('bounds of NVD', () => {
  verdicts(nvd(['*', { versionStartIncluding: '1.2', versionEndExcluding: '2.0' }]), {
    '1.1.9': 'unaffected',
    '1.2': 'affected',
    '1.2.0': 'affected',
    '1.10': 'affected',
    '1.9-rc1': 'affected',
    '2.0': 'unaffected',
    '2.0-rc1': 'affected',
    '2.0:rc1': 'affected',
    '2.0:sp1': 'undecided',
    '2.0-sp1': 'undecided',
    '1.5:rc1': 'affected',
    '2.0:-': 'unaffected',
    vista: 'undecided',
    '-': 'unaffected',
    '*': 'undecided',
    '1.*': 'undecided',
  })
  verdicts(nvd(['*', { versionStartExcluding: '1.2', versionEndIncluding: '2.0' }]), {
    '1.2': 'unaffected',
    '1.2.1': 'affected',
    '2.0': 'affected',
    '2.0.1': 'unaffected',
    '1.2:p1': 'undecided',
  })
  verdicts(nvd(['*', { versionStartExcluding: '1.2' }]), { '1.2': 'unaffected', '9': 'affected', x: 'undecided' })
  verdicts(nvd(['*']), { '1.2': 'affected', x: 'affected', '-': 'affected', '*': 'undecided' })
})

match('exact versions of NVD', () => {
  verdicts(nvd(['1.0:beta'], ['1.1'], ['1.2:-'], ['12.2\\(25\\)se']), {
    '1.0:beta': 'affected',
    '1.0:BETA': 'affected',
    '1.0:rc1': 'unaffected',
    '1.0:-': 'unaffected',
    '1.0': 'affected',
    '1.0.0:beta': 'affected',
    '1.1:rc1': 'affected',
    '1.1:-': 'affected',
    '1.2:sp1': 'unaffected',
    '1.2': 'affected',
    '1.3': 'unaffected',
    '12.2\\(25\\)SE': 'affected',
    '12.2\\(25\\)sed': 'unaffected',
    '1.*': 'undecided',
    '9.*': 'unaffected',
    '*': 'undecided',
  })
})

match('a product without versions is not every version', () => {
  verdicts(nvd(['-']), { '-': 'affected', '1.0': 'unaffected', '*': 'undecided' })
})

match('an attribute of a configuration must overlap with that of the request', () => {
  const plugin = nvd(['*:*:*:*:*:wordpress', { versionEndExcluding: '2.0' }])
  verdicts(plugin, {
    '1.0': 'affected',
    '1.0:*:*:*:*:wordpress': 'affected',
    '1.0:*:*:*:*:word*': 'affected',
    '1.0:*:*:*:*:joomla': 'unaffected',
    '*:*:*:*:*:joomla': 'unaffected',
    '1.0:*:*:*:*:-': 'unaffected',
  })
  assert.is(
    finished(matchCpe(productEntries(plugin, WIDGET), readCpe('cpe:2.3:o:acme:widget:1.0:*:*:*:*:*:*:*'))),
    null,
  )
  assert.is(
    finished(matchCpe(productEntries(plugin, WIDGET), readCpe('cpe:/*:acme:widget:1.0'.replace('*', '')))) !== null,
    true,
  )
})

match('a range is undecided if it may belong to a CPE of another edition', () => {
  const editions = nvd(['*:*:*:*:lts', { versionEndExcluding: '1.5' }], ['*:*:*:*:pro', { versionEndExcluding: '2.0' }])
  verdicts(editions, {
    '1.0': 'affected',
    '1.0:*:*:*:lts': 'undecided',
    '1.7': 'affected',
    '3.0:*:*:*:lts': 'unaffected',
    '1.0:*:*:*:free': 'unaffected',
  })
  const same = nvd(['*:*:*:*:lts', { versionEndExcluding: '2.0' }], ['*:*:*:*:pro', { versionEndExcluding: '2.0' }])
  verdicts(same, { '1.0:*:*:*:lts': 'affected', '2.0:*:*:*:lts': 'unaffected' })
})

match('ranges of the CVE list', () => {
  verdicts(
    cna([
      { version: '1.0', lessThan: '1.5' },
      { version: '2.0', lessThanOrEqual: '2.3.*' },
    ]),
    {
      '0.9': 'unaffected',
      '1.4.9': 'affected',
      '1.5': 'unaffected',
      '2.3.99': 'affected',
      '2.4': 'unaffected',
      'v1.4': 'affected',
      '1.5-rc1': 'affected',
      '1.5-hf1': 'undecided',
      '-': 'unaffected',
      '*': 'undecided',
    },
  )
  verdicts(cna([{ version: '*' }]), { x: 'affected', '1': 'affected' })
})

match('single versions of the CVE list', () => {
  verdicts(cna([{ version: '1.0' }, { version: '2.x' }, { version: 'v3.1-RC1' }]), {
    '1.0.0': 'affected',
    '1.1': 'unaffected',
    '2.7': 'affected',
    '3.1-rc1': 'affected',
    '3.1-rc2': 'unaffected',
    'v3.1-rc1': 'affected',
    '3.1:rc1': 'affected',
    '1.0:beta': 'undecided',
  })
  for (const text of ['before 2.0', '1.0 and earlier', '1.0-2.0', 'R12', '3.', '1.0, 1.1']) {
    verdicts(cna([{ version: text }]), { '1.7': 'undecided' })
  }
  verdicts(cna([{ version: 'R12' }, { version: '8.1 SP2' }]), {
    r12: 'affected',
    '8.1:sp2': 'affected',
    '*': 'undecided',
  })
})

match('a default status of affected excludes what is stated as unaffected', () => {
  const kernel = cna(
    [
      { version: '4.1' },
      { version: '0', lessThan: '4.1', status: 'unaffected' },
      { version: '5.10.200', lessThanOrEqual: '5.10.*', status: 'unaffected' },
      { version: '6.1.60', lessThanOrEqual: '6.1.*', status: 'unaffected' },
      { version: '6.6', lessThanOrEqual: '*', status: 'unaffected', versionType: 'original_commit_for_fix' },
    ],
    { defaultStatus: 'affected' },
  )
  verdicts(kernel, {
    '4.0.9': 'unaffected',
    '4.1': 'affected',
    '5.10.199': 'affected',
    '5.10.200': 'unaffected',
    '5.10.201': 'unaffected',
    '5.11': 'affected',
    '6.1.59': 'affected',
    '6.1.61': 'unaffected',
    '6.5': 'affected',
    '6.6': 'unaffected',
    '6.6:rc1': 'affected',
    '6.6:sp1': 'undecided',
  })
  assert.equal(found(kernel, '5.10.3')!.matched, {
    introduced: '4.1',
    fixed: '6.6',
    last_affected: null,
    source: 'cna',
  })
  assert.equal(found(kernel, '5.10.3')!.fixed_versions, ['5.10.200', '6.1.60', '6.6'])
  verdicts(cna([], { defaultStatus: 'affected' }), { '1.0': 'affected', '*': 'undecided' })
  verdicts(cna([], { defaultStatus: 'unaffected' }), { '1.0': 'unaffected' })
  // Everything is affected by default, but only some versions are listed.
  verdicts(cna([{ version: '0', lessThan: '2.0' }], { defaultStatus: 'affected' }), {
    '1.0': 'affected',
    '2.0': 'undecided',
  })
})

match('a patched version of another branch is not affected', () => {
  const hotfix = cna([
    {
      version: '9.0',
      lessThan: '9.0.9',
      changes: [
        { at: '9.0.9', status: 'unaffected' },
        { at: '9.0.4.1', status: 'unaffected' },
      ],
    },
  ])
  verdicts(hotfix, { '9.0.4': 'affected', '9.0.4.1': 'unaffected', '9.0.5': 'affected', '9.0.9': 'unaffected' })
})

match('a listed version that another source states as fixed is undecided', () => {
  const single = cna([{ version: '2.0', lessThan: '2.0' }, { version: '1.0' }])
  const fixed = nvd(['*', { versionEndExcluding: '2.0.0' }])
  verdicts(single, { '1.0': 'affected', '2.0': 'affected' })
  verdicts([...single, ...fixed], { '1.0': 'affected', '2.0': 'undecided', '2.1': 'unaffected' })
  const range = cna([{ version: '2.0' }, { version: '1.5', lessThan: '3.0' }])
  verdicts([...range, ...fixed], { '2.0': 'affected' })
})

match('commits are not evaluated; an entry without a statement counts alone only', () => {
  const git = cna([{ version: '1da177e4c3f4', lessThan: '2f0e1d4c3b2a', versionType: 'git' }], {
    defaultStatus: 'unaffected',
  })
  const custom = cna([{ version: '1da177e4c3f4', lessThan: '653926205741', versionType: 'custom' }])
  const commits = cna([{ version: '1da177e4c3f4d0e1f2a3' }])
  const silent = cna([{ version: 'n/a' }])
  for (const entry of [git, custom, commits, silent]) {
    verdicts(entry, { '1.0': 'undecided', '*': 'undecided' })
    verdicts([...entry, ...nvd(['*', { versionEndExcluding: '2.0' }])], { '1.0': 'affected', '2.0': 'unaffected' })
  }
})

match('an affected statement precedes an undecided one, NVD precedes the CNA', () => {
  const both = [...cna([{ version: '0', lessThan: '3.0' }]), ...nvd(['*', { versionEndExcluding: '2.0' }])]
  assert.is(found(both, '1.0')!.matched!.source, 'nvd')
  assert.equal(found(both, '1.0')!.matched, { introduced: '0', fixed: '2.0', last_affected: null, source: 'nvd' })
  assert.is(found(both, '2.5')!.matched!.source, 'cna')
  assert.is(found(both, '3.0'), null)
  const unclear = [...cna([{ version: 'before 3.0' }]), ...nvd(['*', { versionEndExcluding: '2.0' }])]
  verdicts(unclear, { '1.0': 'affected', '2.5': 'undecided' })
  assert.is(found(unclear, '2.5')!.matched, null)
})

match('entries of other products and of other sources do not count', () => {
  const affected = cna([{ version: '0', lessThan: '3.0' }])
  assert.equal(productEntries([{ ...affected[0]!, product: 'Widget Pro' }], WIDGET), [])
  assert.equal(productEntries([{ ...affected[0]!, source: 'osv' }], WIDGET), [])
  assert.equal(productEntries([{ ...affected[0]!, vendor: null }], WIDGET), [])
})

match('a product of a list is named, with or without its vendor', () => {
  const affected = cna([{ version: '1.0', lessThan: '3.0' }])
  for (const product of ['Acme Widget, Gadget', 'Gadget, Widget', 'ACME Widget']) {
    assert.is(productEntries([{ ...affected[0]!, product }], WIDGET).length, 1, product)
  }
  assert.equal(productEntries([{ ...affected[0]!, product: 'Gadget, Widget and More' }], WIDGET), [])
})

match('a CPE of an entry names its product too, and restricts it', () => {
  const [entry] = cna([{ version: '0', lessThan: '3.0' }], {
    product: 'The Widget',
    cpes: [cpeOf('*:*:*:*:*:wordpress'), 'no cpe', cpeOf('*', 'acme:gadget')],
  })
  verdicts([entry!], { '1.0': 'affected', '1.0:*:*:*:*:joomla': 'unaffected' })
  verdicts([{ ...entry!, cpes: [cpeOf('*', 'acme:gadget')] }], { '1.0': 'unaffected' })
})

match('fixed versions are above the version: numbers first, each once', () => {
  const affected = [
    ...nvd(['*', { versionEndExcluding: '1.10' }], ['*', { versionStartIncluding: '2.0', versionEndExcluding: '2.9' }]),
    ...cna([
      { version: '0', lessThan: '1.10.0' },
      { version: '0', lessThan: '1.9-hf1' },
      { version: '9', lessThan: '9-hf1' },
      { version: '0', lessThan: '0.5' },
    ]),
  ]
  assert.equal(found(affected, '1.9')!.fixed_versions, ['1.10', '2.9', '9-hf1'])
  assert.equal(found(affected, '*')!.fixed_versions, ['1.10', '2.9', '9-hf1'])
})

match('no fixed version is affected', () => {
  const exclusive = nvd(['*', { versionEndExcluding: '24.0.1' }])
  const inclusive = cna([{ version: '0', lessThanOrEqual: '24.0.1' }])
  assert.equal(found(exclusive, '24.0')!.fixed_versions, ['24.0.1'])
  assert.equal(found([...exclusive, ...inclusive], '24.0')!.fixed_versions, [])
  verdicts([...exclusive, ...inclusive], { '24.0.1': 'affected', '24.0.2': 'unaffected' })
  const listed = cna([{ version: '24.0.1' }, { version: '0', lessThanOrEqual: '24.0.1' }])
  assert.equal(found([...exclusive, ...listed], '24.0')!.fixed_versions, [])
  // A version with characters that a name escapes.
  const escaped = cna([{ version: '0', lessThan: '12.2(25) se' }])
  assert.equal(found(escaped, '12.1')!.fixed_versions, ['12.2(25) se'])
})

match('a range whose bound is no version is undecided', () => {
  const office = cna([{ version: '19.0.0', lessThan: 'https://aka.ms/OfficeSecurityReleases' }])
  verdicts(office, { '19.0.0': 'undecided', '20.0': 'undecided', '*': 'undecided' })
  assert.equal(found(office, '19.0.0')!.fixed_versions, [])
  verdicts(cna([{ version: 'pkg:npm/widget@1.0', lessThan: 'pkg:npm/widget@1.5', versionType: 'purl' }]), {
    '1.4': 'affected',
    '1.5': 'unaffected',
  })
})

match('patched versions are compared once, however many ranges contain the version', () => {
  let read = 0
  const count = 50
  const [entry] = cna(
    [
      ...Array.from({ length: count }, (_, i) => ({ lessThan: `${1000 + i}` })),
      ...Array.from({ length: count }, (_, i) => ({ version: `x${i}`, status: 'unaffected' })),
    ],
    { defaultStatus: 'affected' },
  )
  const patched_versions = Object.assign([...entry!.patched_versions!], {
    *[Symbol.iterator]() {
      for (let i = 0; i < count; i++) {
        read++
        yield `x${i}`
      }
    },
  })
  const affected = [{ ...entry!, patched_versions }]
  assert.is(entry!.affected_ranges!.length, count)
  assert.is(entry!.patched_versions!.length, count)
  assert.is(verdictOf(affected, '999'), 'undecided')
  // Once for the verdict, once for the list of fixes, and once for each of the 100 fixes that are evaluated.
  assert.ok(read <= count * (2 + 2 * count), `${read} patched versions were read`)
  read = 0
  assert.is(matchStatements(productEntries(affected, WIDGET)[0]!, readCpe(cpeOf('999')), false), 'undecided')
  assert.is(read, count)
})

match('a record with more statements than are compared is undecided', () => {
  const ranges = (count: number) =>
    cna([{ lessThan: '2.0' }]).map((entry) => ({
      ...entry,
      affected_ranges: Array.from({ length: count }, () => entry.affected_ranges![0]!),
    }))
  // The entry itself counts too.
  assert.equal(found(ranges(MAX_STATEMENTS), '1.0'), TOO_LARGE)
  assert.equal(found(ranges(MAX_STATEMENTS), '2.0'), TOO_LARGE)
  const all = found(ranges(MAX_STATEMENTS - 1), '1.0')!
  assert.equal([all.verdict, all.is_too_large, all.fixed_versions], ['affected', false, ['2.0']])
})

match('an answer makes a bounded number of comparisons: then fixes are left out, and records are undecided', () => {
  const entries = productEntries(cna([{ lessThan: '2.0' }, { lessThan: '3.0' }, { lessThan: '4.0' }]), WIDGET)
  const asked = readCpe(cpeOf('1.0'))
  // An entry with three ranges: four comparisons for its verdict, and four for each fix.
  const budget = { left: 4 * (1 + 3) + 4 }
  const whole = finished(matchCpe(entries, asked, budget))!
  assert.equal([whole.matched!.fixed, whole.fixed_versions], ['2.0', ['4.0']])
  assert.is(budget.left, 4)
  const last = finished(matchCpe(entries, asked, budget))!
  assert.equal([last.verdict, last.matched!.fixed, last.fixed_versions], ['affected', '2.0', []])
  assert.is(finished(matchCpe(entries, asked, budget)), TOO_LARGE)
})

match('a version that is too long is undecided, as request and as statement', () => {
  const long = '1'.repeat(MAX_VERSION_LENGTH + 1)
  const numbers = '1'.repeat(MAX_VERSION_LENGTH)
  for (const affected of [
    cna([{ version: long }]),
    cna([{ lessThan: long }]),
    nvd([long]),
    nvd(['*', { versionEndExcluding: long }]),
  ]) {
    assert.is(verdictOf(affected, '1.0'), 'undecided', JSON.stringify(affected).slice(0, 200))
  }
  verdicts(cna([{ version: numbers }]), { '1.0': 'unaffected', [numbers]: 'affected', [long]: 'undecided' })
  verdicts(nvd([numbers]), { '1.0': 'unaffected', [numbers]: 'affected', [long]: 'undecided' })
})

match('spellings of a vendor and product are one product', () => {
  const id = productOfCpe(readCpe('cpe:/a:apache:http_server'))
  assert.is(joinedProduct('Apache Software Foundation', 'HTTP Server'), id)
  assert.is(joinedProduct('apache', 'http-server'), id)
  assert.is.not(joinedProduct('apache', 'http_server_2'), id)
  for (const cpe of ['cpe:/a:apache', 'cpe:/a:apache:-', 'cpe:/a:apache:http%02', 'cpe:/a:n%2fa:http']) {
    assert.is(productOfCpe(readCpe(cpe)), null, cpe)
  }
  assert.is(joinedProduct(null, 'http_server'), null)
})

match.run()
