/** Opens files on a web server. Name and password in the address go only to its own origin. */
import { TransferError } from '../transfer/error.ts'
import type { Answer, NetworkEffects } from '../transfer/network.ts'
import { firstByteOf, get, rangeHeader, withoutPassword } from '../transfer/request.ts'
import { statusError } from '../transfer/retry.ts'
import { readByteRanges } from './byte-ranges.ts'
import type { Source } from './source.ts'

export interface HttpOptions {
  /** Whether to request several ranges at once. A browser may do that only on the origin of its page. */
  manyRanges?: boolean
}

export function httpSource(
  url: URL,
  effects: Pick<NetworkEffects, 'request' | 'now'>,
  { manyRanges = true }: HttpOptions = {},
): Source {
  const { credentials, base } = withoutPassword(url)
  const ask = (path: string, headers: Record<string, string>) => get(effects, new URL(path, base), headers, credentials)
  return { name: base.href, isLocal: false, ...rangedFiles(ask, effects, manyRanges), close: async () => {} }
}

/** Returns what opens files by GET requests with ranges. `ask` sends one of them. */
export function rangedFiles(
  ask: (path: string, headers: Record<string, string>) => Promise<Answer>,
  effects: Pick<NetworkEffects, 'now'>,
  manyRanges: boolean,
): Pick<Source, 'open' | 'readSpans'> {
  return {
    async open(path, from = 0, to) {
      const range = rangeHeader(from, to)
      const answer = await ask(path, range === undefined ? {} : { range })
      const { status, headers, body: bytes, discard } = answer
      if (status === 200) return { bytes, from: 0, isWhole: range !== undefined, discard }
      const first = status === 206 ? firstByteOf(headers['content-range']) : null
      if (first !== null && first <= from) return { bytes, from: first, discard }
      await discard()
      if (status === 206 || status === 416) {
        throw new TransferError('restart', `the server cannot resume at byte ${from}`)
      }
      throw statusError(answer, effects.now())
    },
    ...(manyRanges && {
      async readSpans(path, spans) {
        const ranges = spans.map(({ at, length }) => `${at}-${at + length - 1}`)
        const answer = await ask(path, { range: `bytes=${ranges.join(',')}` })
        if (answer.status === 206) return readByteRanges(answer, spans, effects.now)
        await answer.discard()
        // Servers may ignore the ranges, or refuse several of them (RFC 9110, 14.2).
        if (answer.status === 200 || answer.status === 416) return null
        throw statusError(answer, effects.now())
      },
    }),
  }
}
