/** One file from a local publisher into a separate folder. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { strToU8, zipSync } from 'fflate'
import { download, type FileReport, partialName } from '../../../builder/fetch/download.ts'
import { openState } from '../../../builder/fetch/state.ts'
import type { WantedFile } from '../../../builder/fetch/wanted.ts'
import type { NetworkEffects } from '../../../corpus/transfer/network.ts'
import type { Manner, Publisher } from '../../support/publisher.ts'

/** Returns a catalog of about `bytes` bytes; `edition` distinguishes catalogs of the same length. */
export function catalog(edition: string, bytes = 1000): Buffer {
  const empty = JSON.stringify({ edition, vulnerabilities: [], padding: '' })
  return Buffer.from(
    JSON.stringify({ edition, vulnerabilities: [], padding: 'x'.repeat(Math.max(0, bytes - empty.length)) }),
  )
}

export const OLD = catalog('old')
export const gzipped = (text: string) => gzipSync(text)
export const zipOf = (name: string, text: string) => Buffer.from(zipSync({ [name]: strToU8(text) }))

export interface Position {
  feeds: string
  wanted: WantedFile
}

export function position(feeds: string, url: string, more: Partial<WantedFile> = {}): Position {
  const wanted = { path: 'kev/catalog.json', url: new URL(url), maxBytes: 10 << 20, head: /"vulnerabilities"/ }
  return { feeds, wanted: { ...wanted, ...more } }
}

let count = 0

/** Returns a separate folder with yesterday's file, of which the publisher has another edition. */
export function yesterdayIn(folder: string, publisher: Publisher, ...manners: Manner[]): Position {
  const name = `case-${++count}`
  publisher.on(`/${name}`, ...manners)
  const it = position(join(folder, name), `${publisher.url}/${name}`)
  mkdirSync(join(it.feeds, 'kev'), { recursive: true })
  writeFileSync(join(it.feeds, it.wanted.path), OLD)
  return it
}

export async function fetchFile({ feeds, wanted }: Position, effects: NetworkEffects): Promise<FileReport> {
  const state = await openState(feeds, effects)
  return download('kev', wanted, {
    feeds,
    effects,
    state,
    credentials: new Map(),
    unreachable: new Set(),
    onBytes: () => {},
  })
}

/** Returns the file at its path, or null. */
export function located({ feeds, wanted }: Position): Buffer | null {
  const path = join(feeds, wanted.path)
  return existsSync(path) ? readFileSync(path) : null
}

/** Returns the bytes of the partial file, or null without one. */
export function half({ feeds, wanted }: Position): number | null {
  const path = join(feeds, partialName(wanted.path))
  return existsSync(path) ? readFileSync(path).length : null
}
