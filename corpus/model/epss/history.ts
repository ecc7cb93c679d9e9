/**
 * The EPSS history of the CVEs of one id block (`cveBlock`): a point where the score or the model changed. RULES.md,
 * rule 33; SPEC.md, "EPSS history".
 */

/** Ids of a block: the last three digits of the number. */
export const BLOCK_IDS = 1000

/** In billionths. It marks that an edition has no score of an id, or states no percentile. */
export const NO_VALUE = 0xffffffff

/** What an edition changed in a block, compared with the edition before. */
export interface EditionPoints {
  /** `YYYY-MM-DD`. */
  date: string
  model: string
  /** The last three digits of each number. */
  ids: Uint16Array
  /** In billionths. */
  scores: Uint32Array
  /** In billionths, or `NO_VALUE` if unknown. */
  percentiles: Uint32Array
  /** Ids that the edition before had, and this one has not. */
  absent: Uint16Array
}

/** The scores of an edition in a block: for each id, billionths or `NO_VALUE`. */
export interface EditionScores {
  date: string
  model: string
  scores: Uint32Array
  percentiles: Uint32Array
}

/** A point of one CVE. */
export interface EpssPoint {
  date: string
  score: number
  percentile: number | null
  modelVersion: string
}

/** The state of a block after an edition. `models` is only valid where there is a score. */
export interface BlockState {
  scores: Uint32Array
  models: string[]
}

export function emptyState(): BlockState {
  return { scores: new Uint32Array(BLOCK_IDS).fill(NO_VALUE), models: Array<string>(BLOCK_IDS).fill('') }
}

/** Applies what an edition changed. */
export function advance({ scores, models }: BlockState, { model, ids, scores: changed, absent }: EditionPoints): void {
  for (let i = 0; i < ids.length; i++) {
    scores[ids[i]!] = changed[i]!
    models[ids[i]!] = model
  }
  for (const id of absent) scores[id] = NO_VALUE
}

/** Returns what an edition changed, compared with the state before it. Points without a known percentile are last. */
export function pointsAfter(before: BlockState, { date, model, scores, percentiles }: EditionScores): EditionPoints {
  const changed: number[] = []
  const absent: number[] = []
  for (let id = 0; id < BLOCK_IDS; id++) {
    const score = scores[id]!
    if (score === NO_VALUE) {
      if (before.scores[id] !== NO_VALUE) absent.push(id)
    } else if (score !== before.scores[id] || model !== before.models[id]) changed.push(id)
  }
  // In this order, differences are small numbers: NO_VALUE is the largest percentile.
  changed.sort((a, b) => percentiles[a]! - percentiles[b]! || scores[a]! - scores[b]! || a - b)
  return {
    date,
    model,
    ids: Uint16Array.from(changed),
    scores: Uint32Array.from(changed, (id) => scores[id]!),
    percentiles: Uint32Array.from(changed, (id) => percentiles[id]!),
    absent: Uint16Array.from(absent),
  }
}

export const isEmpty = ({ ids, absent }: EditionPoints): boolean => ids.length === 0 && absent.length === 0

/**
 * Returns the editions of a block with one more, or with other scores of a known one. The state after each other edition
 * stays the same. `following` is the next known edition, which may have no points in this block. Points that it gets
 * have no percentile, because only its file states it.
 */
export function withEdition(
  editions: readonly EditionPoints[],
  edition: EditionScores,
  following: Pick<EditionPoints, 'date' | 'model'> | null,
): EditionPoints[] {
  const earlier = editions.filter(({ date }) => date < edition.date)
  const state = emptyState()
  for (const one of earlier) advance(state, one)
  const points = pointsAfter(state, edition)
  const result = isEmpty(points) ? earlier : [...earlier, points]
  if (following === null) return result

  const old = editions.find(({ date }) => date === edition.date)
  const next = editions.find(({ date }) => date === following.date)
  const percentiles = new Uint32Array(BLOCK_IDS).fill(NO_VALUE)
  next?.ids.forEach((id, i) => {
    percentiles[id] = next.percentiles[i]!
  })
  const later = { scores: state.scores.slice(), models: [...state.models] }
  for (const one of [old, next]) if (one) advance(later, one)
  advance(state, points)
  const moved = pointsAfter(state, { ...following, scores: later.scores, percentiles })
  return [...result, ...(isEmpty(moved) ? [] : [moved]), ...editions.filter(({ date }) => date > following.date)]
}

const DECIMALS = 9
/** EPSS publishes five decimals since 2021. */
const USUAL_DECIMALS = 5
const USUAL_UNIT = 10 ** (DECIMALS - USUAL_DECIMALS)

/** Returns the JSON of an edition: SPEC.md, "EPSS history". */
export function editionText({ date, model, ids, scores, percentiles, absent }: EditionPoints): string {
  const known = percentiles.subarray(0, knownPercentiles(percentiles))
  const isUsual = [scores, known].every((values) => values.every((value) => value % USUAL_UNIT === 0))
  const unit = isUsual ? USUAL_UNIT : 1
  return JSON.stringify({
    date,
    model,
    decimals: isUsual ? USUAL_DECIMALS : DECIMALS,
    ids: Array.from(ids),
    scores: differences(scores, unit),
    percentiles: differences(known, unit),
    ...(absent.length === 0 ? {} : { absent: Array.from(absent) }),
  })
}

