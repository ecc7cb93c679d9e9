/**
 * The facts behind a sample: its CVEs with publication date, CNA, product and changes. Every feed is generated from
 * these facts, so the feeds agree. All facts are computed on demand.
 */
import type { CveId } from '../model/ids/cve-id.ts'
import { cutOf, DAY_MS, FIRST_NIGHT, HOUR_MS } from './calendar.ts'
import { type Catalogs, catalogsFor } from './catalogs.ts'
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
  /** The first night of the record. */
  born: number
  /** Epoch milliseconds, as are the next two. */
  reservedAt: number
  publishedAt: number
  updatedAt: number
  /** Time of the KEV listing in epoch milliseconds, or null. KEV contains it from night `kevNight` on. */
  kevAddedAt: number | null
  kevNight: number
  /** The change of the record, in at most one night. */
  change: Change | null
  /** Number among the showcases, which the further feeds cover at any size of the sample. Null for others. */
  showcase: number | null
}

export interface World {
  seed: number
  nights: number
  cnas: Cna[]
  catalogs: Catalogs
  /** Records in the first night. */
  cves: number
  /** Records in the last night. Each night before has `newEachNight` fewer. */
  records: number
  newEachNight: number
  /** Package advisories in the first night, besides those of GitHub's repository. */
  advisories: number
  facts(index: number): Facts
  /** Returns a random stream for one purpose and one CVE or advisory. */
  random(id: string, purpose: string): Random
}

const KEV_START = Date.UTC(2021, 10, 3)
/** CISA listed the CVEs before its start, and each later one, within this number of days. */
const KEV_LAG_DAYS = 400
/** Index of the listed record in every `KEV_EVERY`. The largest CNA then has some even in 1,000 records. */
const KEV_POSITION = 115
/** Number of records, spread evenly, that every feed covers. A sample of fifty then has all kinds of entries. */
const SHOWCASES = 40

/** A sample that is too small for the real share lists one record, because an empty catalog would be invalid. */
function isListed(index: number, cves: number): boolean {
  return cves > KEV_POSITION ? index % KEV_EVERY === KEV_POSITION : index === Math.floor(cves / 3)
}

function showcaseAt(index: number, cves: number): number | null {
  const position = Math.floor(((index + 0.5) * SHOWCASES) / cves)
  return Math.floor(((position + 0.5) * cves) / SHOWCASES) === index && position < SHOWCASES ? position : null
}

/** Returns the usual number of package advisories: OSV has 500,000 for 350,000 CVEs. */
export const usualAdvisories = (cves: number) => Math.round((cves * 500_000) / 350_000)

export function createWorld(seed: number, cves: number, nights: number, advisories = usualAdvisories(cves)): World {
  // Upstream's rate, and at least five.
  const newEachNight = Math.max(5, Math.round((cves * 200) / 350_000))
  const records = cves + newEachNight * (nights - 1)
  const idOf = idsOf(seed, records)
  const cnas = cnaList(seed)
  const catalogs = catalogsFor(seed, cves)
  const chooseCna = cnaChoice(cnas)
  const lateKev = kevNights(seed, cves, nights)

  const facts = (index: number): Facts => {
    const { id, year, through } = idOf(index)
    const random = new Random(seed, id, 'facts')
    const era = ERAS.find((one) => year <= one.until)!
    const born = Math.max(0, Math.ceil((index + 1 - cves) / newEachNight))
    const kevNight = lateKev.get(index) ?? (born === 0 && isListed(index, cves) ? 0 : -1)
    const isUnchanged = kevNight === 0 || born > 0
    const change: Change | null =
      kevNight > 0 ? { night: kevNight, kind: 'kev' } : isUnchanged ? null : changeAt(seed, index, nights)
    const cna = random.chance(era.root) ? cnas[0]! : chooseCna(random.float())
    const subject = subjectOf(seed, cna, random)
    const weakness = catalogs.draw(random.float())
    const showcase = showcaseAt(index, cves)
    const state = stateOf(change, kevNight >= 0 || born > 0 || showcase !== null, random.float())
    const dates = datesOf(year, through, born, random)
    const kevAddedAt = kevDate(kevNight, dates.publishedAt, random)
    return { index, id, era, cna, ...subject, weakness, state, born, ...dates, kevAddedAt, kevNight, change, showcase }
  }
  const random: World['random'] = (id, purpose) => new Random(seed, id, purpose)
  return { seed, nights, cnas, catalogs, cves, records, newEachNight, advisories, facts, random }
}

