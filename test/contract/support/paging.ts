/** Paging by gateway/API.md, section 4, checked for any list. */
import * as assert from 'uvu/assert'
import { refusesValues } from './refusals.ts'
import type { Service } from './service.ts'

interface Page {
  data: unknown[]
  pagination: { limit: number; next_cursor: string | null }
}

const behind = (path: string, more: string) => `${path}${path.includes('?') ? '&' : '?'}${more}`

/** `limit` and `cursor`: 1 to 100, 25 unless said; walks of any limit give the same rows once each. */
export async function holdPaging(service: Service, path: string): Promise<void> {
  await holdLimit(service, path)
  const rows = await service.all(path, 100)
  assert.ok(rows.length > 1, `${path} has too few rows to page`)
  for (const limit of [1, 7, 25, 99].filter((limit) => limit > 1 || rows.length < 60)) {
    assert.equal(await service.all(path, limit), rows, `${path} by ${limit}`)
  }
  const { pagination } = await service.json<Page>(behind(path, 'limit=1'))
  const second = await service.json<Page>(behind(path, `limit=1&cursor=${pagination.next_cursor}`))
  assert.equal(second.data, [rows[1]], path)
  for (const wrong of ['x', `${pagination.next_cursor}x`, 'a'.repeat(600)]) {
    const { status, body } = await service.ask(behind(path, `cursor=${wrong}`))
    assert.equal([status, (body as { error: string }).error], [400, 'invalid_cursor'], `${path} ${wrong}`)
  }
}

/** `limit` alone. */
export async function holdLimit(service: Service, path: string): Promise<void> {
  const all = await service.json<Page>(behind(path, 'limit=100'))
  const unsaid = await service.json<Page>(path)
  assert.is(unsaid.pagination.limit, 25, path)
  assert.equal(unsaid.data, all.data.slice(0, 25), path)
  for (const limit of [1, 2, 24, 26, 99, 100]) {
    const page = await service.json<Page>(behind(path, `limit=${limit}`))
    assert.is(page.pagination.limit, limit, 'the limit is echoed')
    assert.equal(page.data, all.data.slice(0, limit), `${path} limit ${limit}`)
  }
  await refusesValues(service, path, 'limit', ['0', '101', '-1', 'abc', '1.5', '1e1', '', ' ', '25 '])
}
