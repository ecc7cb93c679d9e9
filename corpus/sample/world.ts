/**
 * The world that a sample tells of: which CVEs there are, when each was published, by whom, about what, what happens to
 * it in the nights. Every feed is written from these facts, so that the feeds agree; all is computed on demand.
 */
import type { CveId } from '../model/cve-id.ts'
import { cutOf, DAY_MS, FIRST_NIGHT, HOUR_MS } from './calendar.ts'
import { type Change, changeAt, kevNights } from './changes.ts'
import { type Cna, cnaChoice, cnaList } from './cnas.ts'
import {
  DAYS_TO_PUBLISH,
  DAYS_TO_UPDATE,
  ERAS,
  type Era,
  KEV_EVERY,
  PRODUCT_RANK,
  REJECTED_SHARE,
  RESERVED_SHARE,
  VENDOR_RANK,
  WEAKNESSES,
} from './figures.ts'
import { idsOf } from './ids.ts'
import { type ProductKind, productOf, type Vendor, vendorOf } from './names.ts'
import { Random } from './random.ts'

export interface Facts {
  index: number
  id: CveId
  era: Era
  cna: Cna
  vendor: Vendor
  product: string
  productKind: ProductKind
  /** CWE number. */
  weakness: number
  state: 'PUBLISHED' | 'REJECTED' | 'RESERVED'
  /** The night on which the record first appears. */
  born: number
  /** Epoch milliseconds. */
  reservedAt: number
  publishedAt: number
  updatedAt: number
  /** When KEV listed it, or null; in KEV from night `kevNight` on. */
  kevAddedAt: number | null
  kevNight: number
  /** What happens to the record, in at most one night. */
  change: Change | null
  /** Its number among the showcases, which the further feeds tell of at any size of the sample; null for others. */
  showcase: number | null
}

export interface World {
  seed: number
  nights: number
  cnas: Cna[]
  /** Records in the first night. */
  cves: number
  /** Records in the last night; the first has `records` less `newEachNight` for each night since. */
  records: number
  newEachNight: number
  facts(index: number): Facts
  /** A stream of random numbers for one purpose about one CVE. */
  random(id: string, purpose: string): Random
}

/** 200 to 350,000 a night, as upstream; at least five, so that a small sample has some. */
function newRecords(cves: number): number {
  return Math.max(5, Math.round((cves * 200) / 350_000))
}

const KEV_START = Date.UTC(2021, 10, 3)
/** CISA's first large additions were of old CVEs, within these days. */
const KEV_BACKLOG_DAYS = 400
const KEV_LAG_DAYS = 60
const KEV_BEFORE_CUT_MS = 8 * HOUR_MS
/** Which of every `KEV_EVERY` records is listed: one by which the largest CNA has some among a thousand records too. */
const KEV_PLACE = 115

/** A sample that is too small for the real share has one entry: an empty catalogue would be no KEV. */
function isListed(index: number, cves: number): boolean {
  return cves > KEV_PLACE ? index % KEV_EVERY === KEV_PLACE : index === Math.floor(cves / 3)
}

/** So many records, spread evenly, are told of by every feed: a sample of fifty has something of everything. */
const SHOWCASES = 40

function showcaseAt(index: number, cves: number): number | null {
  const place = Math.floor(((index + 0.5) * SHOWCASES) / cves)
  return Math.floor(((place + 0.5) * cves) / SHOWCASES) === index && place < SHOWCASES ? place : null
}

export function createWorld(seed: number, cves: number, nights: number): World {
  const newEachNight = newRecords(cves)
  const records = cves + newEachNight * (nights - 1)
  const idOf = idsOf(seed, records)
  const cnas = cnaList(seed)
  const chooseCna = cnaChoice(cnas)
  const lateKev = kevNights(seed, cves, nights)

  const facts = (index: number): Facts => {
    const { id, year, through } = idOf(index)
    const random = new Random(seed, id, 'facts')
    const era = ERAS.find((one) => year <= one.until)!
    const born = Math.max(0, Math.ceil((index + 1 - cves) / newEachNight))
    const kevNight = lateKev.get(index) ?? (born === 0 && isListed(index, cves) ? 0 : -1)
    const change: Change | null =
      kevNight > 0
        ? { night: kevNight, kind: 'kev' }
        : kevNight === 0 || born > 0
          ? null
          : changeAt(seed, index, nights)

    const cna = random.chance(era.root) ? cnas[0]! : chooseCna(random.float())
    const subject = subjectOf(seed, cna, random)
    const weakness = WEAKNESSES(random.float())
    const showcase = showcaseAt(index, cves)
    const state = stateOf(change, kevNight >= 0 || born > 0 || showcase !== null, random.float())
    const dates = datesOf(year, through, born, random)
    const kevAddedAt = kevDate(kevNight, dates.publishedAt, random)
    return { index, id, era, cna, ...subject, weakness, state, born, ...dates, kevAddedAt, kevNight, change, showcase }
  }
  return {
    seed,
    nights,
    cnas,
    cves,
    records,
    newEachNight,
    facts,
    random: (id, purpose) => new Random(seed, id, purpose),
  }
}

