/** Opens files on a web server. Name and password in the address go only to its own origin. */
import { TransferError } from '../transfer/error.ts'
import type { NetworkEffects } from '../transfer/network.ts'
import { firstByteOf, get, rangeHeader, withoutPassword } from '../transfer/request.ts'
import { statusError } from '../transfer/retry.ts'
import type { Source } from './source.ts'

export function httpSource(url: URL, effects: Pick<NetworkEffects, 'request' | 'now'>): Source {
  const { credentials, base } = withoutPassword(url)
  return {
    name: base.href,
    isLocal: false,
    async open(path, from = 0, to) {
      const range = rangeHeader(from, to)
      const answer = await get(effects, new URL(path, base), range === undefined ? {} : { range }, credentials)
      const { status, headers, body: bytes, discard } = answer
      if (status === 200) return { bytes, from: 0, discard }
      const first = status === 206 ? firstByteOf(headers['content-range']) : null
      if (first !== null && first <= from) return { bytes, from: first, discard }
      await discard()
      if (status === 206 || status === 416) {
        throw new TransferError('restart', `the server cannot resume at byte ${from}`)
      }
      throw statusError(answer, effects.now())
    },
    close: async () => {},
  }
}
