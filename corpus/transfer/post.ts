/** Sends a small JSON document to a web server. */
import { withDeadline } from './deadline.ts'
import type { NetworkEffects } from './network.ts'
import { networkError, takePassword, USER_AGENT } from './request.ts'
import { logWait, statusError, withRetries } from './retry.ts'

/**
 * Sends `json` with POST. Retries temporary errors within `limitMs`. Follows no redirect. Log lines name only the
 * origin, because the path may be a secret.
 * @throws TransferError unless the server answers with a status from 200 to 299
 */
export async function postJson(effects: NetworkEffects, url: URL, json: string, limitMs: number): Promise<void> {
  const { bare, authorization } = takePassword(url)
  const headers = {
    'user-agent': USER_AGENT,
    'content-type': 'application/json',
    ...(authorization === undefined ? {} : { authorization }),
  }
  const once = async () => {
    const answer = await effects.request(bare, headers, { method: 'POST', body: json }).catch((cause: unknown) => {
      throw networkError(cause)
    })
    await answer.discard()
    if (answer.status < 200 || answer.status > 299) throw statusError(answer, effects.now())
  }
  await withDeadline(limitMs, (signal) => withRetries(effects, once, { signal, onWait: logWait(url.origin, effects) }))
}
