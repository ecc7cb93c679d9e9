/**
 * The world that a sample tells of: which CVEs there are, when each was published, by whom, about what, what happens to
 * it in the nights. Every feed is written from these facts, so that the feeds agree; all is computed on demand.
 */
import type { CveId } from '../model/cve-id.ts'
import { cutOf, DAY_MS, FIRST_NIGHT } from './calendar.ts'
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
}

export interface World {
  seed: number
  nights: number
  cnas: Cna[]
  /** Records in the last night; the first has `records` less `newEachNight` for each night since. */
  records: number
  newEachNight: number
  facts(index: number): Facts
  /** A stream of random numbers for one purpose about one CVE. */
  random(id: string, purpose: string): Random
}

/** 200 of 350,000 a night, as upstream; at least five, so that a small sample has some. */
function newRecords(cves: number): number {
  return Math.max(5, Math.round(cves * 0.0006))
}

const KEV_START = Date.UTC(2021, 10, 3)
/** CISA's first large additions were of old CVEs, within these days. */
const KEV_BACKLOG_DAYS = 400

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
    const kevNight = lateKev.get(index) ?? (index % KEV_EVERY === Math.floor(KEV_EVERY / 2) && born === 0 ? 0 : -1)
    const change: Change | null =
      kevNight > 0
        ? { night: kevNight, kind: 'kev' }
        : kevNight === 0 || born > 0
          ? null
          : changeAt(seed, index, nights)

    const cna = random.chance(era.root) ? cnas[0]! : chooseCna(random.float())
    const productKind = PRODUCT_KINDS[cna.kind] ?? 'product'
    const vendorRank = OWN_VENDOR.has(cna.kind) ? cna.rank : Math.floor(VENDOR_RANK(random.float()))
    const vendor = vendorOf(seed, vendorRank)
    const productRank = cna.kind === 'kernel' ? 0 : Math.floor(PRODUCT_RANK(random.float()))

    const january = Date.UTC(year, 0, 1)
    const december = Math.min(january + 364 * DAY_MS, FIRST_NIGHT - 30 * DAY_MS)
    const reservedAt = Math.floor(january + through * (december - january)) + random.int(DAY_MS)
    const publishedAt =
      born > 0
        ? cutOf(born - 1) + random.int(DAY_MS - 3_600_000) + 1_800_000
        : within(reservedAt, reservedAt + DAYS_TO_PUBLISH(random.float()) * DAY_MS, random.float())
    const updatedAt =
      born > 0
        ? publishedAt
        : within(publishedAt, publishedAt + DAYS_TO_UPDATE(random.float()) * DAY_MS, random.float())

    const kevAddedAt =
      kevNight < 0
        ? null
        : kevNight > 0
          ? cutOf(kevNight) - 8 * 3_600_000
          : publishedAt < KEV_START
            ? KEV_START + random.int(KEV_BACKLOG_DAYS) * DAY_MS
            : within(publishedAt, publishedAt + random.int(60) * DAY_MS, random.float())
    return {
      index,
      id,
      era,
      cna,
      vendor,
      product: productOf(seed, vendorRank, productRank, productKind),
      productKind,
      weakness: WEAKNESSES(random.float()),
      state: stateOf(change, kevNight >= 0 || born > 0, random.float()),
      born,
      reservedAt,
      publishedAt,
      updatedAt,
      kevAddedAt,
      kevNight,
      change,
    }
  }
  return { seed, nights, cnas, records, newEachNight, facts, random: (id, purpose) => new Random(seed, id, purpose) }
}

const PRODUCT_KINDS: Partial<Record<Cna['kind'], ProductKind>> = { plugins: 'plugin', forge: 'package' }
const OWN_VENDOR: ReadonlySet<Cna['kind']> = new Set(['kernel', 'platform', 'vendor'])

/** `time`, or where that lies past the first night a time between `start` and it. */
function within(start: number, time: number, even: number): number {
  const end = FIRST_NIGHT
  return Math.floor(time < end ? time : start + Math.max(0, end - start) * even)
}

/** What a record is before anything happens to it: a change needs the state that it changes from. */
function stateOf(change: Change | null, published: boolean, even: number): Facts['state'] {
  if (change?.kind === 'revived') return 'REJECTED'
  if (change?.kind === 'disclosed') return 'RESERVED'
  if (change || published) return 'PUBLISHED'
  return even < REJECTED_SHARE ? 'REJECTED' : even < REJECTED_SHARE + RESERVED_SHARE ? 'RESERVED' : 'PUBLISHED'
}
