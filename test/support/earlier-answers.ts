/** Tests that a repository answers for each of its nights as it did in that night. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { routeMatcher } from '../../corpus/answers/match.ts'
import { ROUTES } from '../../corpus/answers/routes.ts'
import { openReader } from '../../corpus/reader/reader.ts'
import { type Answerer, overHttp, walkInTurns } from './answerers.ts'
import { testGateway } from './gateway.ts'
import { type TargetValues, targetValues } from './target-values.ts'
import { requestTargets } from './targets.ts'
import { serveFolder } from './web-folder.ts'

const SHOWN = 10
const PAGES = 4

/**
 * Registers the tests. `nights` are folders that each have one more snapshot than the one before. `folder` gets the keys of
 * a gateway.
 */
export async function registerEarlierAnswers(folder: string, nights: readonly string[], count: number): Promise<void> {
  const last = nights.at(-1)!
  const service = await testGateway(folder, last)
  await service.registry.settled
  const web = await serveFolder(last)
  const answerers = { gateway: overHttp(service), folder: await openReader(last), web: await openReader(web.url) }
  const earlier = nights.slice(0, -1)
  // The last night has most of everything. What an earlier one does not have is an answer too.
  const values = await targetValues(answerers.folder, [])

  for (const [n, night] of earlier.entries()) {
    test(`night ${n + 1}: ${count} targets are answered as in that night`, async () => {
      const then = await openReader(night)
      const at = pinnedTo(then.snapshot.id)
      const targets = await targetsOf(then, values, count)
      const differences: string[] = []
      for (const target of targets) {
        const own = await then.request(target)
        const wanted = await then.request(at(target))
        assert.equal(withoutCursor(wanted), withoutCursor(own), target)
        for (const [name, answerer] of Object.entries(answerers)) {
          const reply = await answerer.request(at(target))
          if (reply.status !== wanted.status || reply.body !== wanted.body) {
            differences.push(`${name} ${at(target)}: ${reply.status} ${reply.body.slice(0, 300)}`)
          }
        }
      }
      await then.close()
      assert.is(differences.slice(0, SHOWN).join('\n'), '', `${differences.length} answers differ`)
    })
  }

  test('walks through a night continue with the cursors that others issued', async () => {
    const then = await openReader(earlier[0]!)
    const at = pinnedTo(then.snapshot.id)
    for (const target of ['/cves?limit=7&sort=-cvss', '/cves?limit=3&severity=high', '/vendors?limit=5']) {
      assert.is(await walkInTurns({ ...answerers, then }, at(target), PAGES), PAGES, target)
    }
    await then.close()
  })

  test.after(async () => {
    answerers.gateway.close()
    await Promise.all([answerers.folder.close(), answerers.web.close()])
    await web.close()
    await service.close()
  })
}

export const pinnedTo = (id: string) => (target: string) => `${target}${target.includes('?') ? '&' : '?'}snapshot=${id}`

/** Targets of routes that take a snapshot, without cursors: those belong to a walk without `snapshot`. */
async function targetsOf(night: Answerer, values: TargetValues, count: number): Promise<string[]> {
  const match = routeMatcher(ROUTES)
  const targets = await requestTargets(night, values, { seed: 42, count: 2 * count })
  const asked = targets.filter((target) => {
    const [path, query = ''] = target.split('?') as [string, string?]
    const route = match(path)?.route
    const given = new URLSearchParams(query)
    return route && !route.spansSnapshots && !given.has('cursor') && !given.has('snapshot')
  })
  return asked.slice(0, count)
}

function withoutCursor({ status, body }: { status: number; body: string }) {
  return { status, body: body.replace(/"next_cursor":"[^"]*"/, '"next_cursor":"…"') }
}
