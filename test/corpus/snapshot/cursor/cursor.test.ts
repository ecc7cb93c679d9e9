/** Cursors decode to the same value, stay within their bounds, and detect damage (rule 7). */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Cursor,
  cursorId,
  decodeCursor,
  encodeCursor,
  filtersHash,
  MAX_CURSOR_LENGTH,
} from '../../../../corpus/snapshot/cursor/cursor.ts'

const cursor: Cursor = {
  list: 'cves',
  sort: '-published',
  filters: filtersHash({ kev: true }),
  snapshot: '0123456789abcdef',
  isPinned: false,
  createdAt: 1_730_000_000_123,
  after: { value: 1_729_000_000_000, id: 'CVE-2024-3400' },
}

test('rule 7: a cursor reads back as it was written, whatever the key', () => {
  for (const value of [null, 0, 9.8, 1_729_000_000_000, '', 'größe \u{1f41b}']) {
    const one = { ...cursor, after: { value, id: 'CVE-2024-3400' } }
    assert.equal(decodeCursor(encodeCursor(one)), one)
    const pinned = { ...one, isPinned: true }
    assert.equal(decodeCursor(encodeCursor(pinned)), pinned)
  }
})

test('rule 7: a cursor is URL-safe and at most 512 characters, also with the longest key', () => {
  const long = encodeCursor({ ...cursor, after: { value: '\u{1f41b}'.repeat(500), id: `CVE-2024-${'9'.repeat(19)}` } })
  assert.match(long, /^[A-Za-z0-9_-]+$/)
  assert.ok(long.length <= MAX_CURSOR_LENGTH, `${long.length} characters`)
  for (const character of ['a', 'é', '語', '\u{1f41b}', '"', '\u0001', '\ud800']) {
    const after = { value: character.repeat(500), id: character.repeat(500) }
    const text = encodeCursor({ ...cursor, list: 'cnas/cves', sort: '-completeness', after })
    assert.ok(text.length <= MAX_CURSOR_LENGTH, `${text.length} characters of ${JSON.stringify(character)}`)
    assert.ok(decodeCursor(text)!.after.id.startsWith(character.isWellFormed() ? character : ''))
  }
})

test('rule 7: a cursor keeps the beginning of a long id and a digest of it', () => {
  const ids = ['x', 'a'.repeat(128), 'a'.repeat(129), `${'a'.repeat(400)}1`, `${'a'.repeat(400)}2`]
  const kept = ids.map(cursorId)
  assert.equal(kept.slice(0, 2), ids.slice(0, 2))
  assert.is(new Set(kept).size, ids.length)
  assert.equal(kept.map(cursorId), kept)
})

test('rule 7: a character lost, changed or added in transport is noticed', () => {
  const text = encodeCursor(cursor)
  for (let i = 0; i < text.length; i++) {
    assert.is(decodeCursor(text.slice(0, i) + text.slice(i + 1)), null, `lost ${i}`)
    const other = text[i] === 'A' ? 'B' : 'A'
    assert.is(decodeCursor(text.slice(0, i) + other + text.slice(i + 1)), null, `changed ${i}`)
  }
  for (const other of ['', ' ', `${text}=`, `${text}A`, 'null', 'AAAA', '%', 'a'.repeat(600)]) {
    assert.is(decodeCursor(other), null, other)
  }
})

test.run()
