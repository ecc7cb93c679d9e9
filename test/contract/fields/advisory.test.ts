/** gateway/API.md, section 15: the fields of every linked advisory, against the advisory database. */
import * as assert from 'uvu/assert'
import type { Advisory } from '../../../corpus/model/record.ts'
import { contractSuite } from '../support/contract.ts'
import { scoreOf } from '../support/expected.ts'
import {
  expectField,
  expectNullable,
  expectSeen,
  fraction,
  listOf,
  matching,
  object,
  string,
  timestamp,
} from '../support/field-types.ts'
import { type OsvJson, sampleFeeds } from '../support/sample-feeds.ts'
import { sharedService } from '../support/service.ts'

type Answer = Advisory & { epss: { percentage: number | null; percentile: number | null } }

const { states, after, run } = contractSuite('linked advisory')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const weaknesses = new Map(
  (await service.all<{ cwe_id: string; name: string }>('/cwes')).map(({ cwe_id, name }) => [cwe_id, name]),
)

const reviewed = (one: OsvJson) => one.database_specific?.github_reviewed === true
/** Not withdrawn, reviewed, earliest published, lowest id (rule 29). */
const order = (a: OsvJson, b: OsvJson) =>
  Number(a.withdrawn !== undefined) - Number(b.withdrawn !== undefined) ||
  Number(reviewed(b)) - Number(reviewed(a)) ||
  Date.parse(a.published) - Date.parse(b.published) ||
  (a.id < b.id ? -1 : 1)

/** Each answer with the upstream advisory that it must be. */
const linked: { answer: Answer; stated: OsvJson }[] = []
for (const { cve_id: id } of await service.all<{ cve_id: string }>('/cves')) {
  const [stated] = feeds.advisories.filter(({ aliases }) => aliases?.includes(id)).sort(order)
  const { status, body } = await service.ask(`/cves/${id}/advisory`)
  assert.is(status, stated ? 200 : 404, id)
  if (stated) linked.push({ answer: body as Answer, stated })
}
const answers = linked.map(({ answer }) => answer)

/** Holds a field of every advisory against what its upstream one makes it. */
function expectEach(name: keyof Answer, expected: (stated: OsvJson, answer: Answer) => unknown): void {
  for (const { answer, stated } of linked) {
    assert.equal(answer[name], expected(stated, answer), `${name} of ${stated.id}`)
  }
}

const moment = (text: string | null | undefined) => (text ? new Date(text).toISOString() : null)

states('15.5', 'the id of the advisory', () => {
  expectField(answers, 'advisory_id', matching(/^GHSA-\w{4}-\w{4}-\w{4}$/))
  expectEach('advisory_id', ({ id }) => id)
  assert.ok(answers.length > 20)
})

states('15.6', 'the CVE it belongs to', () => {
  expectField(answers, 'cve_id', matching(/^CVE-\d{4}-\d{4,}$/))
  for (const { answer, stated } of linked) assert.ok(stated.aliases?.includes(answer.cve_id), stated.id)
})

states('15.7', 'the page of the advisory', () => {
  expectField(answers, 'html_url', string)
  expectEach('html_url', ({ id }) => `https://github.com/advisories/${id}`)
})

states('15.8', 'a short text', () => {
  expectField(answers, 'summary', matching(/\S/))
  // Unreviewed ones have no summary: how their text begins stands in.
  expectEach('summary', ({ summary, details = '' }, answer) => {
    const beginning = details.replace(/\s+/g, ' ').startsWith(answer.summary) && answer.summary.length <= 120
    return summary ?? (beginning ? answer.summary : null)
  })
})

