/** Requests of a browser: `fetch`, its timers and its clock. */
import type { ReadEffects } from '../../repository/read.ts'
import type { Answer, NetworkEffects } from '../../transfer/network.ts'

export type BrowserEffects = ReadEffects & Pick<NetworkEffects, 'request'>

/** Headers that only the browser may set. */
const OWN_HEADERS: readonly string[] = ['user-agent', 'accept-encoding']

export const fetchEffects: BrowserEffects = {
  async request(url, headers) {
    const asked = Object.entries(headers).filter(([name]) => !OWN_HEADERS.includes(name))
    // The pointer changes, and the objects are named by their digests: the browser's cache must ask for one only.
    const cache = url.pathname.endsWith('.json') && !url.pathname.includes('/manifests/') ? 'no-cache' : 'default'
    const response = await fetch(url, { headers: asked, cache })
    return answerOf(response)
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

function answerOf({ status, headers, body }: Response): Answer {
  return {
    status,
    headers: Object.fromEntries(headers),
    body: chunksOf(body),
    discard: async () => body?.cancel(),
  }
}

/** Safari's streams are not iterable. */
async function* chunksOf(body: Response['body']): AsyncIterable<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}
