/** Orders: the ordinals of all CVEs per sort, descending, and the page positions. SPEC.md, "Orders". */
import { sha256 } from '../../runtime/digest.ts'
import { column, decodeTable, encodeTable } from '../codec/table.ts'
import { CVE_SORTS, type CveSort } from '../cursor/order.ts'
import { SnapshotError } from '../error.ts'
import { sortDescending } from './columns.ts'

export interface Order {
  /** The ordinals in descending order, those without a key last. */
  ordinals: Uint32Array
  keyed: number
  pagesAt: Uint32Array
}

export type Orders = Record<CveSort, Order>

/** Orders before their pages are compressed. */
export type SortedOrders = Record<CveSort, Omit<Order, 'pagesAt'>>

/** The keys of all sorts by ordinal; NaN is null. */
export type SortKeys = Record<CveSort, Float64Array>

export function sortOrders(keys: SortKeys, row: Uint32Array): SortedOrders {
  const sorted = (values: Float64Array) => ({
    ordinals: sortDescending(values, (ordinal) => row[ordinal]!),
    keyed: values.reduce((sum, key) => sum + (Number.isNaN(key) ? 0 : 1), 0),
  })
  return {
    published: sorted(keys.published),
    updated: sorted(keys.updated),
    cvss: sorted(keys.cvss),
    epss: sorted(keys.epss),
  }
}

const aboutOrders = (orders: SortedOrders) => ({
  keyed: Object.fromEntries(CVE_SORTS.map((sort) => [sort, orders[sort].keyed])),
})

/** Returns the content digest, which excludes the columns that depend on compression. */
export function ordersContent(orders: SortedOrders): string {
  const columns = Object.fromEntries(CVE_SORTS.map((sort) => [`${sort}Ordinals`, orders[sort].ordinals]))
  return sha256(encodeTable({ about: aboutOrders(orders), columns }))
}

export function encodeOrders(orders: Orders): Buffer {
  return encodeTable({
    about: aboutOrders(orders),
    columns: Object.fromEntries(
      CVE_SORTS.flatMap((sort) => [
        [`${sort}Ordinals`, orders[sort].ordinals],
        [`${sort}PagesAt`, orders[sort].pagesAt],
      ]),
    ),
  })
}

/** @throws SnapshotError `malformed` when an order does not have `count` valid ordinals */
export function decodeOrders(bytes: Uint8Array, count: number): Orders {
  const table = decodeTable(bytes)
  const keyed = table.about.keyed as Partial<Record<CveSort, number>> | undefined
  const decode = (sort: CveSort): Order => {
    const ordinals = column(table, `${sort}Ordinals`, 'u32')
    const withKey = keyed?.[sort]
    if (ordinals.length !== count || !Number.isSafeInteger(withKey) || ordinals.some((one) => one >= count)) {
      throw new SnapshotError('malformed', `the order ${sort} is damaged`)
    }
    if (withKey! < 0 || withKey! > count) throw new SnapshotError('malformed', `the order ${sort} is damaged`)
    return { ordinals, keyed: withKey!, pagesAt: column(table, `${sort}PagesAt`, 'u32') }
  }
  return {
    published: decode('published'),
    updated: decode('updated'),
    cvss: decode('cvss'),
    epss: decode('epss'),
  }
}
