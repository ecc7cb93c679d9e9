/** Programs that answer requests of the API, and comparisons of their answers. */
import { Agent, request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { Reply } from '../../corpus/answers/request.ts'

/** A reader, or a gateway over HTTP. */
export interface Answerer {
  /** `target` is path and query below `/api/v1`. */
  request(target: string): Promise<Reply>
}

const PREFIX = '/api/v1'

/** A gateway over HTTP, asked with an administrator's token for targets as they are, compressed. */
export function overHttp({ url, token }: { url: string; token: string }): Answerer & { close(): void } {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' }
  return {
    request: (target) =>
      new Promise((resolve, reject) => {
        const asked = request({ hostname, port, agent, headers, path: PREFIX + target }, (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const sent = Buffer.concat(chunks)
            const body = response.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
            resolve({ status: response.statusCode!, body: body.toString() })
          })
        })
        asked.on('error', reject).end()
      }),
    close: () => agent.destroy(),
  }
}

/**
 * `/snapshots` states which snapshots the service itself has open for cursors. A gateway opens earlier ones some time
 * after its start; a reader has one.
 */
function comparable(target: string, body: string): string {
  if (!/^\/snapshots\b/i.test(target)) return body
  const { data, ...rest } = JSON.parse(body) as { data?: { retained: boolean }[] }
  return data === undefined ? body : JSON.stringify({ data: data.map(({ retained: _, ...row }) => row), ...rest })
}

/** Describes where the answers to a target differ from the first one's; null if they are equal, byte for byte. */
function difference(target: string, answers: readonly (readonly [string, Reply])[]): string | null {
  const [[, first], ...others] = answers as [(typeof answers)[0], ...typeof answers]
  const other = others.find(([, { status, body }]) => status !== first.status || body !== first.body)
  if (!other) return null
  const length = Math.min(first.body.length, other[1].body.length)
  let at = 0
  while (at < length && first.body[at] === other[1].body[at]) at++
  const shown = answers.map(
    ([name, { status, body }]) => `  ${name}: ${status} …${body.slice(Math.max(0, at - 60), at + 140)}`,
  )
  return `${target}, from character ${at}:\n${shown.join('\n')}`
}

const ask = (answerers: Readonly<Record<string, Answerer>>, target: string) =>
  Promise.all(
    Object.entries(answerers).map(async ([name, answerer]) => {
      const { status, body } = await answerer.request(target)
      return [name, { status, body: comparable(target, body) }] as const
    }),
  )

/** Asks all answerers for each target. Returns the differences, and the replies of the first one. */
export async function compareAnswers(
  answerers: Readonly<Record<string, Answerer>>,
  targets: readonly string[],
): Promise<{ differences: string[]; replies: Reply[] }> {
  const differences: string[] = []
  const replies: Reply[] = []
  for (const target of targets) {
    const given = await ask(answerers, target)
    replies.push(given[0]![1])
    const found = difference(target, given)
    if (found !== null) differences.push(found)
  }
  return { differences, replies }
}

/**
 * Walks a list, each page with a cursor that another answerer issued. All answerers must answer each page alike. Returns
 * the number of pages.
 * @throws Error that names the first page with a difference
 */
export async function walkInTurns(
  answerers: Readonly<Record<string, Answerer>>,
  target: string,
  mostPages: number,
): Promise<number> {
  let asked = target
  for (let page = 1; ; page++) {
    const given = await ask(answerers, asked)
    const found = difference(asked, given)
    if (found !== null) throw new Error(`page ${page} of ${found}`)
    const [, { status, body }] = given[page % given.length]!
    if (status !== 200) throw new Error(`page ${page}: ${asked} was answered ${status}: ${body}`)
    const { pagination } = JSON.parse(body) as { pagination: { next_cursor: string | null } }
    if (pagination.next_cursor === null || page === mostPages) return page
    asked = `${target}${target.includes('?') ? '&' : '?'}cursor=${pagination.next_cursor}`
  }
}
