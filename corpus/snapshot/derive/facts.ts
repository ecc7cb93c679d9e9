/** Values from each CVE's JSON that lists and filters need. */
import { type CveCore, type Facets, RECORD_TAGS, SEVERITIES } from '../../model/record.ts'
import { packExposure, packSsvc } from './facets.ts'

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
  /** Day of the KEV listing, milliseconds since the epoch; NaN for null. */
  kevAdded: Float64Array
  /** The tags of the CNA: bit `i` is `RECORD_TAGS[i]`. */
  tags: Uint8Array
  /** Packed facets (facets.ts). */
  ssvc: Uint8Array
  exposure: Uint8Array
  /** 1 if the CNA itself states a CVSS score (rule 25). */
  cnaCvss: Uint8Array
}

export const FLAGS = {
  kev: 1,
  has_exploit: 2,
  has_patch: 4,
  has_detection: 8,
  has_workaround: 16,
  reserved: 32,
} as const

/** The index of a severity band is its code. */
export { SEVERITIES }
export const NO_SEVERITY = 255
export const NO_ASSIGNER = 0xffff

/** Collects facts CVE by CVE in id order. */
export interface FactCollector {
  read(core: CveCore, facets: Facets, hasCnaCvss: boolean): void
  facts(): Facts
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
    kevAdded: new Float64Array(count),
    tags: new Uint8Array(count),
    ssvc: new Uint8Array(count),
    exposure: new Uint8Array(count),
    cnaCvss: new Uint8Array(count),
  }
  const weaknesses: number[] = []
  const assigners = new Map<string, number>()
  const assignerPosition = (name: string | null) => (name === null ? NO_ASSIGNER : positionIn(assigners, name))
  return {
    read(core, facets, hasCnaCvss) {
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
      out.kevAdded[i] = timeOf(core.kev.date_added)
      out.tags[i] = facets.tags.reduce((bits, tag) => bits | (1 << RECORD_TAGS.indexOf(tag)), 0)
      out.ssvc[i] = packSsvc(core.ssvc)
      out.exposure[i] = packExposure(facets.exposure)
      out.cnaCvss[i] = Number(hasCnaCvss)
    },
    facts: () => ({ ...out, assigners: [...assigners.keys()], weaknesses: Uint32Array.from(weaknesses) }),
  }
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