/** What a record is in a night, or null where there is none yet. */
export function stateAt(facts: Facts, night: number): Facts['state'] | null {
  if (facts.born > night) return null
  const { change } = facts
  if (!change || change.night > night) return facts.state
  return change.kind === 'rejected' ? 'REJECTED' : 'PUBLISHED'
}

/** The night from which on a record is published, or null for one that never is. */
export function publishedFrom(facts: Facts): number | null {
  if (facts.state === 'PUBLISHED') return facts.born
  const { change } = facts
  return change?.kind === 'revived' || change?.kind === 'disclosed' ? change.night : null
}

const PRODUCT_KINDS: Partial<Record<Cna['kind'], ProductKind>> = { plugins: 'plugin', forge: 'package' }

/** What a record is about: a CNA's own product, or for those that file for others one of anybody's. */
function subjectOf(seed: number, cna: Cna, random: Random): Pick<Facts, 'vendor' | 'product' | 'productKind'> {
  const productKind = PRODUCT_KINDS[cna.kind] ?? 'product'
  const vendor = cna.vendor ?? vendorOf(seed, Math.floor(VENDOR_RANK(random.float())))
  const productRank = cna.kind === 'kernel' ? 0 : Math.floor(PRODUCT_RANK(random.float()))
  return { vendor, productKind, product: productOf(seed, vendor.rank, productRank, productKind) }
}

function datesOf(
  year: number,
  through: number,
  born: number,
  random: Random,
): Pick<Facts, 'reservedAt' | 'publishedAt' | 'updatedAt'> {
  const january = Date.UTC(year, 0, 1)
  const december = Math.min(january + 364 * DAY_MS, FIRST_NIGHT - 30 * DAY_MS)
  const reservedAt = Math.floor(january + through * (december - january)) + random.int(DAY_MS)
  if (born > 0) {
    // Somewhere between the cut of the night before and this night's.
    const at = cutOf(born - 1) + random.between(HOUR_MS, DAY_MS - HOUR_MS)
    return { reservedAt, publishedAt: at, updatedAt: at }
  }
  const publishedAt = within(reservedAt, DAYS_TO_PUBLISH(random.float()), random)
  return { reservedAt, publishedAt, updatedAt: within(publishedAt, DAYS_TO_UPDATE(random.float()), random) }
}

function kevDate(kevNight: number, publishedAt: number, random: Random): number | null {
  if (kevNight < 0) return null
  if (kevNight > 0) return cutOf(kevNight) - KEV_BEFORE_CUT_MS
  if (publishedAt < KEV_START) return KEV_START + random.int(KEV_BACKLOG_DAYS) * DAY_MS
  return within(publishedAt, random.int(KEV_LAG_DAYS), random)
}

/** `days` after `start`, or where that lies past the first night a time between the two. */
function within(start: number, days: number, random: Random): number {
  const even = random.float()
  const time = start + days * DAY_MS
  return Math.floor(time < FIRST_NIGHT ? time : start + Math.max(0, FIRST_NIGHT - start) * even)
}

/** What a record is before anything happens to it: a change needs the state that it changes from. */
function stateOf(change: Change | null, published: boolean, even: number): Facts['state'] {
  if (change?.kind === 'revived') return 'REJECTED'
  if (change?.kind === 'disclosed') return 'RESERVED'
  if (change || published) return 'PUBLISHED'
  return even < REJECTED_SHARE ? 'REJECTED' : even < REJECTED_SHARE + RESERVED_SHARE ? 'RESERVED' : 'PUBLISHED'
}
