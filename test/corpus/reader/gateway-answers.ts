/** The answers of a gateway, and comparisons of a reader with them. */
import * as assert from 'uvu/assert'
import type { ListName, Reader } from '../../../corpus/reader/reader.ts'
import type { askDirectly } from '../../support/ask.ts'

export function gatewayAnswers(asked: ReturnType<typeof askDirectly>) {
  const answered = async (path: string, query = '') => (await asked.ask(path, query)).text
  return {
    answered,
    /** Returns null for 404. */
    answeredOrNull: (path: string) =>
      answered(path).catch((error: { code?: string }) => {
        if (error.code === 'not_found') return null
        throw error
      }),
    /** Compares every page of a list, each with the cursor of the one before. Returns the number of pages. */
    async compareWalks(reader: Reader, list: ListName, path: string, options: object, query: string): Promise<number> {
      let cursor: string | undefined
      for (let pages = 1; ; pages++) {
        const page = await reader.entries(list, { ...options, cursor })
        const text = await answered(path, cursor === undefined ? query : `${query}&cursor=${cursor}`)
        assert.is(JSON.stringify(page), text, `${path}?${query}, page ${pages}`)
        cursor = page.pagination.next_cursor ?? undefined
        if (cursor === undefined) return pages
      }
    },
  }
}
