/**
 * `fetch.json` in the feeds folder, the state between runs. It contains the validators of each file for conditional
 * requests, and the origin of each partial file. For a copy of the folder, it is the list of files.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { readRegularFile } from '../../corpus/runtime/regular-file.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'

export const STATE_FILE = 'fetch.json'
/** The state of all feeds has 20 KB. */
const MAX_STATE_BYTES = 16 << 20

/** Validators of RFC 9110 8.8. */
const VALIDATORS = { etag: z.string().nullable(), lastModified: z.string().nullable() }

const KEPT_FILE = z.object({
  feed: z.string(),
  /** Path relative to the feeds folder, with `/`. */
  path: z.string(),
  url: z.string(),
  ...VALIDATORS,
  bytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  fetchedAt: z.string(),
})
const PARTIAL_FILE = z.object({ url: z.string(), ...VALIDATORS })

const STATE = z.object({
  version: z.literal(1),
  /** By `WantedFile.path`. */
  files: z.record(z.string(), KEPT_FILE),
  partials: z.record(z.string(), PARTIAL_FILE),
})

export type PartialFile = z.infer<typeof PARTIAL_FILE>
export type Validators = Pick<PartialFile, 'etag' | 'lastModified'>
export type FetchState = z.infer<typeof STATE>

/** Returns null for a later version's or another program's file. */
export function parseState(text: string): FetchState | null {
  try {
    return STATE.safeParse(JSON.parse(text)).data ?? null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

export interface StateFile {
  readonly state: FetchState
  /** Resolves when the state is written. */
  update(change: (state: FetchState) => void): Promise<void>
}

function readState(path: string): string | null {
  try {
    return readRegularFile(path, MAX_STATE_BYTES).toString()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** An unreadable state means that everything is fetched again. */
export async function openState(feeds: string, effects: NetworkEffects): Promise<StateFile> {
  const path = join(feeds, STATE_FILE)
  const text = readState(path)
  const found = text === null ? null : parseState(text)
  if (text !== null && !found)
    effects.log(`${STATE_FILE} is damaged or has another format; downloading all files again`)
  const state: FetchState = found ?? { version: 1, files: {}, partials: {} }
  let written = Promise.resolve()
  const write = async () => {
    await effects.write(`${path}.partial`, Buffer.from(`${JSON.stringify(sorted(state), null, 1)}\n`))
    await effects.rename(`${path}.partial`, path)
  }
  return {
    state,
    update(change) {
      change(state)
      // Serializes the writes. An earlier failure was reported to its own caller.
      written = written.then(write, write)
      return written
    },
  }
}

function sorted(state: FetchState): FetchState {
  const byName = <T>(record: Record<string, T>) =>
    Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
  return { version: 1, files: byName(state.files), partials: byName(state.partials) }
}
