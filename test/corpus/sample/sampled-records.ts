/** Records of a sample, and helpers to compare them with real figures. */
import * as assert from 'uvu/assert'
import type { AdpContainer, CnaContainer } from '../../../corpus/sample/records/containers.ts'
import { type CveRecord, cveRecord } from '../../../corpus/sample/records/record.ts'
import { createWorld } from '../../../corpus/sample/world.ts'

export function records(cves: number): CveRecord[] {
  const world = createWorld(1, cves, 2)
  return Array.from({ length: cves }, (_, index) => cveRecord(world, world.facts(index), 0))
}

export const large = records(20_000)
export const published = large.filter((one) => one.cveMetadata.state === 'PUBLISHED')
/** The figures were measured in records from 2023 on. */
export const recent = published.filter((one) => Number(one.cveMetadata.cveId.slice(4, 8)) >= 2023)
export const cnaOf = (record: CveRecord) => record.containers.cna as CnaContainer
export const cisaOf = (record: CveRecord): AdpContainer | undefined =>
  record.containers.adp?.find((one) => one.providerMetadata.shortName === 'CISA-ADP')

export function share<T>(list: readonly T[], holds: (one: T) => boolean): number {
  return list.filter(holds).length / list.length
}

/** Asserts that `found` equals `real` within `tolerance`, a share of it. */
export function near(name: string, found: number, real: number, tolerance: number): void {
  const low = real * (1 - tolerance)
  const high = real * (1 + tolerance)
  assert.ok(found >= low && found <= high, `${name}: ${found} is not within ${low} to ${high}`)
}

export function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(part * values.length)]!
}
