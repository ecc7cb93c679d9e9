/**
 * The filters of the lists other than CVEs, from the parameters of the API, and their sorts. Gateway and reader share
 * them, so that they accept each other's cursors.
 */
import { nameKey } from '../../model/affected/products.ts'
import { type DateBound, untilMs } from '../../model/values/date-bound.ts'
import { fold } from '../codec/fold.ts'
import { joinedName, type ListName } from '../cursor/lists.ts'

/** Filters of a list in canonical form. The order of the keys is part of cursors. */
export interface ListFilters {
  q?: string | undefined
  /** Folded values by filter name; absent ones do not filter. */
  equal?: Readonly<Record<string, string | undefined>>
  /** Inclusive bounds by name; a row without the number never matches. */
  between?: Readonly<Record<string, { least?: number | undefined; most?: number | undefined }>>
}

interface Searched {
  q?: string | undefined
}

/** The parameters of each list that select rows. */
export interface ListParameters {
  cwes: Searched & { abstraction?: string | undefined; status?: string | undefined; likelihood?: string | undefined }
  capecs: Searched & { status?: string | undefined; severity?: string | undefined }
  cnas: Searched & { grade?: string | undefined; activity_status?: string | undefined }
  vendors: Searched
  /** `vendor` is a name or key. */
  products: Searched & { vendor?: string | undefined }
  exploits: {
    source?: string | undefined
    platform?: string | undefined
    published_since?: DateBound | undefined
    published_until?: DateBound | undefined
  }
  /** `vendor` is a name in any spelling. `due_since` is included, `due_before` is not. */
  kev: {
    catalog?: string | undefined
    ransomware?: string | undefined
    vendor?: string | undefined
    added_since?: DateBound | undefined
    added_until?: DateBound | undefined
    due_since?: DateBound | undefined
    due_before?: DateBound | undefined
  }
  /** `ecosystem` is in canonical form. */
  advisories: {
    ecosystem?: string | undefined
    severity?: string | undefined
    prefix?: string | undefined
    malware?: boolean | undefined
    withdrawn?: boolean | undefined
    published_since?: DateBound | undefined
    published_until?: DateBound | undefined
    modified_since?: DateBound | undefined
  }
  rejected: {
    replaced?: boolean | undefined
    rejected_since?: DateBound | undefined
    rejected_until?: DateBound | undefined
  }
  /** `ecosystem` is in canonical form. */
  packages: Searched & { ecosystem?: string | undefined }
}

const folded = (text: string | undefined) => text && fold(text)

/** Returns the key of a vendor, product or CNA. Names are folded (rule 27). */
export const keyOfName = (text: string): string => nameKey(text) ?? text

const FILTERS: { [Name in ListName]: (parameters: ListParameters[Name]) => ListFilters } = {
  cwes: ({ q, abstraction, status, likelihood }) => ({
    q: folded(q),
    equal: { abstraction: folded(abstraction), status: folded(status), likelihood: folded(likelihood) },
  }),
  capecs: ({ q, status, severity }) => ({
    q: folded(q),
    equal: { status: folded(status), severity: folded(severity) },
  }),
  cnas: ({ q, grade, activity_status }) => ({
    q: folded(q),
    equal: { grade: folded(grade), activity_status: folded(activity_status) },
  }),
  vendors: ({ q }) => ({ q: folded(q) }),
  products: ({ q, vendor }) => ({
    q: folded(q),
    equal: { vendor: vendor === undefined ? undefined : keyOfName(vendor) },
  }),
  exploits: ({ source, platform, published_since: since, published_until: until }) => ({
    equal: { source, platform: folded(platform) },
    between: { published: { least: since?.ms, most: until && untilMs(until) } },
  }),
  kev: ({ catalog, ransomware, vendor, added_since: since, added_until: until, due_since, due_before: due }) => ({
    equal: {
      catalog: folded(catalog),
      ransomware,
      vendor_project: vendor === undefined ? undefined : joinedName(vendor),
    },
    between: {
      added: { least: since?.ms, most: until && untilMs(until) },
      due: { least: due_since?.ms, most: due && due.ms - 1 },
    },
  }),
  advisories({ ecosystem, severity, prefix, malware, withdrawn, ...dates }) {
    const { published_since: since, published_until: until, modified_since: modified } = dates
    return {
      equal: {
        ecosystem: folded(ecosystem),
        severity,
        prefix: folded(prefix),
        malware: malware?.toString(),
        withdrawn: withdrawn?.toString(),
      },
      between: {
        published: { least: since?.ms, most: until && untilMs(until) },
        modified: { least: modified?.ms },
      },
    }
  },
  rejected: ({ replaced, rejected_since: since, rejected_until: until }) => ({
    equal: { replaced: replaced?.toString() },
    between: { rejected: { least: since?.ms, most: until && untilMs(until) } },
  }),
  packages: ({ q, ecosystem }) => ({ q: folded(q), equal: { ecosystem: folded(ecosystem) } }),
}

/** Returns the canonical filters of a list. */
export const listFilters = <Name extends ListName>(list: Name, parameters: ListParameters[Name]): ListFilters =>
  FILTERS[list](parameters)
