/** What handlers are given besides their parameters. */
import type { Queries } from '../query/queries.ts'
import type { Shelf } from '../shelf/shelf.ts'

export interface Context {
  shelf: Shelf
  queries: Queries
}
