/**
 * Values from each CVE's JSON that lists and filters need, as a table for reuse by later builds. Reading it takes a
 * tenth of the time of inflating and parsing the JSON.
 */
import type { CveCore, Facets } from '../../model/record.ts'
import { column, decodeTable, encodeTable } from '../codec/table.ts'
import { SnapshotError } from '../error.ts'

/** The facts of the CVEs of one shard. Entry `i` of each list is CVE `i` in id order. */
export interface Facts {
  titles: (string | null)[]
  /** Milliseconds since the epoch; NaN for null. */
  published: Float64Array
  updated: Float64Array
  /** NaN for null. */
  score: Float64Array
  /** Indices into `SEVERITIES`; `NO_SEVERITY` for null. */
  severity: Uint8Array
  flags: Uint8Array
  /** Distinct assigners, and the index of each CVE's assigner; `NO_ASSIGNER` for null. */
  assigners: string[]
  assigner: Uint16Array
  /** Number of the primary weakness; 0 for none. */
  primaryCwe: Uint32Array
  /** Weakness numbers, grouped by CVE, and their count per CVE. */
  weaknesses: Uint32Array
  weaknessCounts: Uint32Array
  /** Completeness of the CNA's statement, 0 to 100 (rule 25). */
  completeness: Uint8Array
}

export const FLAGS = {
  kev: 1,
  has_exploit: 2,
  has_patch: 4,
  has_detection: 8,
  has_workaround: 16,
  reserved: 32,
} as const

/** The severity bands; the index is the code. */
export const SEVERITIES = ['none', 'low', 'medium', 'high', 'critical'] as const
export const NO_SEVERITY = 255
export const NO_ASSIGNER = 0xffff

/** The columns with one number per CVE, which are copied unchanged. */
const NUMBERS = {
  published: 'f64',
  updated: 'f64',
  score: 'f64',
  severity: 'u8',
  flags: 'u8',
  primaryCwe: 'u32',
  weaknessCounts: 'u32',
  completeness: 'u8',
} as const
const NUMBER_NAMES = Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]

/** Collects facts CVE by CVE in id order, from its JSON or from earlier facts. */
export interface FactCollector {
  read(core: CveCore, facets: Facets): void
  copy(from: OrderedFacts, position: number): void
  facts(): Facts
}

export interface OrderedFacts {
  facts: Facts
  weaknessAt: Uint32Array
}

export function factCollector(count: number): FactCollector {
  const out: Facts = {
    titles: [],
    published: new Float64Array(count),
    updated: new Float64Array(count),
    score: new Float64Array(count),
    severity: new Uint8Array(count),
    flags: new Uint8Array(count),
    assigners: [],
    assigner: new Uint16Array(count),
    primaryCwe: new Uint32Array(count),
    weaknesses: new Uint32Array(),
    weaknessCounts: new Uint32Array(count),
    completeness: new Uint8Array(count),
  }
  const weaknesses: number[] = []
  const assigners = new Map<string, number>()
  const assignerPosition = (name: string | null) => (name === null ? NO_ASSIGNER : positionIn(assigners, name))
  return {
    read(core, facets) {
      const i = out.titles.length
      out.titles.push(core.title)
      out.published[i] = timeOf(core.date_published)
      out.updated[i] = timeOf(core.date_updated)
      out.score[i] = core.cvss_score ?? Number.NaN
      out.severity[i] = core.severity ? SEVERITIES.indexOf(core.severity) : NO_SEVERITY
      out.flags[i] = flagsOf(core)
      out.assigner[i] = assignerPosition(core.assigner)
      out.primaryCwe[i] = core.primary_cwe_id ? cweNumber(core.primary_cwe_id) : 0
      for (const id of facets.weaknesses) weaknesses.push(cweNumber(id))
      out.weaknessCounts[i] = facets.weaknesses.length
      out.completeness[i] = facets.completeness
    },
    copy({ facts, weaknessAt }, position) {
      const i = out.titles.length
      out.titles.push(facts.titles[position]!)
      for (const name of NUMBER_NAMES) out[name][i] = facts[name][position]!
      out.assigner[i] = assignerPosition(facts.assigners[facts.assigner[position]!] ?? null)
      for (let at = weaknessAt[position]!; at < weaknessAt[position + 1]!; at++) weaknesses.push(facts.weaknesses[at]!)
    },
    facts: () => ({ ...out, assigners: [...assigners.keys()], weaknesses: Uint32Array.from(weaknesses) }),
  }
}

export function encodeFacts(facts: Facts): Buffer {
  const { titles, assigners, assigner, weaknesses } = facts
  const numbers = Object.fromEntries(NUMBER_NAMES.map((name) => [name, facts[name]]))
  return encodeTable({ about: { titles, assigners }, columns: { ...numbers, assigner, weaknesses } })
}

/** @throws SnapshotError `malformed` */
export function decodeFacts(bytes: Uint8Array): OrderedFacts {
  const table = decodeTable(bytes)
  const { titles, assigners } = table.about as Partial<Facts>
  const facts = {
    titles: titles ?? [],
    assigners: assigners ?? [],
    assigner: column(table, 'assigner', 'u16'),
    weaknesses: column(table, 'weaknesses', 'u32'),
    ...Object.fromEntries(NUMBER_NAMES.map((name) => [name, column(table, name, NUMBERS[name])])),
  } as Facts
  const count = facts.titles.length
  const weaknessAt = new Uint32Array(count + 1)
  for (let i = 0; i < count; i++) weaknessAt[i + 1] = weaknessAt[i]! + facts.weaknessCounts[i]!
  const even = [facts.assigner, ...NUMBER_NAMES.map((name) => facts[name])].every(({ length }) => length === count)
  if (!even || weaknessAt[count] !== facts.weaknesses.length) {
    throw new SnapshotError('malformed', 'facts are of different lengths')
  }
  return { facts, weaknessAt }
}

/** Returns the index of a text; adds the text when it is new. */
export function positionIn(positions: Map<string, number>, text: string): number {
  let position = positions.get(text)
  if (position === undefined) {
    position = positions.size
    positions.set(text, position)
  }
  return position
}

function flagsOf(core: CveCore): number {
  let flags = 0
  if (core.kev.listed) flags |= FLAGS.kev
  if (core.has_exploit) flags |= FLAGS.has_exploit
  if (core.has_patch) flags |= FLAGS.has_patch
  if (core.has_detection) flags |= FLAGS.has_detection
  if (core.has_workaround) flags |= FLAGS.has_workaround
  if (core.state === 'RESERVED') flags |= FLAGS.reserved
  return flags
}

const timeOf = (text: string | null): number => (text === null ? Number.NaN : Date.parse(text))

/** Returns 79 for `cwe-79`. */
export const cweNumber = (id: string): number => Number(id.slice('cwe-'.length))
