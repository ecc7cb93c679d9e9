/** The files of a snapshot by role: how each is stored, counted and made. SPEC.md, "Manifest". */
import { decodeTable } from '../codec/table.ts'
import { LIST_NAMES, LISTS, type ListName, listPagesName } from '../cursor/lists.ts'
import { STORED_SORTS } from '../cursor/order.ts'
import { decodeAliases } from '../derive/aliases.ts'
import { decodeColumns } from '../derive/columns.ts'
import { decodeHashed } from '../derive/hashed-table.ts'
import { decodeIndex } from '../derive/index-table.ts'
import { countListed, decodeListPostings } from '../derive/list-postings.ts'
import { decodeListTable } from '../derive/lists.ts'
import { decodeOrder } from '../derive/orders.ts'
import { POSITION_COLUMNS } from '../derive/package-tables.ts'
import { SnapshotError } from '../error.ts'
import { decodeEpss } from '../record/epss.ts'
import { decodeEpssChanges } from '../record/epss-changes.ts'
import { decodeRejected } from '../record/rejected.ts'
import { decodeAbout } from './about.ts'
import { decodeEditions } from './epss-editions.ts'
import type { FileEntry, Role } from './manifest.ts'
import { decodeStats } from './stats.ts'

/** Whether a snapshot has members of these roles. */
export interface Hashed {
  advisories: boolean
  packages: boolean
}

interface Derived {
  /** The names of its files; null if it cannot be derived. */
  derived: ((has: Hashed) => readonly string[]) | null
}

/**
 * `gzip` is one gzip member, `members` a sequence of them, `table` a table, and `database` an SQLite database. `count`
 * decodes and checks the bytes, those in the gzip member for `gzip`. It throws SnapshotError.
 */
export type FileKind = Derived &
  ({ form: 'gzip' | 'table'; count(bytes: Uint8Array, file: FileEntry): number } | { form: 'members' | 'database' })

const one = () => ['cve']
const checked = (decode: (bytes: Buffer) => unknown) => (bytes: Uint8Array) => {
  decode(bytes as Buffer)
  return 1
}

export const FILES = {
  about: { form: 'gzip', derived: null, count: checked(decodeAbout) },
  cve: { form: 'members', derived: null },
  epss: { form: 'gzip', derived: null, count: (bytes) => decodeEpss(bytes).scores.length },
  'epss-history': { form: 'members', derived: null },
  'epss-editions': { form: 'gzip', derived: null, count: (bytes) => decodeEditions(bytes).length },
  rejected: { form: 'gzip', derived: null, count: (bytes) => decodeRejected(bytes as Buffer).size },
  catalog: { form: 'members', derived: null },
  advisories: { form: 'members', derived: null },
  packages: { form: 'members', derived: null },
  index: {
    form: 'table',
    derived: ({ advisories, packages }) => [
      'cve',
      ...(advisories ? ['advisories'] : []),
      ...(packages ? ['packages'] : []),
    ],
    count: (bytes, { name }) =>
      name === 'cve' ? decodeIndex(bytes).count : decodeHashed(decodeTable(bytes), POSITION_COLUMNS).at.length,
  },
  columns: {
    form: 'table',
    derived: () => ['cve', 'lists'],
    count: (bytes, { name }) =>
      name === 'lists'
        ? countListed(decodeListPostings(bytes, null, Number.POSITIVE_INFINITY))
        : decodeColumns(bytes).count,
  },
  orders: {
    form: 'table',
    derived: () => STORED_SORTS,
    count: (bytes, { count }) => decodeOrder(bytes, count).ordinals.length,
  },
  list: {
    form: 'table',
    derived: () => LIST_NAMES,
    count(bytes, { name }) {
      if (!(LIST_NAMES as readonly string[]).includes(name))
        throw new SnapshotError('malformed', 'it is not a known list')
      return decodeListTable(name as ListName, bytes).count
    },
  },
  pages: {
    form: 'members',
    derived: () => [
      ...STORED_SORTS,
      ...LIST_NAMES.flatMap((list) => Object.keys(LISTS[list].sorts).map((sort) => listPagesName(list, sort))),
    ],
  },
  aliases: {
    form: 'table',
    derived: ({ advisories }) => (advisories ? one() : []),
    count: (bytes) => decodeAliases(bytes).hashHigh.length,
  },
  'epss-changes': { form: 'gzip', derived: one, count: (bytes) => decodeEpssChanges(bytes).values[30].length },
  stats: { form: 'gzip', derived: one, count: checked(decodeStats) },
  query: { form: 'database', derived: one },
} as const satisfies Record<Role, FileKind>

/** Returns the kind of a role. */
export const kindOf = (role: Role): FileKind => FILES[role]

/** Returns the number of derived files of a snapshot. */
export const countDerived = (has: Hashed): number =>
  Object.values<FileKind>(FILES).reduce((sum, { derived }) => sum + (derived?.(has).length ?? 0), 0)