/** Returns the state of a record in a night. Null if it does not exist yet. */
export function stateAt(facts: Facts, night: number): Facts['state'] | null {
  if (facts.born > night) return null
  const { change } = facts
  if (!change || change.night > night) return facts.state
  return change.kind === 'rejected' ? 'REJECTED' : 'PUBLISHED'
}

/** Returns the first night in which a record is published. Null if it never is. */
export function publishedFrom({ state, born, change }: Facts): number | null {
  if (state === 'PUBLISHED') return born
  return change?.kind === 'revived' || change?.kind === 'disclosed' ? change.night : null
}

/** Returns the ids of a CVE and of the next one, which a few advisories, exploits and rules cover together. */
export function withNext(world: World, { index, id }: Facts): CveId[] {
  const next = index + 1 < world.cves ? world.facts(index + 1) : null
  return next && publishedFrom(next) === 0 ? [id, next.id] : [id]
}

const PRODUCT_KINDS: Partial<Record<Cna['kind'], ProductKind>> = { plugins: 'plugin', forge: 'package' }

/** Returns the product of a record: the CNA's own, or any vendor's for CNAs that assign for others. */
function subjectOf(seed: number, cna: Cna, random: Random): Pick<Facts, 'vendor' | 'product' | 'productKind'> {
  const productKind = PRODUCT_KINDS[cna.kind] ?? 'product'
  const vendor = cna.vendor ?? vendorOf(seed, Math.floor(VENDOR_RANK(random.float())))
  const productRank = cna.kind === 'kernel' ? 0 : Math.floor(PRODUCT_RANK(random.float()))
  return { vendor, productKind, product: productOf(seed, vendor.rank, productRank, productKind) }
}

type Dates = Pick<Facts, 'reservedAt' | 'publishedAt' | 'updatedAt'>

function datesOf(year: number, through: number, born: number, random: Random): Dates {
  const january = Date.UTC(year, 0, 1)
  const december = Math.min(january + 364 * DAY_MS, FIRST_NIGHT - 30 * DAY_MS)
  const reservedAt = Math.floor(january + through * (december - january)) + random.int(DAY_MS)
  if (born > 0) {
    // A time between the cuts of the previous night and this night.
    const at = cutOf(born - 1) + random.between(HOUR_MS, DAY_MS - HOUR_MS)
    return { reservedAt, publishedAt: at, updatedAt: at }
  }
  const publishedAt = within(reservedAt, DAYS_TO_PUBLISH(random.float()), random)
  return { reservedAt, publishedAt, updatedAt: within(publishedAt, DAYS_TO_UPDATE(random.float()), random) }
}

function kevDate(kevNight: number, publishedAt: number, random: Random): number | null {
  if (kevNight < 0) return null
  if (kevNight > 0) return cutOf(kevNight) - 8 * HOUR_MS
  return within(Math.max(publishedAt, KEV_START), random.int(KEV_LAG_DAYS), random)
}

/** Returns `days` after `start`, or a time between `start` and the first night if that would be later. */
function within(start: number, days: number, random: Random): number {
  const even = random.float()
  const time = start + days * DAY_MS
  return Math.floor(time < FIRST_NIGHT ? time : start + Math.max(0, FIRST_NIGHT - start) * even)
}

/** Returns the state before any change. A change requires a certain previous state. */
function stateOf(change: Change | null, published: boolean, even: number): Facts['state'] {
  if (change?.kind === 'revived') return 'REJECTED'
  if (change?.kind === 'disclosed') return 'RESERVED'
  if (change || published) return 'PUBLISHED'
  return even < REJECTED_SHARE ? 'REJECTED' : even < REJECTED_SHARE + RESERVED_SHARE ? 'RESERVED' : 'PUBLISHED'
}
