/** Before a line is measured: whether its answers are right, and what a typical one looks like. */
import { gunzipSync } from 'node:zlib'
import type { Body, Client, Received } from './client.ts'
import type { Line } from './lines.ts'
import type { Constant } from './reference.ts'

const SAMPLES = 41
/** Headers that node:http adds by itself, for every server. */
const NODES_OWN = new Set(['date', 'connection', 'keep-alive'])

/**
 * Asks for some targets of a line in both codings and compares; gives the answer of median length, as a server with a
 * constant body would send it.
 * @throws Error when an answer is not what it should be
 */
export async function typicalAnswer(client: Client, line: Line, targets: readonly string[]): Promise<Constant> {
  const sample = targets.slice(0, SAMPLES)
  const received: Received[] = []
  for (const target of sample) {
    const gzip = await client.receive(target, 'gzip')
    const identity = await client.receive(target, 'identity')
    if (!gunzipSync(gzip.body).equals(identity.body)) throw new Error(`${target}: gzip and identity differ`)
    if (!line.fits(JSON.parse(identity.body.toString()) as Body, target)) {
      throw new Error(`${target} was not answered with ${line.title}`)
    }
    received.push(gzip)
  }
  const { headers, body } = received.sort((a, b) => a.body.length - b.body.length)[sample.length >> 1]!
  return { headers: withoutNodesOwn(headers), body }
}

function withoutNodesOwn(headers: readonly string[]): string[] {
  const kept: string[] = []
  for (let i = 0; i < headers.length; i += 2) {
    if (!NODES_OWN.has(headers[i]!.toLowerCase())) kept.push(headers[i]!, headers[i + 1]!)
  }
  return kept
}
