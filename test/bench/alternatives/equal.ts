/** Checks before the measurement that the alternative gives the same answers as the gateway. */
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { type Client, createClient, headerOf } from '../http/client.ts'
import type { LoadRequest } from '../http/load.ts'

const SAMPLES = 50

/**
 * Sends the first of the same requests to both, each in its own syntax.
 * @throws Error if an answer differs; the format of cursors is ignored
 */
export async function expectEqual(
  gateway: Client,
  port: number,
  headers: readonly string[],
  requests: readonly LoadRequest[],
  translated: readonly LoadRequest[],
): Promise<void> {
  const [authorization = ''] = headers.filter((line) => /^authorization:/i.test(line))
  const other = createClient(port, authorization.replace(/^authorization: Bearer /i, ''))
  try {
    for (const [i, request] of requests.slice(0, SAMPLES).entries()) {
      const [ours, theirs] = [await answerOf(gateway, request), await answerOf(other, translated[i]!)]
      if (!isDeepStrictEqual(ours, theirs)) throw new Error(`${request.target} is answered in another way by Fastify`)
    }
  } finally {
    other.close()
  }
}

async function answerOf(client: Client, request: LoadRequest): Promise<unknown> {
  const received = await client.receive(request, 'gzip')
  const { status, body } = received
  if (status !== 200) throw new Error(`${request.target} was answered ${status}: ${body}`)
  const json = headerOf(received, 'content-encoding') === 'gzip' ? gunzipSync(body) : body
  const answer = JSON.parse(json.toString()) as { pagination?: { next_cursor: string | null } }
  if (!answer.pagination) return answer
  const { next_cursor, ...pagination } = answer.pagination
  return { ...answer, pagination: { ...pagination, more: next_cursor !== null } }
}
