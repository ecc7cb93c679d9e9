/** The EPSS history in corpus.db: the editions that were read, and the points of each id block by quarter. */
import { hash } from 'node:crypto'
import type Database from 'better-sqlite3'
import {
  advance,
  BLOCK_IDS,
  type EditionPoints,
  editionText,
  emptyState,
  isEmpty,
  NO_VALUE,
  pointsAfter,
  quarterOf,
  readEditions,
  withEdition,
} from '../model/epss/history.ts'
import { type CveId, cveBlock, isRecordId } from '../model/ids/cve-id.ts'
import { type PackedText, packText, unpackText } from './packed-text.ts'

/** An edition that was read. `path`, `bytes` and `modified` recognize its file without reading it. */
export interface EpssEdition {
  /** `YYYY-MM-DD`. */
  date: string
  model: string
  /** Number of scores. */
  scores: number
  /** Relative to the feeds folder. */
  path: string
  bytes: number
  /** Time of the last change of the file, in ms since 1970. */
  modified: number
  sha256: string
}

/** A score of an edition, in billionths. `percentile` is `NO_VALUE` if the edition states none. */
export interface EditionScore {
  cveId: CveId
  score: number
  percentile: number
}

export interface HistorySegment {
  quarter: string
  points: number
  text: string
}

export interface EpssHistory {
  editions(): EpssEdition[]
  /** Returns the blocks with points. */
  blocks(): string[]
  /** Returns the points of a block by quarter, oldest first. */
  segments(block: string): HistorySegment[]
}

export interface HistoryWriter {
  editions(): EpssEdition[]
  /** Stores the scores of an edition. An edition of the same date is replaced. */
  put(edition: EpssEdition, scores: Iterable<EditionScore>): void
  /** Stores where the file of a known edition is. */
  rename(edition: EpssEdition): void
  /** Writes the changed blocks. Returns the number of points in all blocks. */
  flush(): number
}

const EDITION = 'date, model, scores, path, bytes, modified, sha256'
const SEGMENTS = 'SELECT quarter, points, body FROM epss_history WHERE block = ? ORDER BY quarter'

export function readEpssHistory(database: Database.Database): EpssHistory {
  const segments = database.prepare<[string], { quarter: string; points: number; body: PackedText }>(SEGMENTS)
  const blocks = database.prepare<[], string>('SELECT DISTINCT block FROM epss_history ORDER BY block').pluck()
  return {
    editions: () => readEditionRows(database),
    blocks: () => blocks.all(),
    segments: (block) => segments.all(block).map(({ body, ...segment }) => ({ ...segment, text: unpackText(body) })),
  }
}

const readEditionRows = (database: Database.Database): EpssEdition[] =>
  database.prepare<[], EpssEdition>(`SELECT ${EDITION} FROM epss_edition ORDER BY date`).all()

const DIGEST_BYTES = 16
const digestOf = (content: string): Uint8Array =>
  Uint8Array.from(hash('sha256', content, 'buffer').subarray(0, DIGEST_BYTES))

/** A block in memory. `state` is that after its last edition. */
interface OpenBlock {
  editions: EditionPoints[]
  state: ReturnType<typeof emptyState>
  /** Quarters that have to be written. */
  changed: Set<string>
}

/** Works inside the caller's transaction. Blocks stay in memory until `flush`. */
export function openHistoryWriter(database: Database.Database): HistoryWriter {
  const stored = readEpssHistory(database)
  const editions = new Map(readEditionRows(database).map((edition) => [edition.date, edition]))
  const putEdition = database.prepare(
    'INSERT OR REPLACE INTO epss_edition VALUES (@date, @model, @scores, @path, @bytes, @modified, @sha256)',
  )
  const putSegment = database.prepare(
    `INSERT INTO epss_history (block, quarter, points, digest, body) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET points = excluded.points, digest = excluded.digest, body = excluded.body`,
  )
  const removeSegment = database.prepare('DELETE FROM epss_history WHERE block = ? AND quarter = ?')
  let blocks: Map<string, OpenBlock> | null = null

  function open(block: string): OpenBlock {
    const opened: OpenBlock = { editions: [], state: emptyState(), changed: new Set() }
    for (const { quarter, text } of stored.segments(block)) {
      const read = readEditions(text)
      if (read === null) throw new Error(`the EPSS history of ${block} in ${quarter} cannot be read`)
      opened.editions.push(...read)
    }
    for (const edition of opened.editions) advance(opened.state, edition)
    return opened
  }

  return {
    editions: () => [...editions.values()],
    put(edition, scores) {
      blocks ??= new Map(stored.blocks().map((block) => [block, open(block)]))
      const { date, model } = edition
      const following = [...editions.values()].find((one) => one.date > date) ?? null
      const isLast = following === null && !editions.has(date)
      const found = scoresByBlock(scores)
      for (const block of found.keys()) if (!blocks.has(block)) blocks.set(block, open(block))
      for (const [block, opened] of blocks) {
        const { scores, percentiles } = found.get(block) ?? NOTHING
        const now = { date, model, scores, percentiles }
        if (isLast) {
          const points = pointsAfter(opened.state, now)
          if (isEmpty(points)) continue
          opened.editions.push(points)
          advance(opened.state, points)
        } else {
          opened.editions = withEdition(opened.editions, now, following)
          opened.state = emptyState()
          for (const one of opened.editions) advance(opened.state, one)
          if (following) opened.changed.add(quarterOf(following.date))
        }
        opened.changed.add(quarterOf(date))
      }
      editions.set(date, edition)
      // `following` is looked up in the order of dates.
      const sorted = [...editions].sort(([a], [b]) => (a < b ? -1 : 1))
      editions.clear()
      for (const [key, value] of sorted) editions.set(key, value)
      putEdition.run(edition)
    },
    rename: (edition) => void putEdition.run(edition),
    flush() {
      for (const [block, { editions, changed }] of blocks ?? []) {
        for (const quarter of changed) {
          const inQuarter = editions.filter(({ date }) => quarterOf(date) === quarter)
          if (inQuarter.length === 0) {
            removeSegment.run(block, quarter)
            continue
          }
          const text = inQuarter.map(editionText).join(',')
          const points = inQuarter.reduce((sum, { ids }) => sum + ids.length, 0)
          putSegment.run(block, quarter, points, digestOf(text), packText(text))
        }
        changed.clear()
      }
      return database.prepare<[], number>('SELECT coalesce(sum(points), 0) FROM epss_history').pluck().get()!
    },
  }
}

type BlockScores = Pick<Parameters<typeof pointsAfter>[1], 'scores' | 'percentiles'>

const noScores = (): BlockScores => ({
  scores: new Uint32Array(BLOCK_IDS).fill(NO_VALUE),
  percentiles: new Uint32Array(BLOCK_IDS).fill(NO_VALUE),
})
const NOTHING = noScores()

/** The last score of an id counts. No record can have an id with another spelling of its number. */
function scoresByBlock(scores: Iterable<EditionScore>): Map<string, BlockScores> {
  const blocks = new Map<string, BlockScores>()
  let last = { name: '', block: NOTHING }
  for (const { cveId, score, percentile } of scores) {
    if (!isRecordId(cveId)) continue
    const name = cveBlock(cveId)
    // Scores of a block usually follow each other.
    if (name !== last.name) {
      const block = blocks.get(name) ?? noScores()
      blocks.set(name, block)
      last = { name, block }
    }
    const id = Number(cveId.slice(-3))
    last.block.scores[id] = score
    last.block.percentiles[id] = percentile
  }
  return blocks
}
