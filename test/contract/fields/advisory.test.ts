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
  type Is,
  listOf,
  matching,
  nullable,
  number,
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

const moment = (text: string | null | undefined) => (text ? new Date(text).toISOString() : null)
const vectorOf =
  (type: string) =>
  ({ severity = [] }: OsvJson) => {
    const vector = severity.find((one) => one.type === type)?.score ?? null
    return { vector, score: vector === null ? null : scoreOf(vector) }
  }

type Field = [is: Is, expected: (stated: OsvJson, answer: Answer) => unknown]

/** Each field: its type, and what the upstream advisory makes it. */
const FIELDS: Partial<Record<keyof Answer, Field>> = {
  advisory_id: [matching(/^GHSA-\w{4}-\w{4}-\w{4}$/), ({ id }) => id],
  cve_id: [matching(/^CVE-\d{4}-\d{4,}$/), ({ aliases }, { cve_id: id }) => (aliases?.includes(id) ? id : 'another')],
  html_url: [string, ({ id }) => `https://github.com/advisories/${id}`],
  // Unreviewed ones have no summary: how their text begins stands in.
  summary: [
    matching(/\S/),
    ({ summary, details = '' }, answer) => {
      const beginning = details.replace(/\s+/g, ' ').startsWith(answer.summary) && answer.summary.length <= 120
      return summary ?? (beginning ? answer.summary : null)
    },
  ],
  description: [string, ({ details }) => details],
  severity: [
    string,
    ({ database_specific: specific }) => specific?.severity?.toLowerCase().replace('moderate', 'medium') ?? 'unknown',
  ],
  cvss_v3: [object({ vector: nullable(string), score: nullable(number) }), vectorOf('CVSS_V3')],
  cvss_v4: [object({ vector: nullable(string), score: nullable(number) }), vectorOf('CVSS_V4')],
  cwe_ids: [listOf(matching(/^CWE-\d+$/)), ({ database_specific: specific }) => specific?.cwe_ids ?? []],
  // Null where the publisher names no repository: one cannot be made up.
  source_repo_url: [
    nullable(string),
    ({ references = [] }) => references.find(({ type }) => type === 'PACKAGE')?.url ?? null,
  ],
  published_at: [timestamp, ({ published }) => moment(published)],
  updated_at: [timestamp, ({ modified }) => moment(modified)],
  reviewed_at: [nullable(timestamp), ({ database_specific: specific }) => moment(specific?.github_reviewed_at)],
  withdrawn_at: [nullable(timestamp), ({ withdrawn }) => moment(withdrawn)],
  references: [listOf(string), ({ references = [] }) => [...new Set(references.map(({ url }) => url))]],
  credits: [
    listOf(object({ type: string, login: matching(/\S/), html_url: matching(/^https:\/\//) })),
    ({ credits = [] }) =>
      credits.map(({ type, name, contact = [] }) => ({
        type: type.toLowerCase(),
        login: name,
        html_url: contact.find((one) => one.startsWith('https://')),
      })),
  ],
  epss: [
    object({ percentage: nullable(fraction), percentile: nullable(fraction) }),
    (_, { cve_id: id }) => {
      const { score = null, percentile = null } = feeds.epss.scores.get(id) ?? {}
      return { percentage: score, percentile }
    },
  ],
}

states(
  '15.5, 15.6, 15.7, 15.8, 15.9, 15.10, 15.11, 15.12, 15.14, 15.15, 15.16, 15.17, 15.19, 15.20',
  'each field, as the publisher states it',
  () => {
    assert.ok(answers.length > 20)
    for (const [name, [is, expected]] of Object.entries(FIELDS) as [keyof Answer, Field][]) {
      expectField(answers, name, is)
      for (const { answer, stated } of linked) {
        assert.equal(answer[name], expected(stated, answer), `${name} of ${stated.id}`)
      }
    }
    for (const name of ['reviewed_at', 'withdrawn_at', 'source_repo_url'] as const) {
      assert.ok(
        answers.some((one) => one[name] !== null),
        name,
      )
    }
    for (const name of ['cvss_v3', 'cvss_v4'] as const) {
      assert.is(new Set(answers.map((one) => one[name].vector === null)).size, 2, name)
    }
    assert.ok(answers.some(({ description }) => /^### /m.test(description)))
    assert.ok(new Set(answers.map(({ severity }) => severity)).size > 2)
    assert.ok(answers.some(({ cwe_ids: ids }) => ids.length > 0))
    const types = answers.flatMap(({ credits }) => credits.map(({ type }) => type))
    expectSeen(types, ['finder', 'analyst'])
  },
)

states('15.13', 'names of the weaknesses by id', () => {
  for (const { cwe_ids: ids, cwe_names: names } of answers) {
    assert.equal(names, Object.fromEntries(ids.flatMap((id) => (weaknesses.has(id) ? [[id, weaknesses.get(id)]] : []))))
  }
  assert.ok(answers.some(({ cwe_names: names }) => Object.keys(names).length > 0))
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

after(() => service.remove())
run()
