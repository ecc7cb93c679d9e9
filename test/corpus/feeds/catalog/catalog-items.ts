/** Helpers for tests of catalogs: items by key or as text. */
import { readFileSync } from 'node:fs'
import type { FeedFile, FeedItem, ReadOptions } from '../../../../corpus/feeds/feed.ts'

/** No item is known, and none needs temporary files. */
export const UNKNOWN: ReadOptions = {
  digestOf: () => null,
  spill: () => Promise.reject(new Error('a catalog is not spilled')),
}

export function claims(items: readonly FeedItem[]): Extract<FeedItem, { kind: 'claim' }>[] {
  return items.filter((item) => item.kind === 'claim')
}

export function entries<Entry>(items: readonly FeedItem[]): Map<string, Entry> {
  return new Map(claims(items).map(({ key, body }) => [key, JSON.parse(body) as Entry]))
}

/** Returns `CWE-7`, `known CWE-7`, or `CWE-7 item_invalid: why`. */
export function told(items: readonly FeedItem[]): string[] {
  return items.map((item) => {
    if (item.kind === 'claim') return item.key
    return item.kind === 'known' ? `known ${item.key}` : `${item.key} ${item.reason}: ${item.detail}`
  })
}

export const versions = (files: readonly FeedFile[]) => files.map(({ name, date, version }) => [name, date, version])

export const bytesOf = (path: string): Buffer => readFileSync(path)
