/** Opens what answers targets of the API: a repository, or a gateway. */
import { realEffects } from '../../corpus/command/effects.ts'
import { openReader, type Reply, readKeySetFile } from '../../corpus/reader/reader.ts'
import { TransferError } from '../../corpus/transfer/error.ts'
import { type NetworkEffects, realNetworkEffects } from '../../corpus/transfer/network.ts'
import { readWhole } from '../../corpus/transfer/receive.ts'
import { get } from '../../corpus/transfer/request.ts'
import { statusError, transferring } from '../../corpus/transfer/retry.ts'
import { QueryError } from './error.ts'

export interface Api {
  /** Answers a target such as `/cves?kev=true`. @throws SnapshotError, TransferError */
  request(target: string): Promise<Reply>
  close(): Promise<void>
}

export interface ApiFlags {
  at?: string | undefined
  keys?: string | undefined
  /** Access token. Then the address is that of a gateway. */
  token?: string | undefined
}

/** @throws QueryError `usage`, KeyError, SnapshotError, TransferError */
export async function openApi(address: string, { at, keys, token }: ApiFlags): Promise<Api> {
  if (token === undefined) {
    return openReader(address, {
      at,
      keys: keys === undefined ? undefined : await readKeySetFile(keys),
      onWait: realEffects().log,
    })
  }
  if (keys !== undefined) throw new QueryError('usage', '--keys needs a repository; a gateway (--token) has no pointer')
  const { effects, close } = realNetworkEffects()
  return { request: gatewayRequests(address, { at, token }, effects), close }
}

/** An answer of 100 records with every section has a few MB. */
const MAX_ANSWER_BYTES = 64 << 20
/** Errors of the API. A gateway that is busy, or a used-up quota, is waited for. */
const REFUSALS = [400, 401, 403, 404, 410]

/**
 * Returns a function that asks a gateway. Waits while it is busy or the quota is used up.
 * @throws QueryError `usage` for an address that is no URL
 */
export function gatewayRequests(
  address: string,
  { at, token }: { at?: string | undefined; token: string },
  effects: NetworkEffects,
): Api['request'] {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new QueryError(
      'usage',
      `'${address}' is no URL of a gateway; --token needs one, such as https://vulns.example.com`,
    )
  }
  const base = `${url.origin}${url.pathname.replace(/\/(?:api\/v1\/?)?$/, '')}/api/v1`
  const credentials = new Map([[url.origin, `Bearer ${token}`]])
  const pinned = at === undefined ? '' : `snapshot=${encodeURIComponent(at)}`
  return (target) => {
    // The description of the API is not that of a snapshot.
    const isPinned = pinned !== '' && target !== '/openapi.json'
    const asked = new URL(base + (isPinned ? `${target}${target.includes('?') ? '&' : '?'}${pinned}` : target))
    return transferring(url.origin, effects, async () => {
      const answer = await get(effects, asked, { accept: 'application/json' }, credentials)
      const { status } = answer
      if (status !== 200 && !REFUSALS.includes(status)) {
        await answer.discard()
        throw statusError(answer, effects.now())
      }
      const body = (await readWhole(answer.body, MAX_ANSWER_BYTES, effects.now)).toString()
      if (!isJsonObject(body))
        throw new TransferError('unusable', `answers ${status} without JSON: this is no gateway. Correct the address`)
      return { status, body }
    })
  }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
