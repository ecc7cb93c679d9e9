/** What surrounds the rows of a page. */

export const NO_HEAD: object = Object.freeze({})

/** `head` precedes `data`. */
export function pageHead(head: object): string {
  if (head === NO_HEAD) return '{"data":['
  const text = JSON.stringify(head)
  return text === '{}' ? '{"data":[' : `${text.slice(0, -1)},"data":[`
}

export function pageTail(limit: number, nextCursor: string | null): string {
  // A cursor is base64url and needs no escaping.
  const cursor = nextCursor === null ? 'null' : `"${nextCursor}"`
  return `],"pagination":{"limit":${limit},"next_cursor":${cursor}}}`
}
