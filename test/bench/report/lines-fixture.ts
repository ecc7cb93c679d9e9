/** Lines as a run can produce them, for the tests of reports. */
import type { BenchLine } from './line.ts'

export function lineOf(given: Partial<BenchLine> = {}): BenchLine {
  return {
    name: 'http/page25',
    title: 'page of 25 rows',
    cves: 13_000,
    unit: 'requests/s',
    figure: 8123.4,
    reference: { title: 'a constant body', figure: 10_000 },
    ratio: { median: 0.8123, min: 0.75, max: 0.9 },
    growth: null,
    budget: { of: 'ratio', least: 0.7 },
    details: { 'p99 ms': 1.234, 'bytes read/request': 5000 },
    ...given,
  }
}

/** Lines with every kind of cell, one without optional cells, and one that misses its budget. */
export const LINES: readonly BenchLine[] = [
  lineOf(),
  lineOf({ cves: 350_000, growth: { median: 0.97, min: 0.9, max: 1.01 }, ratio: { median: 0.65, min: 0.6, max: 0.7 } }),
  lineOf({
    name: 'build/memory',
    title: 'most memory',
    unit: 'MB',
    figure: 1600.7,
    reference: null,
    ratio: null,
    budget: { of: 'figure', most: 1500 },
    details: {},
  }),
  lineOf({ name: 'http/node', reference: null, ratio: null, budget: null, details: {} }),
]
