/** The skipped items of a feed, and the defects of those that were read, as the report lists them. */
import { shortened } from '../../corpus/command/format.ts'
import { FeedError } from '../../corpus/feeds/error.ts'
import type { FeedFile } from '../../corpus/feeds/feed.ts'
import type { RecordNote } from '../../corpus/model/claim.ts'
import type { FeedSkips, FeedState } from '../../corpus/store/state.ts'
import type { UnreadableCounts } from './report.ts'

/** The report lists each skipped record. */
const MAX_SKIPPED = 1_000_000
/** In characters, as stored in report and corpus. */
const MAX_KEY = 200
export const MAX_DETAIL = 500

/** By reason, in order of first appearance. */
type Named = Map<string, { key: string; detail: string }[]>

/** @throws FeedError above the limit */
export function openSkipped(files: readonly FeedFile[]) {
  const byReason: Named = new Map()
  let count = 0
  return {
    add(reason: string, key: string, detail: string): void {
      add(byReason, reason, shortened(key, MAX_KEY), shortened(detail, MAX_DETAIL))
      if (++count > MAX_SKIPPED) throw tooMany(files.at(-1)!, 'were skipped', MAX_SKIPPED, { key, detail })
    },
    listed: () => listed(byReason),
  }
}

export function tooMany(
  { name }: FeedFile,
  what: string,
  most: number,
  last: { key: string; detail: string },
): FeedError {
  const record = `${shortened(last.key, MAX_KEY)} (${shortened(last.detail, MAX_DETAIL)})`
  return new FeedError('file_invalid', `${name}: more than ${most} records ${what}, the last one is ${record}`)
}

interface Note {
  code: string
  detail: string
}

/** Codes of values that count as missing. */
const UNREADABLE: ReadonlySet<string> = new Set<RecordNote['code']>([
  'cvss-unreadable',
  'ssvc-unreadable',
  'type-wrong',
  'field-unknown',
  'date-impossible',
  'range-unreadable',
  'package-unreadable',
  'reference-no-url',
  'cve-id-unreadable',
  'repository-unreadable',
])

/** Items that are not read again keep their previous notes. */
export function openNotes(previous: FeedState | null) {
  const before = new Map<string, Note[]>()
  for (const { reason: code, items } of previous?.reading.notes ?? []) {
    for (const { key, detail } of items) before.set(key, [...(before.get(key) ?? []), { code, detail }])
  }
  const now = new Map<string, readonly Note[]>()
  const isUnreadable = (notes: readonly Note[]) => notes.some(({ code }) => UNREADABLE.has(code))
  const count = (all: ReadonlyMap<string, readonly Note[]>) => [...all.values()].filter(isUnreadable).length
  const fresh = new Set<string>()
  const set = (key: string, notes: readonly Note[]) => {
    if (notes.length > 0) now.set(key, notes)
    else now.delete(key)
  }
  return {
    /** Sets the notes of an item that is new or changed. */
    read(key: string, notes: readonly Note[]): void {
      fresh.add(key)
      set(key, notes)
    },
    /** Keeps the notes of items that were not read. */
    keepRest(): void {
      for (const [key, notes] of before) if (!fresh.has(key)) set(key, notes)
    },
    /** Call it after all items. */
    unreadable(): UnreadableCounts {
      const keys = [...fresh].filter((key) => isUnreadable(now.get(key) ?? []))
      const example = keys[0] ?? null
      return { before: count(before), now: count(now), read: fresh.size, unreadable: keys.length, example }
    },
    keep: (key: string) => set(key, before.get(key) ?? []),
    listed(): FeedSkips[] {
      const byCode: Named = new Map()
      for (const [key, notes] of now) for (const { code, detail } of notes) add(byCode, code, key, detail)
      return listed(byCode)
    },
  }
}

function add(to: Named, reason: string, key: string, detail: string): void {
  const items = to.get(reason)
  if (items) items.push({ key, detail })
  else to.set(reason, [{ key, detail }])
}

function listed(all: Named): FeedSkips[] {
  return [...all].map(([reason, items]) => ({ reason, items }))
}
