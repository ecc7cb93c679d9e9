/** The sample compared to the real figures; corpus/sample/figures.ts describes their measurement. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveRecord } from '../../../corpus/sample/records/record.ts'
import { cisaOf, cnaOf, near, published, quantile, recent, share } from './sampled-records.ts'

function quantilesNear(values: readonly number[], real: Record<string, number>, tolerance: number): void {
  for (const [part, value] of Object.entries(real))
    near(`quantile ${part}`, quantile(values, Number(part)), value, tolerance)
}

test('descriptions are as long as real ones', () => {
  const lengths = recent.map((one) => cnaOf(one).descriptions[0]!.value.length)
  quantilesNear(lengths, { 0.1: 117, 0.25: 172, 0.5: 265, 0.75: 443, 0.9: 648, 0.95: 927, 0.99: 2805 }, 0.25)
  assert.ok(Math.max(...lengths) <= 4096)
})

test('as many records have a title, a score, a weakness, and so on, as real ones', () => {
  const real: Record<string, [share: number, tolerance: number, holds: (one: CveRecord) => boolean]> = {
    title: [0.624, 0.15, (one) => cnaOf(one).title !== undefined],
    metrics: [0.665, 0.15, (one) => cnaOf(one).metrics !== undefined],
    'a CWE': [0.657, 0.15, (one) => JSON.stringify(cnaOf(one).problemTypes ?? '').includes('CWE-')],
    markup: [0.302, 0.1, (one) => cnaOf(one).descriptions.some((text) => text.supportingMedia)],
    'the root CNA': [0.165, 0.1, (one) => one.cveMetadata.assignerShortName === 'mirador'],
    'git ranges': [0.07, 0.25, (one) => cnaOf(one).affected[0]!.versions?.[0]?.versionType === 'git'],
  }
  for (const [name, [part, tolerance, holds]] of Object.entries(real)) near(name, share(recent, holds), part, tolerance)
})

test('references and affected entries have the real long tails, and one record in twenty is wide', () => {
  const references = recent.map((one) => cnaOf(one).references.length)
  quantilesNear(references, { 0.5: 1, 0.75: 3, 0.9: 4, 0.95: 6, 0.99: 10 }, 0.01)
  const entries = published.map((one) => cnaOf(one).affected.length)
  quantilesNear(entries, { 0.8: 1, 0.92: 2 }, 0)
  const wide = share(entries, (count) => count >= 50)
  near('50 and more entries', wide, 0.05, 0.15)
  assert.ok(Math.max(...entries) <= 160)
})

test('CVSS scores fall into the real bands, in every version', () => {
  const metrics = recent.flatMap((one) => cnaOf(one).metrics ?? [])
  const of = (key: string) => metrics.flatMap((one) => (one[key] as { baseSeverity: string } | undefined) ?? [])
  const three = [...of('cvssV3_1'), ...of('cvssV3_0')]
  for (const [band, real] of Object.entries({ MEDIUM: 0.504, HIGH: 0.338, CRITICAL: 0.086, LOW: 0.071 })) {
    const found = share(three, (one) => one.baseSeverity === band)
    near(band, found, real, 0.3)
  }
  for (const [key, real] of Object.entries({ cvssV3_1: 0.589, cvssV4_0: 0.065, cvssV2_0: 0.062 })) {
    const found = share(recent, (one) => (cnaOf(one).metrics ?? []).some((metric) => metric[key]))
    near(key, found, real, 0.3)
  }
})

test('CISA has assessed recent records, as it assesses them', () => {
  const since2024 = recent.filter((one) => !one.cveMetadata.cveId.startsWith('CVE-2023'))
  const assessedShare = share(since2024, (one) => cisaOf(one) !== undefined)
  near('assessed from 2024 on', assessedShare, 0.92, 0.03)
  const texts = recent.flatMap((one) => cisaOf(one) ?? []).map((one) => JSON.stringify(one.metrics))
  assert.ok(texts.every((one) => one.includes('"ssvc"')))
  for (const [answer, real] of [
    ['"Exploitation":"poc"', 0.188],
    ['"Automatable":"yes"', 0.19],
    ['"Technical Impact":"total"', 0.36],
    ['cvssV3_1', 0.155],
  ] as const) {
    const found = share(texts, (one) => one.includes(answer))
    near(answer, found, real, 0.3)
  }
})

test.run()
