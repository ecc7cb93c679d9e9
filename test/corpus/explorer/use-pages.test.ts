/** `usePages`: the pages of a list by cursor, without a browser. */
import { h, render } from 'preact'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Page } from '../../../corpus/explorer/app/data/answers.ts'
import { type Api, ApiFailure, type Params } from '../../../corpus/explorer/app/data/api.ts'
import { forgetPages, type Pages, SessionContext, usePages } from '../../../corpus/explorer/app/data/use.ts'
import { until } from '../../support/until.ts'

const test = suite('pages of a list')

/** The component has no elements, so that this is all that Preact needs. */
const document = { insertBefore() {}, removeChild() {} }
const globals = { document, requestAnimationFrame: setImmediate, cancelAnimationFrame: clearImmediate }

test.before(() => {
  Object.assign(globalThis, globals)
})
test.after(() => {
  for (const name of Object.keys(globals)) Reflect.deleteProperty(globalThis, name)
})
test.before.each(forgetPages)

type Answerer = (cursor: string | null) => Page<string>

interface Shown {
  pages(): Pages<string>
  close(): void
}

/** Shows a list whose pages `answer` returns. */
function show(answer: Answerer): Shown {
  let pages: Pages<string> | undefined
  const get = async (_path: string, { cursor }: Params = {}) => answer(cursor as string | null)
  const api = { mode: 'gateway', get } as unknown as Api
  const session = { api, now: api, past: null, askToken() {}, signOut() {} }
  const List = () => {
    pages = usePages<string>('/cves', { kev: true })
    return null
  }
  const root = { nodeType: 1, childNodes: [], firstChild: null, ownerDocument: document } as unknown as Element
  const tree = h(SessionContext.Provider, { value: session }, h(List, {}))
  render(tree, Object.assign(root, document))
  return { pages: () => pages!, close: () => render(null, root) }
}

const page = (row: string, next: string | null): Page<string> => ({
  data: [row],
  pagination: { limit: 1, next_cursor: next },
})

const rowsAre = ({ pages }: Shown, expected: readonly string[]) =>
  until(
    () => pages().rows.join() === expected.join() && !pages().loading,
    () => `rows are ${pages().rows.join()}`,
  )

const expired = () => new ApiFailure(400, 'invalid_cursor', 'the snapshot is no longer here', null, 'cursor')

test('pages follow each other, and a list that is shown again has them at once', async () => {
  const answers: Answerer = (cursor) => (cursor === 'b' ? page('2', null) : page('1', 'b'))
  const first = show(answers)
  await rowsAre(first, ['1'])
  first.pages().more!()
  await rowsAre(first, ['1', '2'])
  assert.is(first.pages().more, null)
  first.close()
  const again = show(() => {
    throw new Error('a page is asked for again')
  })
  assert.equal(again.pages().rows, ['1', '2'])
  again.close()
})

test('a list begins again when the gateway rejects the cursor', async () => {
  let snapshot = 'old'
  const list = show((cursor) => {
    if (cursor !== null && cursor !== snapshot) throw expired()
    return cursor === null ? page(`1 of ${snapshot}`, snapshot) : page(`2 of ${snapshot}`, null)
  })
  await rowsAre(list, ['1 of old'])
  snapshot = 'new'
  list.pages().more!()
  await rowsAre(list, ['1 of new'])
  list.pages().more!()
  await rowsAre(list, ['1 of new', '2 of new'])
  list.close()
})

test('a gateway that rejects each cursor is not asked again and again', async () => {
  let asked = 0
  const list = show((cursor) => {
    asked++
    if (cursor !== null) throw expired()
    return page('1', 'b')
  })
  await rowsAre(list, ['1'])
  list.pages().more!()
  await until(
    () => asked === 3,
    () => `${asked} requests`,
  )
  await rowsAre(list, ['1'])
  list.pages().more!()
  await until(
    () => list.pages().error !== null,
    () => 'no error',
  )
  assert.is(list.pages().error!.code, 'invalid_cursor')
  assert.is(asked, 4)
  list.pages().retry()
  await until(
    () => asked === 5,
    () => `${asked} requests`,
  )
  await rowsAre(list, ['1'])
  assert.is(list.pages().error, null)
  list.close()
})

test('after another error the same page is asked for', async () => {
  let isDown = false
  const list = show((cursor) => {
    if (isDown) throw new ApiFailure(0, 'network', 'no answer')
    return cursor === null ? page('1', 'b') : page('2', null)
  })
  await rowsAre(list, ['1'])
  isDown = true
  list.pages().more!()
  await until(
    () => list.pages().error !== null,
    () => 'no error',
  )
  assert.equal(list.pages().rows, ['1'])
  isDown = false
  list.pages().retry()
  await rowsAre(list, ['1', '2'])
  list.close()
})

test('a list that is opened again after a quarter of an hour is read again', async () => {
  const { now } = Date
  let row = 'old'
  const first = show(() => page(row, null))
  await rowsAre(first, ['old'])
  first.close()
  row = 'new'
  try {
    Date.now = () => now() + 16 * 60_000
    const again = show(() => page(row, null))
    assert.equal(again.pages().rows, [])
    await rowsAre(again, ['new'])
    again.close()
  } finally {
    Date.now = now
  }
})

test.run()
