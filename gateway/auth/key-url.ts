/** The key set at a JWKS URL, or found by OpenID Connect discovery (rule 11). */

import { unavailable } from '../../corpus/answers/errors.ts'
import { parseUntrustedJson } from '../../corpus/model/values/json-text.ts'
import type { Log } from '../process/log.ts'
import { type KeyRing, type KeySet, MAX_KEY_SET_BYTES, parseKeySet } from './key-set.ts'

export type Fetch = (
  url: string,
  init: { signal: AbortSignal; redirect: 'manual'; headers: Record<string, string> },
) => Promise<{
  ok: boolean
  status: number
  body: AsyncIterable<Uint8Array> | null
}>

export interface KeyUrlOptions {
  fetch: Fetch
  now: () => number
  log: Log
  /** After this age, the set is fetched again in the background. */
  maxAgeMs?: number
  /** Between two fetches for an unknown key. */
  cooldownMs?: number
  /** How long the last set is used while the issuer is unreachable. */
  maxStaleMs?: number
}

const RETRY_MS = 5000
const TIMEOUT_MS = 5000

export function keyUrl(url: string, options: KeyUrlOptions): KeyRing {
  return ringOf(() => fetchText(url, options.fetch), url, options)
}

/** Each fetch reads the metadata again (OpenID Connect Discovery 1.0, 4). */
export function keysByDiscovery(issuer: string, options: KeyUrlOptions): KeyRing {
  const metadataUrl = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const load = async () => {
    const metadata = parseUntrustedJson(await fetchText(metadataUrl, options.fetch)) as {
      issuer?: unknown
      jwks_uri?: unknown
    } | null
    if (metadata?.issuer !== issuer) throw new Error(`${metadataUrl} states another issuer than ${issuer}`)
    const stated = metadata.jwks_uri
    const uri = typeof stated === 'string' && URL.canParse(stated) ? new URL(stated) : null
    const secure = uri?.protocol === 'https:' || (uri?.protocol === 'http:' && issuer.startsWith('http:'))
    if (uri === null || !secure) throw new Error(`${metadataUrl} has no https URL in jwks_uri`)
    return fetchText(uri.href, options.fetch)
  }
  return ringOf(load, metadataUrl, options)
}

function ringOf(load: () => Promise<string>, position: string, options: KeyUrlOptions): KeyRing {
  const { now, log, maxAgeMs = 600_000, cooldownMs = 30_000, maxStaleMs = 86_400_000 } = options
  let set: KeySet | null = null
  let fetchedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | null = null

  /** Never rejects; an error is logged and keeps `set`. Concurrent requests share one fetch. */
  const refresh = (): Promise<void> => {
    triedAt = now()
    loading ??= load()
      .then((text) => {
        if (text !== set?.text) set = parseKeySet(text)
        fetchedAt = now()
        log.debug({ position }, 'key set downloaded')
      })
      .catch((error: unknown) => log.error({ err: error, position }, 'key set download failed'))
      .finally(() => {
        loading = null
      })
    return loading
  }

  const current = (): KeySet | null => {
    const age = now() - fetchedAt
    if (age > maxAgeMs && set !== null && loading === null && now() - triedAt >= RETRY_MS) void refresh()
    return age <= maxStaleMs ? set : null
  }

  return {
    current,
    obtain: async () => {
      if (current() === null && (loading !== null || now() - triedAt >= RETRY_MS)) await (loading ?? refresh())
      const found = current()
      if (found !== null) return found
      throw unavailable('the keys that verify tokens are unavailable', (RETRY_MS - (now() - triedAt)) / 1000)
    },
    renew: async (known) => {
      if (loading !== null) await loading
      else if (set === known && now() - triedAt >= cooldownMs) await refresh()
      return set ?? known
    },
  }
}

/** Never follows redirects: the operator decides where keys come from. */
async function fetchText(url: string, fetch: Fetch): Promise<string> {
  const headers = { accept: 'application/json' }
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual', headers })
  if (!response.ok || response.body === null) throw new Error(`${url} returned status ${response.status}`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.length
    if (bytes > MAX_KEY_SET_BYTES) throw new Error(`${url} returned more than ${MAX_KEY_SET_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
