/** Catalogs of exploited vulnerabilities: what each states about a CVE (rule 23). */
import type { CveClaim, KevEntry } from '../claim.ts'
import type { KevCatalogEntry } from '../record.ts'
import { compareText } from '../sources.ts'

/** The name of CISA's catalog. It alone decides `kev.listed`. */
export const CISA_CATALOG = 'cisa'

export interface KevListing {
  dateAdded: string | null
  /** The catalog's entry. Null if only an ADP copies the listing. */
  entry: KevEntry | null
}

/** Returns the KEV listing of the feed. The ADP's copy counts only without a feed (rule 23). */
export function kevListing(claims: readonly CveClaim[], entry: KevEntry | null, kevFeed: boolean): KevListing | null {
  if (kevFeed) return entry && { dateAdded: entry.dateAdded, entry }
  const copy = claims.find((claim) => claim.source === 'adp' && claim.kevDateAdded !== null)
  return copy ? { dateAdded: copy.kevDateAdded, entry: null } : null
}

/** Returns one entry per catalog, CISA's first, the others by name. */
export function kevCatalogs(listing: KevListing | null, others: readonly KevEntry[]): KevCatalogEntry[] {
  const byName = others.toSorted((a, b) => compareText(a.catalog, b.catalog)).map(catalogEntry)
  if (listing === null) return byName
  const own = listing.entry ? catalogEntry(listing.entry) : { ...UNSTATED, date_added: listing.dateAdded }
  return [own, ...byName]
}

const UNSTATED: KevCatalogEntry = {
  catalog: CISA_CATALOG,
  date_added: null,
  due_date: null,
  required_action: null,
  ransomware: null,
  notes: null,
  vendor_project: null,
  product: null,
  vulnerability_name: null,
  short_description: null,
}

function catalogEntry(entry: KevEntry): KevCatalogEntry {
  return {
    catalog: entry.catalog,
    date_added: entry.dateAdded,
    due_date: entry.dueDate,
    required_action: entry.requiredAction,
    ransomware: entry.ransomware,
    notes: entry.notes,
    vendor_project: entry.vendor,
    product: entry.product,
    vulnerability_name: entry.name,
    short_description: entry.description,
  }
}
