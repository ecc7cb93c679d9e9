/** Checks answers before requests are measured, and returns a typical one. */
import { type Body, type Client, isSameBody, type Received } from './client.ts'
import type { LoadRequest } from './load.ts'
import type { Constant } from './reference.ts'
import type { RequestKind } from './request-kinds.ts'

const SAMPLES = 41
/** Headers that node:http adds for every server. */
const NODES_OWN = new Set(['date', 'connection', 'keep-alive'])

/**
 * Sends some requests of a kind in both codings and compares the answers. Returns the answer of median length, in the
 * form that a server with a constant body sends.
 * @throws Error if an answer is wrong
 */
export async function typicalAnswer(
  client: Client,
  kind: RequestKind,
  requests: readonly LoadRequest[],
): Promise<Constant> {
  const sample = requests.slice(0, SAMPLES)
  const received: Received[] = []
  for (const request of sample) {
    const { target } = request
    const gzip = await client.receive(request, 'gzip')
    const identity = await client.receive(request, 'identity')
    for (const { status } of [gzip, identity]) {
      if (status !== (kind.status ?? 200)) throw new Error(`${target} was answered ${status}`)
    }
    if (kind.status === undefined) {
      if (!isSameBody(gzip, identity)) throw new Error(`${target}: gzip and identity differ`)
      if (!kind.fits(JSON.parse(identity.body.toString()) as Body, target)) {
        throw new Error(`${target} was not answered with: ${kind.title}`)
      }
    }
    received.push(gzip)
  }
  const { status, headers, body } = received.sort((a, b) => a.body.length - b.body.length)[sample.length >> 1]!
  return { status, headers: withoutNodesOwn(headers), body }
}

function withoutNodesOwn(headers: readonly string[]): string[] {
  const isKept = (i: number) => !NODES_OWN.has(headers[i]!.toLowerCase())
  return headers.filter((_, i) => isKept(i - (i % 2)))
}
