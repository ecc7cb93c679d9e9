/** Requests of a browser: `fetch`, its timers and its clock. */
import type { ReadEffects } from '../../repository/read.ts'
import { TransferError } from '../../transfer/error.ts'
import type { NetworkEffects } from '../../transfer/network.ts'

export type BrowserEffects = ReadEffects & Pick<NetworkEffects, 'request'>

/** Headers that only the browser may set. */
const OWN_HEADERS: readonly string[] = ['user-agent', 'accept-encoding']
/** Until the headers arrive, and between two chunks of a body. */
const SILENT_MS = 60_000

export const fetchEffects: BrowserEffects = {
  async request(url, headers) {
    const silence = watchSilence(SILENT_MS)
    const response = await fetch(url, {
      headers: Object.entries(headers).filter(([name]) => !OWN_HEADERS.includes(name)),
      cache: cacheOf(url, headers.range),
      signal: silence.signal,
    }).finally(silence.end)
    const { status, body } = response
    return {
      status,
      headers: Object.fromEntries(response.headers),
      body: chunksOf(body, silence),
      discard: async () => body?.cancel(),
    }
  },
  now: () => new Date(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    }),
  random: Math.random,
  log() {},
}

function cacheOf({ pathname }: URL, range: string | undefined): 'default' | 'no-cache' | 'no-store' {
  // Chromium joins cached parts with a whole file, also if the server compresses only the latter.
  if (range !== undefined) return 'no-store'
  // The pointer changes. Other files are named by their digests.
  return pathname.endsWith('/latest.json') ? 'no-cache' : 'default'
}

interface Silence {
  signal: AbortSignal
  begin(): void
  end(): void
}

/** Aborts when more than `ms` pass between `begin`, or the call, and `end`. */
function watchSilence(ms: number): Silence {
  const silent = new AbortController()
  const abort = () => silent.abort(new TransferError('stalled', `no bytes for ${ms / 1000} s`))
  let timer = setTimeout(abort, ms)
  return {
    signal: silent.signal,
    begin() {
      timer = setTimeout(abort, ms)
    },
    end: () => clearTimeout(timer),
  }
}

/** Yields the chunks of a body. Not all browsers can iterate over it. */
async function* chunksOf(body: Response['body'], { begin, end }: Silence): AsyncIterable<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  try {
    for (;;) {
      begin()
      const { done, value } = await reader.read().finally(end)
      if (done) return
      yield value
    }
  } finally {
    // A body that broke off has reported it.
    await reader.cancel().catch(() => {})
  }
}
