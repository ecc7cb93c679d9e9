/** Tests that all programs that answer requests of the API answer alike, on a snapshot of any feeds. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { routeMatcher } from '../../corpus/answers/match.ts'
import type { Reply } from '../../corpus/answers/request.ts'
import { ROUTES } from '../../corpus/answers/routes.ts'
import { openReader } from '../../corpus/reader/reader.ts'
import { openCorpus } from '../../corpus/store/corpus.ts'
import { type Answerer, compareAnswers, overHttp, walkInTurns } from './answerers.ts'
import { testGateway } from './gateway.ts'
import type { SampleDist } from './samples.ts'
import { type Example, targetValues } from './target-values.ts'
import { requestTargets } from './targets.ts'
import { serveFolder } from './web-folder.ts'

const SEED = Number(process.env.VULNSHELF_TEST_SEED ?? 1)
const TARGETS = 1100
const SHOWN = 20
/** Answers of each parameter with status 200, at least. */
const PARAMETER_USES = 2
/** Of each walk. */
const PAGES = 5

/**
 * Registers the tests, and closes everything after them. `folder` gets the keys of a gateway. `absent` are routes and
 * parameters, such as `listChanges cursor`, for which the snapshot has no values.
 */
export async function registerSameAnswers(
  folder: string,
  { corpus, dist }: Pick<SampleDist, 'corpus' | 'dist'>,
  absent: readonly string[] = [],
): Promise<void> {
  const service = await testGateway(folder, dist)
  const web = await serveFolder(dist)
  const answerers = { gateway: overHttp(service), folder: await openReader(dist), web: await openReader(web.url) }
  const values = await targetValues(answerers.gateway, rejectedIds(corpus))
  const targets = await requestTargets(answerers.gateway, values, { seed: SEED, count: TARGETS })
  let replies: Reply[]

  test(`${TARGETS} targets of seed ${SEED} have equal answers, byte for byte`, async () => {
    const compared = await compareAnswers(answerers, targets)
    replies = compared.replies
    const { differences } = compared
    const counts = [...Map.groupBy(replies, ({ status }) => status)].map(
      ([status, { length }]) => `${status}: ${length}`,
    )
    console.log(`# ${targets.length} targets of seed ${SEED}; ${counts.sort().join(', ')}`)
    assert.is(differences.slice(0, SHOWN).join('\n'), '', `${differences.length} targets have different answers`)
  })

  test('the targets have all routes, parameters and sorts, and every kind of error', () => {
    const match = routeMatcher(ROUTES)
    const uses = new Map<string, number>()
    const use = (what: string) => void uses.set(what, 1 + (uses.get(what) ?? 0))
    for (const [i, target] of targets.entries()) {
      const { status } = replies[i]!
      use(String(status))
      if (status !== 200) continue
      const [path, query = ''] = target.split('?') as [string, string?]
      const { name } = match(path)!.route
      const given = [...new URLSearchParams(query)].flatMap(([key, value]) => [key, `${key}=${value}`])
      use(name)
      for (const one of new Set(given)) use(`${name} ${one}`)
    }
    const rare = ROUTES.flatMap(({ name, params }) => {
      const least: [what: string, uses: number][] = [[name, 1]]
      for (const parameter of Object.keys(params.query)) least.push([`${name} ${parameter}`, PARAMETER_USES])
      for (const sort of (params.query.sort?.schema.enum ?? []) as string[]) least.push([`${name} sort=${sort}`, 1])
      return least.flatMap(([what, least]) => ((uses.get(what) ?? 0) < least ? what : []))
    })
    assert.equal(rare, absent)
    for (const status of ['400', '404', '410']) assert.ok(uses.has(status), status)
  })

  test('every list continues with the cursors that others issued', async () => {
    const lists = ROUTES.filter(({ params }) => 'cursor' in params.query)
    const walked: string[] = []
    for (const list of lists) {
      const first = await firstPages(answerers.gateway, list, values.examples[list.name])
      for (const target of first) await walkInTurns(answerers, target, PAGES)
      if (first.length > 0) walked.push(`${list.name} cursor`)
    }
    const wanted = lists.map(({ name }) => `${name} cursor`).filter((name) => !absent.includes(name))
    assert.equal(walked, wanted)
  })

  test.after(async () => {
    answerers.gateway.close()
    await Promise.all([answerers.folder.close(), answerers.web.close()])
    await web.close()
    await service.close()
  })
}

/** Returns the first page of a list in each order, of an example with several pages; nothing without one. */
async function firstPages(
  service: Answerer,
  { path, params }: (typeof ROUTES)[number],
  examples: readonly Example[] = [{}],
): Promise<string[]> {
  const sorts = (params.query.sort?.schema.enum ?? [null]) as (string | null)[]
  for (const { path: values = {}, base = {} } of examples) {
    const filled = path.replace(/:(\w+)/g, (_, part: string) => encodeURIComponent(values[part]!))
    const targets = sorts.map((sort) => {
      return `${filled}?${new URLSearchParams({ ...base, ...(sort === null ? {} : { sort }), limit: '1' })}`
    })
    const { status, body } = await service.request(targets[0]!)
    if (status === 200 && JSON.parse(body).pagination.next_cursor !== null) return targets
  }
  return []
}

function rejectedIds(path: string): string[] {
  const corpus = openCorpus(path)
  try {
    return corpus.rejected().map(({ cveId }) => cveId)
  } finally {
    corpus.close()
  }
}
