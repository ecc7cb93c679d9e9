/** The answers of a gateway, and comparisons of a reader with them. */
import * as assert from 'uvu/assert'
import { asApiError } from '../../../corpus/answers/errors.ts'
import type { Reader, Reply } from '../../../corpus/reader/reader.ts'
import type { askDirectly } from '../../support/ask.ts'

type Page = { data: Record<string, unknown>[]; pagination: { next_cursor: string | null } }

export function gatewayAnswers(asked: ReturnType<typeof askDirectly>) {
  const answered = async (path: string, query = '') => (await asked.ask(path, query)).text

  /** Returns the answer to a target, errors of the API included. */
  async function reply(target: string): Promise<Reply> {
    const [path, query] = target.split('?') as [string, string?]
    try {
      return { status: 200, body: await answered(path, query) }
    } catch (thrown) {
      const { status, body, cause } = asApiError(thrown)
      if (status === 500) throw cause
      return { status, body: JSON.stringify(body) }
    }
  }

  /** Compares the answers to a target. Returns the body; null for an error. */
  async function compare<Body>(reader: Pick<Reader, 'request'>, target: string): Promise<Body | null> {
    const given = await reader.request(target)
    const expected = await reply(target)
    assert.is(given.status, expected.status, target)
    assert.is(given.body, expected.body, target)
    return given.status === 200 ? (JSON.parse(given.body) as Body) : null
  }

  return {
    answered,
    compare,
    /** Returns null for 404. */
    answeredOrNull: (path: string) =>
      answered(path).catch((error: { code?: string }) => {
        if (error.code === 'not_found') return null
        throw error
      }),
    /**
     * Compares every page of a list, each with the cursor of the one before, at most `most` pages. Returns the rows and the
     * number of pages.
     */
    async compareWalks(reader: Pick<Reader, 'request'>, target: string, most = Number.POSITIVE_INFINITY) {
      const rows: Page['data'] = []
      for (let cursor: string | null = null, pages = 1; ; pages++) {
        const mark = target.includes('?') ? '&' : '?'
        const page: Page | null = await compare<Page>(
          reader,
          cursor === null ? target : `${target}${mark}cursor=${cursor}`,
        )
        if (!page) throw new Error(`${target} is an error`)
        rows.push(...page.data)
        cursor = page.pagination.next_cursor
        if (cursor === null || pages === most) return { pages, rows }
      }
    },
  }
}
