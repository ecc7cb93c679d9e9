/** The sample compared to the real figures; corpus/sample/figures.ts describes their measurement. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Affected } from '../../../corpus/sample/records/affected.ts'
import type { CveRecord } from '../../../corpus/sample/records/record.ts'
import { cisaOf, cnaOf, near, published, quantile, recent, share } from './sampled-records.ts'

test('descriptions are as long as real ones', () => {
  const lengths = recent.map((one) => cnaOf(one).descriptions[0]!.value.length)
  for (const [part, real] of [
    [0.1, 117],
    [0.25, 172],
    [0.5, 265],
    [0.75, 443],
    [0.9, 648],
    [0.95, 927],
    [0.99, 2805],
  ] as const) {
    near(`quantile ${part}`, quantile(lengths, part), real, 0.2)
  }
  assert.ok(Math.max(...lengths) <= 4096)
})

test('titles are as long as real ones', () => {
  const lengths = recent.flatMap((one) => cnaOf(one).title?.length ?? [])
  for (const [part, real] of [
    [0.1, 39],
    [0.25, 52],
    [0.5, 69],
    [0.75, 88],
    [0.9, 103],
    [0.95, 114],
    [0.99, 154],
  ] as const) {
    near(`quantile ${part}`, quantile(lengths, part), real, 0.15)
  }
  assert.ok(Math.max(...lengths) <= 256)
})

test('as many records have a title, a score, a weakness, and so on, as real ones', () => {
  const real: Record<string, [share: number, tolerance: number, holds: (one: CveRecord) => boolean]> = {
    title: [0.624, 0.1, (one) => cnaOf(one).title !== undefined],
    metrics: [0.665, 0.1, (one) => cnaOf(one).metrics !== undefined],
    problemTypes: [0.903, 0.1, (one) => cnaOf(one).problemTypes !== undefined],
    'a CWE': [0.657, 0.1, (one) => JSON.stringify(cnaOf(one).problemTypes ?? '').includes('CWE-')],
    credits: [0.365, 0.25, (one) => cnaOf(one).credits !== undefined],
    solutions: [0.13, 0.25, (one) => cnaOf(one).solutions !== undefined],
    workarounds: [0.018, 0.4, (one) => cnaOf(one).workarounds !== undefined],
    markup: [0.302, 0.1, (one) => cnaOf(one).descriptions.some((text) => text.supportingMedia)],
    'a description beyond ASCII': [0.1135, 0.25, (one) => /[^\0-\x7f]/.test(cnaOf(one).descriptions[0]!.value)],
    'vendor n/a': [0.186, 0.15, (one) => cnaOf(one).affected[0]!.vendor === 'n/a'],
    'the root CNA': [0.165, 0.1, (one) => one.cveMetadata.assignerShortName === 'mirador'],
    'a German description': [0.061, 0.2, (one) => cnaOf(one).descriptions.some((text) => text.lang === 'de')],
    'only version n/a': [
      0.167,
      0.15,
      (one) =>
        cnaOf(one).affected[0]!.versions?.[0]?.version === 'n/a' && !cnaOf(one).affected[0]!.versions?.[0]?.versionType,
    ],
    'git ranges': [0.07, 0.25, (one) => cnaOf(one).affected[0]!.versions?.[0]?.versionType === 'git'],
    'comparators in the version': [
      0.057,
      0.45,
      (one) => /^[<>=]/.test(cnaOf(one).affected[0]!.versions?.[0]?.version ?? ''),
    ],
    changes: [0.07, 0.3, (one) => cnaOf(one).affected[0]!.versions?.[0]?.changes !== undefined],
  }
  for (const [name, [part, tolerance, holds]] of Object.entries(real)) near(name, share(recent, holds), part, tolerance)
})

test('references and affected entries have the real long tails, and one record in twenty is wide', () => {
  const references = recent.map((one) => cnaOf(one).references.length)
  for (const [part, real] of [
    [0.5, 1],
    [0.75, 3],
    [0.9, 4],
    [0.95, 6],
    [0.99, 10],
  ] as const) {
    near(`references at ${part}`, quantile(references, part), real, 0.01)
  }
  const entries = published.map((one) => cnaOf(one).affected.length)
  assert.is(quantile(entries, 0.8), 1)
  assert.is(quantile(entries, 0.9), 2)
  near(
    '50 and more entries',
    share(entries, (count) => count >= 50),
    0.05,
    0.15,
  )
  assert.ok(Math.max(...entries) <= 160)
})

test('CVSS scores fall into the real bands, in the real versions', () => {
  const metrics = recent.flatMap((one) => cnaOf(one).metrics ?? [])
  const of = (key: string) =>
    metrics.flatMap((one) => (one[key] as { baseScore: number; baseSeverity: string } | undefined) ?? [])
  const three = [...of('cvssV3_1'), ...of('cvssV3_0')]
  for (const [band, real] of [
    ['MEDIUM', 0.504],
    ['HIGH', 0.338],
    ['CRITICAL', 0.086],
    ['LOW', 0.071],
  ] as const) {
    near(
      band,
      share(three, (one) => one.baseSeverity === band),
      real,
      0.3,
    )
  }
  near(
    '3.1',
    share(recent, (one) => (cnaOf(one).metrics ?? []).some((metric) => metric.cvssV3_1)),
    0.589,
    0.1,
  )
  near(
    '4.0',
    share(recent, (one) => (cnaOf(one).metrics ?? []).some((metric) => metric.cvssV4_0)),
    0.065,
    0.25,
  )
  near(
    '2.0',
    share(recent, (one) => (cnaOf(one).metrics ?? []).some((metric) => metric.cvssV2_0)),
    0.062,
    0.25,
  )
})

test('weaknesses, CNAs, vendors and products have long tails', () => {
  const count = (values: (string | undefined)[]) => {
    const found = new Map<string, number>()
    for (const value of values) if (value !== undefined) found.set(value, (found.get(value) ?? 0) + 1)
    return [...found.values()].sort((a, b) => b - a)
  }
  // As many as were measured, so that the numbers of distinct values are comparable.
  const same = recent.slice(0, 4148)
  const weaknesses = count(same.map((one) => cnaOf(one).problemTypes?.[0]?.descriptions[0]?.cweId))
  near('different weaknesses', weaknesses.length, 255, 0.25)
  near('the first weakness', weaknesses[0]! / same.length, 0.11, 0.35)
  const cnas = count(same.map((one) => one.cveMetadata.assignerShortName))
  near('different CNAs', cnas.length, 221, 0.15)
  for (const [rank, real] of [
    [2, 437],
    [3, 287],
    [10, 66],
    [20, 36],
    [50, 10],
  ] as const)
    near(`CNA ${rank}`, cnas[rank - 1]!, real, 0.3)
  const vendors = count(same.map((one) => cnaOf(one).affected[0]!.vendor))
  near('different vendors', vendors.length, 1300, 0.2)
  near('vendors that occur once', vendors.filter((one) => one === 1).length, 1001, 0.2)
  const products = count(same.map((one) => `${cnaOf(one).affected[0]!.vendor}/${cnaOf(one).affected[0]!.product}`))
  near('different products', products.length, 2187, 0.25)
})

test('vendors and products become more with the number of records as the real ones do', () => {
  const different = (list: readonly CveRecord[], key: (one: Affected) => string) => {
    const entries = list.flatMap((one) => [
      ...cnaOf(one).affected,
      ...(one.containers.adp ?? []).flatMap((adp) => adp.affected ?? []),
    ])
    return new Set(entries.map(key)).size
  }
  const vendor = (one: Affected) => (one.vendor ?? '').toLowerCase().replaceAll(' ', '_')
  const product = (one: Affected) => `${vendor(one)}/${(one.product ?? '').toLowerCase().replaceAll(' ', '_')}`
  // An even selection of 2,000 and of 4,000.
  const few = recent.filter((_, i) => i % 3 === 0).slice(0, 2000)
  const many = [...few, ...recent.filter((_, i) => i % 3 === 1).slice(0, 2000)]
  assert.is(many.length, 4000)
  near('vendors of 4,000', different(many, vendor), 1820, 0.25)
  near('more vendors', different(many, vendor) / different(few, vendor), 1.69, 0.1)
  near('more products', different(many, product) / different(few, product), 1.62, 0.1)
  // Twice the real number, because there are many wide records.
  near('products of 4,000', different(many, product), 8700, 0.2)
})

test('CISA has assessed recent records, as it assesses them', () => {
  const assessed = recent.flatMap((one) => cisaOf(one) ?? [])
  near(
    'assessed from 2024 on',
    share(
      recent.filter((one) => !one.cveMetadata.cveId.startsWith('CVE-2023')),
      (one) => cisaOf(one) !== undefined,
    ),
    0.92,
    0.03,
  )
  const points = assessed.map((one) => one.metrics!.find((metric) => JSON.stringify(metric).includes('"ssvc"')))
  assert.ok(points.every((one) => one !== undefined))
  const text = points.map((one) => JSON.stringify(one).toLowerCase())
  near(
    'poc',
    share(text, (one) => one.includes('"exploitation":"poc"')),
    0.188,
    0.15,
  )
  near(
    'automatable',
    share(text, (one) => one.includes('"automatable":"yes"')),
    0.19,
    0.15,
  )
  near(
    'total',
    share(text, (one) => one.includes('"technical impact":"total"')),
    0.36,
    0.15,
  )
  near(
    'affected',
    share(assessed, (one) => one.affected !== undefined),
    0.4465,
    0.1,
  )
  near(
    'CVSS',
    share(assessed, (one) => JSON.stringify(one.metrics).includes('cvssV3_1')),
    0.155,
    0.2,
  )
})

test.run()
