/** What surrounds the rows of a page. */

export const NO_HEAD: object = Object.freeze({})

/** `head` precedes `data`. */
export function pageHead(head: object): string {
  if (head === NO_HEAD) return '{"data":['
  const text = JSON.stringify(head)
  return text === '{}' ? '{"data":[' : `${text.slice(0, -1)},"data":[`
}

/** `total` is the number of rows of all pages, if it was asked for. */
export function pageTail(limit: number, nextCursor: string | null, total: number | null): string {
  // A cursor is base64url and needs no escaping.
  const cursor = nextCursor === null ? 'null' : `"${nextCursor}"`
  return `],"pagination":{"limit":${limit},"next_cursor":${cursor}${total === null ? '' : `,"total":${total}`}}}`
}

/** The same as an object. */
export const pagination = (limit: number, nextCursor: string | null, total: number | null) => ({
  limit,
  next_cursor: nextCursor,
  ...(total === null ? {} : { total }),
})

/** Returns a row with the fields of `fields`, in its own order. */
export const withFields = (row: object, fields: readonly string[]): object =>
  Object.fromEntries(Object.entries(row).filter(([name]) => fields.includes(name)))