states('15.9', 'the whole text in Markdown', () => {
  expectField(answers, 'description', string)
  expectEach('description', ({ details }) => details)
  assert.ok(answers.some(({ description }) => /^### /m.test(description)))
})

states('15.10', 'the severity of the publisher', () => {
  expectField(answers, 'severity', string)
  expectEach('severity', ({ database_specific: specific }) => specific?.severity?.toLowerCase() ?? 'unknown')
  assert.ok(new Set(answers.map(({ severity }) => severity)).size > 2)
})

states('15.11', 'vector and score of each version', () => {
  for (const [name, type] of [
    ['cvss_v3', 'CVSS_V3'],
    ['cvss_v4', 'CVSS_V4'],
  ] as const) {
    expectEach(name, ({ severity = [] }) => {
      const vector = severity.find((one) => one.type === type)?.score ?? null
      return { vector, score: vector === null ? null : scoreOf(vector) }
    })
    expectSeen(
      answers.map((answer) => answer[name].vector === null),
      [true, false],
    )
  }
})

states('15.12', 'weaknesses by id', () => {
  expectField(answers, 'cwe_ids', listOf(matching(/^CWE-\d+$/)))
  expectEach('cwe_ids', ({ database_specific: specific }) => specific?.cwe_ids ?? [])
  assert.ok(answers.some(({ cwe_ids: ids }) => ids.length > 0))
})

states('15.13', 'names of the weaknesses by id', () => {
  expectEach('cwe_names', (_, { cwe_ids: ids }) =>
    Object.fromEntries(ids.flatMap((id) => (weaknesses.has(id) ? [[id, weaknesses.get(id)]] : []))),
  )
  assert.ok(answers.some(({ cwe_names: names }) => Object.keys(names).length > 0))
})

states('15.14', 'the source repository', () => {
  // Null where the publisher names no repository: one cannot be made up.
  expectEach('source_repo_url', ({ references = [] }) => references.find(({ type }) => type === 'PACKAGE')?.url ?? null)
  assert.ok(answers.filter(({ source_repo_url: url }) => url !== null).length > 20)
})

states('15.15', 'publication, update and review', () => {
  expectField(answers, 'published_at', timestamp)
  expectField(answers, 'updated_at', timestamp)
  expectNullable(answers, 'reviewed_at', timestamp)
  expectEach('published_at', ({ published }) => moment(published))
  expectEach('updated_at', ({ modified }) => moment(modified))
  expectEach('reviewed_at', ({ database_specific: specific }) => moment(specific?.github_reviewed_at))
})

states('15.16', 'the time of withdrawal', () => {
  expectNullable(answers, 'withdrawn_at', timestamp)
  expectEach('withdrawn_at', ({ withdrawn }) => moment(withdrawn))
})

states('15.17', 'URLs of the advisory', () => {
  expectField(answers, 'references', listOf(string))
  expectEach('references', ({ references = [] }) => [...new Set(references.map(({ url }) => url))])
})

states('15.18', 'packages with range and fix', () => {
  const packages = answers.flatMap(({ affected_packages: list }) => list)
  assert.ok(packages.length > 20)
  for (const name of ['ecosystem', 'name'] as const) expectField(packages, name, matching(/\S/))
  expectField(packages, 'vulnerable_version_range', matching(/^(= \S+|>= \S+|(>= \S+, )?<=? \S+)$/))
  // Null where no patched version is known.
  expectNullable(packages, 'first_patched_version', matching(/\S/))
  for (const { answer, stated } of linked) {
    assert.equal(
      [...new Set(answer.affected_packages.map(({ ecosystem, name }) => `${ecosystem} ${name}`))],
      [...new Set(stated.affected.map(({ package: one }) => `${one!.ecosystem} ${one!.name}`))],
      stated.id,
    )
    const fixes = [...JSON.stringify(stated.affected).matchAll(/"fixed":"([^"]+)"/g)].map(([, version]) => version)
    const patched = answer.affected_packages.flatMap(({ first_patched_version: version }) => version ?? [])
    assert.equal([...new Set(patched)].sort(), [...new Set(fixes)].sort(), stated.id)
    for (const { vulnerable_version_range: range } of answer.affected_packages) {
      for (const [, version] of range.matchAll(/(?:[<>]=?|=) ([^,\s]+)/g)) {
        assert.ok(version === '0' || JSON.stringify(stated.affected).includes(version!), `${range} of ${stated.id}`)
      }
    }
  }
})

states('15.19', 'people and their roles', () => {
  const credits = answers.flatMap((answer) => answer.credits)
  const shape = object({ type: string, login: matching(/\S/), html_url: matching(/^https:\/\//) })
  assert.ok(credits.every(shape))
  expectSeen(
    credits.map(({ type }) => type),
    ['finder', 'analyst'],
  )
  expectEach('credits', ({ credits: stated = [] }) =>
    stated.map(({ type, name, contact = [] }) => ({
      type: type.toLowerCase(),
      login: name,
      html_url: contact.find((one) => one.startsWith('https://')),
    })),
  )
})

states('15.20', 'EPSS in the shape of advisories', () => {
  expectField(answers, 'epss', object({ percentage: fraction, percentile: fraction }))
  expectEach('epss', (_, { cve_id: id }) => {
    const { score, percentile } = feeds.epss.scores.get(id)!
    return { percentage: score, percentile }
  })
})

after(() => service.remove())
run()