const knownPercentiles = (percentiles: Uint32Array): number => {
  const first = percentiles.indexOf(NO_VALUE)
  return first < 0 ? percentiles.length : first
}

function differences(values: Uint32Array, unit: number): number[] {
  let last = 0
  return Array.from(values, (value) => {
    const difference = value / unit - last
    last = value / unit
    return difference
  })
}

/** Returns the editions of a text of `editionText`s, joined by commas; null if it is not one. */
export function readEditions(text: string): EditionPoints[] | null {
  const editions: EditionPoints[] = []
  const parsed = parsedEditions(text)
  if (parsed === null) return null
  for (const { date, model, unit, ids, scores, percentiles, absent } of parsed) {
    const [ofIds, ofAbsent] = [idsIn(ids), idsIn(absent)]
    const ofScores = sums(scores, ids.length, unit)
    const ofPercentiles = sums(percentiles, ids.length, unit)
    if (!ofIds || !ofAbsent || !ofScores || !ofPercentiles || ofScores.includes(NO_VALUE)) return null
    if ((editions.at(-1)?.date ?? '') >= date) return null
    editions.push({ date, model, ids: ofIds, scores: ofScores, percentiles: ofPercentiles, absent: ofAbsent })
  }
  return editions
}

interface ParsedEdition {
  date: string
  model: string
  /** Billionths of a number in `scores` and `percentiles`. */
  unit: number
  ids: unknown[]
  scores: unknown[]
  percentiles: unknown[]
  absent: unknown[]
}

/** Checks everything but the elements of the lists. */
function parsedEditions(text: string): ParsedEdition[] | null {
  let entries: unknown
  try {
    entries = JSON.parse(`[${text}]`)
  } catch {
    return null
  }
  const editions: ParsedEdition[] = []
  for (const entry of entries as unknown[]) {
    if (typeof entry !== 'object' || entry === null) return null
    const { date, model, decimals, ids, scores, percentiles, absent = [] } = entry as Record<string, unknown>
    if (typeof date !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(date) || typeof model !== 'string') return null
    if (decimals !== USUAL_DECIMALS && decimals !== DECIMALS) return null
    const lists = [ids, scores, percentiles, absent]
    if (!lists.every(Array.isArray)) return null
    const [ofIds, ofScores, ofPercentiles, ofAbsent] = lists as [unknown[], unknown[], unknown[], unknown[]]
    if (ofIds.length > BLOCK_IDS || ofScores.length !== ofIds.length) return null
    const values = { ids: ofIds, scores: ofScores, percentiles: ofPercentiles, absent: ofAbsent }
    editions.push({ date, model, unit: 10 ** (DECIMALS - decimals), ...values })
  }
  return editions
}

/** Returns null if there is another value than an id, or one id twice. */
function idsIn(values: readonly unknown[]): Uint16Array | null {
  if (values.length > BLOCK_IDS || new Set(values).size !== values.length) return null
  const isId = (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) < BLOCK_IDS
  return values.every(isId) ? Uint16Array.from(values as number[]) : null
}

const ONE = 10 ** DECIMALS

/** Returns `count` values, the last ones `NO_VALUE`; null if one is no fraction. */
function sums(differences: readonly unknown[], count: number, unit: number): Uint32Array | null {
  if (differences.length > count) return null
  const values = new Uint32Array(count).fill(NO_VALUE)
  let sum = 0
  for (let i = 0; i < differences.length; i++) {
    sum += differences[i] as number
    if (!Number.isInteger(sum) || sum < 0 || sum * unit > ONE) return null
    values[i] = sum * unit
  }
  return values
}

/**
 * Returns the points of an id, oldest first, in texts of `editionText`s; null if a text is not one. An id that was absent
 * for some editions has a point only if its score or model is another than before. Other ids are not checked.
 */
export function pointsIn(texts: readonly string[], id: number): EpssPoint[] | null {
  const points: EpssPoint[] = []
  let last = { score: NO_VALUE, model: '' }
  for (const text of texts) {
    const entries = parsedEditions(text)
    if (entries === null) return null
    for (const { date, model, unit, ids, scores, percentiles } of entries) {
      const at = ids.indexOf(id)
      if (at < 0) continue
      const score = sumUpTo(scores, at, unit)
      const percentile = at < percentiles.length ? sumUpTo(percentiles, at, unit) : NO_VALUE
      if (score === null || percentile === null) return null
      if (score === last.score && model === last.model) continue
      last = { score, model }
      const isKnown = percentile !== NO_VALUE
      points.push({ date, score: score / ONE, percentile: isKnown ? percentile / ONE : null, modelVersion: model })
    }
  }
  return points
}

/** Returns null if a value up to `at` is no fraction. */
function sumUpTo(differences: readonly unknown[], at: number, unit: number): number | null {
  let sum = 0
  for (let i = 0; i <= at; i++) sum += differences[i] as number
  return Number.isInteger(sum) && sum >= 0 && sum * unit <= ONE ? sum * unit : null
}

/** The quarter of a date, such as `2026-Q3`. */
export const quarterOf = (date: string): string => `${date.slice(0, 4)}-Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`
