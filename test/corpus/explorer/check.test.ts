/** The page that checks a file: look-ups at a gateway, groups, filters, files. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Api, ApiFailure, type Params, target } from '../../../corpus/explorer/app/data/api.ts'
import { patiently } from '../../../corpus/explorer/app/data/wait.ts'
import { gatewayLookUp, LOOKUPS_AT_ONCE } from '../../../corpus/explorer/app/pages/check/lookup.ts'
import {
  byPackage,
  csvOf,
  jsonOf,
  packagesBySeverity,
  selected,
  summaryOf,
} from '../../../corpus/explorer/app/pages/check/report.ts'
import { checkFiles, readFiles } from '../../../corpus/explorer/app/pages/check/run.ts'
import { SAMPLE_NAME, sample } from '../../../corpus/explorer/app/pages/check/sample.ts'
import type { DecidedFinding } from '../../../corpus/inventory/decisions/apply.ts'
import { readDocument } from '../../../corpus/inventory/document.ts'
import {
  type EcosystemComponent,
  type Finding,
  findAdvisories,
  type LookUp,
} from '../../../corpus/inventory/findings.ts'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import type { AffectedRow } from '../../../corpus/model/packages/affected-row.ts'
import { affectedRow } from '../../support/affected-row.ts'

const component = (name: string, more: Partial<EcosystemComponent> = {}): EcosystemComponent => ({
  ecosystem: 'npm',
  name,
  version: '1.0.0',
  purl: null,
  source: null,
  line: null,
  groups: null,
  ...more,
})

const finding = (name: string, advisory: AffectedRow, more: Partial<EcosystemComponent> = {}): DecidedFinding => ({
  ...component(name, more),
  file: 'f',
  safeVersion: null,
  noSafeVersion: 'no_fix',
  advisory,
  decision: null,
})

type Ask = (path: string, params: Params) => unknown

const apiOf = (ask: Ask): Api => ({
  mode: 'gateway',
  get: async (path, params = {}) => ask(path, params) as never,
})

const answer = (
  data: AffectedRow[],
  { indexed = true, next = null as string | null, purl = null as string | null } = {},
) => ({
  query: { purl, indexed },
  data,
  pagination: { limit: 100, next_cursor: next },
})

/** Looks a package up that can be judged. */
const rowsOf = async (lookUp: LookUp, one: EcosystemComponent) => (await lookUp(one)) as readonly AffectedRow[]

/** Waits without delay, and notes for how long it would. */
function waiting() {
  const seconds: number[] = []
  const stop = new AbortController()
  const options = { signal: stop.signal, onWait: (one: number) => seconds.push(one), sleep: async () => {} }
  return { seconds, stop, options }
}

test('a package is asked for once, page by page', async () => {
  const asked: Params[] = []
  const api = apiOf((path, params) => {
    assert.is(path, '/affected')
    asked.push(params)
    return params.cursor === null
      ? answer([affectedRow('A-1', 'high')], { next: 'next' })
      : answer([affectedRow('A-2', 'low')])
  })
  const rows = await rowsOf(gatewayLookUp(api, waiting().options), component('a'))
  assert.equal(
    rows.map(({ advisory_id }) => advisory_id),
    ['A-1', 'A-2'],
  )
  assert.equal(asked, [
    { ecosystem: 'npm', name: 'a', version: '1.0.0', source: null, limit: 100, cursor: null },
    { ecosystem: 'npm', name: 'a', version: '1.0.0', source: null, limit: 100, cursor: 'next' },
  ])
})

test('packages that are looked up together share a request, and those without a purl do not', async () => {
  const asked: Params[] = []
  const api = apiOf((_, params) => {
    asked.push(params)
    const { purl } = params
    if (!Array.isArray(purl)) return answer([affectedRow(`A-${params.name}`, 'high')])
    const groups = purl.map((one, i) =>
      answer(i === 2 ? [] : [affectedRow(`A-${one}`, 'high')], {
        next: i === 1 ? 'next' : null,
        indexed: i !== 2,
        purl: one,
      }),
    )
    return { groups }
  })
  const lookUp = gatewayLookUp(api, waiting().options)
  const odd = component('with blank', { ecosystem: 'Custom' })
  const all = [component('a'), component('@s/b'), component('c'), odd, component('d')]
  const found = await Promise.all(all.map(lookUp))
  assert.equal(
    found.map((rows) => (typeof rows === 'string' ? rows : rows.map(({ advisory_id }) => advisory_id))),
    [
      ['A-pkg:npm/a@1.0.0'],
      ['A-pkg:npm/%40s/b@1.0.0', 'A-@s/b'],
      'the snapshot has no advisories for npm',
      ['A-with blank'],
      ['A-pkg:npm/d@1.0.0'],
    ],
  )
  const purls = ['pkg:npm/a@1.0.0', 'pkg:npm/%40s/b@1.0.0', 'pkg:npm/c@1.0.0', 'pkg:npm/d@1.0.0']
  assert.equal(asked[0], { purl: purls, limit: 100 })
  const rest = asked.slice(1).map(({ name, cursor }) => [name, cursor])
  assert.equal(rest.sort(), [
    ['@s/b', 'next'],
    ['with blank', null],
  ])
})

test('a file that names a package twice gets the rows of each package', async () => {
  const asked: unknown[] = []
  const api = apiOf((_, { purl }) => {
    asked.push(purl)
    const purls = [...new Set(purl as string[])]
    return { groups: purls.map((one) => answer([affectedRow(`A-${one}`, 'high')], { purl: one })) }
  })
  const lookUp = gatewayLookUp(api, waiting().options)
  const names = ['a', 'a', 'b', 'a', 'c']
  const found = await Promise.all(names.map((name) => rowsOf(lookUp, component(name))))
  assert.equal(
    found.map((rows) => rows.map(({ advisory_id }) => advisory_id)),
    names.map((name) => [`A-pkg:npm/${name}@1.0.0`]),
  )
  assert.equal(asked, [['pkg:npm/a@1.0.0', 'pkg:npm/b@1.0.0', 'pkg:npm/c@1.0.0']])
})

/** Answers purls without advisories, and notes the address of each request. */
function countingApi() {
  const addresses: string[] = []
  const api = apiOf((path, params) => {
    addresses.push(target(path, params))
    const { purl, limit } = params
    if (!Array.isArray(purl)) return answer([])
    assert.ok(purl.length <= 100 && purl.length * Number(limit) <= 2500, `${purl.length} purls, ${limit} rows each`)
    return { groups: purl.map((one) => answer([], { purl: one })) }
  })
  return { addresses, api }
}

/** Names and versions of the length that lock files have on average, or more. */
const MANY: Readonly<Record<string, (i: number) => Partial<EcosystemComponent>>> = {
  npm: (i) => ({ name: `@some-scope-${i % 7}/a-longer-name-of-a-package-${i}`, version: '10.20.30-beta.1' }),
  Maven: (i) => ({ ecosystem: 'Maven', name: `org.springframework.boot:spring-boot-part-${i}`, version: '2.7.18' }),
  Go: (i) => ({ ecosystem: 'Go', name: `github.com/aws/aws-sdk-go-v2/part-${i}`, version: 'v1.2.3' }),
  Debian: (i) => ({
    ecosystem: 'Debian:12',
    name: `libsome-name${i}-1`,
    version: '12.2.0-14+b1',
    source: `some-name-${i}@12.2.0-14`,
    purl: `pkg:deb/debian/libsome-name${i}-1@12.2.0-14%2Bb1?arch=amd64&distro=debian-12.4&upstream=some-name-${i}%4012.2.0-14`,
  }),
  // syft and Trivy state source and distribution in properties.
  Ubuntu: (i) => ({
    ecosystem: 'Ubuntu:22.04',
    name: `libsome-name${i}-1`,
    version: '1:2.3',
    source: `some-name-${i}`,
  }),
  'GitHub Actions': (i) => ({ ecosystem: 'GitHub Actions', name: `some-owner/action-${i}`, version: '4.1.2' }),
}

for (const [name, more] of Object.entries(MANY)) {
  test(`1,000 packages of ${name} take 10 requests, whose addresses have at most 8,000 characters`, async () => {
    const { addresses, api } = countingApi()
    const components = Array.from({ length: 1000 }, (_, i) => component('', more(i)))
    const inventory = { file: 'f', format: 'g', components, skipped: [] }
    const lookUp = gatewayLookUp(api, waiting().options)
    const { counts } = await findAdvisories([inventory], lookUp, LOOKUPS_AT_ONCE, () => {})
    assert.equal([counts.notAffected, counts.notChecked], [1000, 0])
    assert.is(addresses.length, 10)
    for (const address of addresses) assert.ok(address.length <= 8000, String(address.length))
  })
}

test('packages of a distribution with the same source package are asked for once, those of RPM with their own name', async () => {
  const asked: unknown[] = []
  const api = apiOf((_, { purl }) => {
    asked.push(purl)
    return { groups: (purl as string[]).map((one) => answer([affectedRow(`A-${one}`, 'high')], { purl: one })) }
  })
  const debian = { ecosystem: 'Debian:12', version: '1.2-3', source: 'gcc-12' }
  const redHat = { ecosystem: 'Red Hat:enterprise_linux:9', version: '1:2-3.el9', source: 'gcc-2-3.el9.src.rpm' }
  const all = [component('libgcc', debian), component('cpp', debian), component('libgcc', redHat)]
  const lookUp = gatewayLookUp(api, waiting().options)
  const found = await Promise.all(all.map((one) => rowsOf(lookUp, one)))
  const source = 'pkg:deb/debian/gcc-12@1.2-3?distro=12'
  const binary = 'pkg:rpm/redhat/libgcc@1:2-3.el9?distro=9&upstream=gcc'
  assert.equal(asked, [[source, binary]])
  assert.equal(
    found.map((rows) => rows.map(({ advisory_id }) => advisory_id)),
    [[`A-${source}`], [`A-${source}`], [`A-${binary}`]],
  )
})

test('packages with more rows than a request for many has are asked for again together', async () => {
  const asked: [purls: number, limit: number][] = []
  const api = apiOf((_, { purl, limit }) => {
    const purls = purl as string[]
    asked.push([purls.length, Number(limit)])
    const rows = (one: string) =>
      Array.from({ length: /-[0-4]@/.test(one) ? 60 : 1 }, (_, i) => affectedRow(`A-${i}`, 'low'))
    return {
      groups: purls.map((one) =>
        answer(rows(one).slice(0, Number(limit)), {
          purl: one,
          next: rows(one).length > Number(limit) ? 'next' : null,
        }),
      ),
    }
  })
  const lookUp = gatewayLookUp(api, waiting().options)
  const found = await Promise.all(Array.from({ length: 100 }, (_, i) => rowsOf(lookUp, component(`p-${i}`))))
  assert.equal(
    found.map(({ length }) => length),
    Array.from({ length: 100 }, (_, i) => (i < 5 ? 60 : 1)),
  )
  assert.equal(asked, [
    [100, 25],
    [5, 100],
  ])
})

test('long purls have requests of their own, within the length of an address', async () => {
  const { addresses, api } = countingApi()
  const lookUp = gatewayLookUp(api, waiting().options)
  await Promise.all(Array.from({ length: 30 }, (_, i) => lookUp(component(`${'x'.repeat(900)}${i}`))))
  assert.is(addresses.length, 4)
  for (const address of addresses) assert.ok(address.length <= 8000, String(address.length))
})

test('if the API rejects a package of a request for many, the others still share requests', async () => {
  let requests = 0
  const api = apiOf((_, { purl, name }) => {
    requests++
    if (name === 'p37' || (purl as string[] | undefined)?.includes('pkg:npm/p37@1.0.0')) {
      throw new ApiFailure(400, 'invalid_parameter', 'odd')
    }
    if (name !== undefined) return answer([])
    return { groups: (purl as string[]).map((one) => answer([], { purl: one })) }
  })
  const lookUp = gatewayLookUp(api, waiting().options)
  const found = await Promise.all(Array.from({ length: 96 }, (_, i) => lookUp(component(`p${i}`))))
  assert.equal(
    found.flatMap((one, i) => (typeof one === 'string' ? i : [])),
    [37],
  )
  assert.ok(requests <= 16, String(requests))
})

test('if the API rejects one package, the others are looked up alone', async () => {
  const api = apiOf((_, { purl, name }) => {
    if (purl || name === 'b') throw new ApiFailure(400, 'invalid_parameter', 'odd')
    return answer([affectedRow(`A-${name}`, 'high')])
  })
  const one = gatewayLookUp(api, waiting().options)
  for (const lookUp of [
    (name: string) => gatewayLookUp(api, waiting().options)(component(name)),
    (name: string) => one(component(name)),
  ]) {
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map(lookUp))
    assert.equal([a!.length, b, c!.length], [1, 'rejected: odd', 1])
  }
})

test('an error ends all look-ups, and those that wait are not asked for', async () => {
  let requests = 0
  const api = apiOf(() => {
    requests++
    throw new ApiFailure(500, 'internal', 'broken')
  })
  const lookUp = gatewayLookUp(api, waiting().options)
  const all = await Promise.allSettled(Array.from({ length: 1000 }, (_, i) => lookUp(component(`p${i}`))))
  assert.ok(all.every(({ status }) => status === 'rejected'))
  assert.ok(requests <= 6, String(requests))
})

test('a package of a release that is not indexed has the rows that CVE records give it, else none', async () => {
  const api = apiOf((_, { ecosystem, name }) =>
    answer(name === 'b' ? [affectedRow('CVE-2024-0001', 'high')] : [], { indexed: ecosystem !== 'Debian:12' }),
  )
  const lookUp = gatewayLookUp(api, waiting().options)
  const debian = { ecosystem: 'Debian:12' }
  assert.is(await lookUp(component('a', debian)), 'the snapshot has no advisories for Debian:12')
  assert.is((await rowsOf(lookUp, component('b', debian))).length, 1)
  assert.equal(await lookUp(component('c', { ecosystem: 'Debian:11' })), [])
})

test('a look-up waits as long as the gateway asks, then repeats the request', async () => {
  let times = 0
  const api = apiOf(() => {
    if (times++ === 0) throw new ApiFailure(429, 'rate_limited', 'Too many requests', 7)
    if (times === 2) throw new ApiFailure(503, 'unavailable', 'Busy', 2)
    return answer([affectedRow('A-1', 'high')])
  })
  const { seconds, options } = waiting()
  assert.is((await rowsOf(gatewayLookUp(api, options), component('a'))).length, 1)
  assert.equal(seconds, [7, 2])
})

test('a time that no timer can wait is a day', async () => {
  let times = 0
  const { seconds, options } = waiting()
  await patiently(async () => {
    if (times++ === 0) throw new ApiFailure(429, 'rate_limited', 'Too many requests', 1e9)
  }, options)
  assert.equal(seconds, [86_400])
  assert.is(times, 2)
})

test('a package that the API rejects is named; another error ends the check', async () => {
  const api = apiOf((_, { name }) => {
    if (name === 'odd') throw new ApiFailure(400, 'invalid_parameter', 'a blank in the version')
    if (name === 'lost') throw new ApiFailure(503, 'unavailable', 'no snapshot')
    return answer([])
  })
  const lookUp = gatewayLookUp(api, waiting().options)
  assert.is(await lookUp(component('odd')), 'rejected: a blank in the version')
  try {
    await lookUp(component('lost'))
    assert.unreachable()
  } catch (error) {
    assert.is((error as ApiFailure).status, 503)
  }
})

test('nothing is asked for after an end, nor after an error', async () => {
  const { stop, options } = waiting()
  stop.abort()
  let asked = 0
  try {
    await patiently(async () => asked++, options)
    assert.unreachable()
  } catch (error) {
    assert.is((error as Error).name, 'AbortError')
  }
  assert.is(asked, 0)
  const names: string[] = []
  const failing = async ({ name }: { name: string }) => {
    names.push(name)
    if (name === 'p1') throw new Error('broken')
    await new Promise(setImmediate)
    return []
  }
  const many = Array.from({ length: 50 }, (_, i) => component(`p${i}`))
  try {
    await findAdvisories([{ file: 'f', format: 'g', components: many, skipped: [] }], failing, 3, () => {})
    assert.unreachable()
  } catch (error) {
    assert.is((error as Error).message, 'broken')
  }
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(names, ['p0', 'p1', 'p2'])
})

const FINDINGS = [
  finding('a', affectedRow('A-1', 'critical', { kev: true }), { groups: ['dev'] }),
  finding('a', affectedRow('A-2', 'low'), { groups: ['dev'] }),
  finding('b', affectedRow('A-3', 'medium')),
  finding('c', affectedRow('A-4', null), { groups: ['main'] }),
]
const ids = (findings: readonly Finding[]) => findings.map(({ advisory }) => advisory.advisory_id).join(' ')

test('findings are grouped by package and version', () => {
  const other = finding('a', affectedRow('A-9', 'low'), { version: '2.0.0' })
  const groups = byPackage([...FINDINGS, other])
  assert.equal(
    groups.map(({ component: { name, version }, findings }) => `${name} ${version}: ${ids(findings)}`),
    ['a 1.0.0: A-1 A-2', 'b 1.0.0: A-3', 'c 1.0.0: A-4', 'a 2.0.0: A-9'],
  )
})

test('an affected package counts once, with its highest severity', () => {
  assert.equal(packagesBySeverity(FINDINGS), [
    ['critical', 1],
    ['medium', 1],
    [null, 1],
  ])
})

test('the summary states what is affected, undecided and not checked', () => {
  const summary = (affected: number, undecided: number, judged: number, notChecked = 0, suppressed = 0) =>
    summaryOf({
      counts: {
        ...{
          packages: judged + notChecked,
          affected,
          notAffected: judged - affected - undecided,
          undecided,
          notChecked,
        },
        ...{ findings: affected, unscored: 0, suppressed },
      },
    })
  assert.is(summary(1, 2, 4, 1), '1 of 5 packages is affected. 2 are undecided. 1 is not checked, and can be affected.')
  assert.is(summary(0, 1, 2), 'No package is affected for certain. 1 is undecided.')
  assert.is(summary(0, 0, 2), 'No advisory affects a package that was checked.')
  assert.is(
    summary(0, 0, 1, 2),
    'No advisory affects a package that was checked. 2 are not checked, and can be affected.',
  )
  assert.is(summary(2, 0, 3, 0, 1), '2 of 3 packages are affected. Decisions suppress 1 of 2 findings.')
  for (const notChecked of [0, 3]) assert.match(summary(0, 0, 0, notChecked), /^Nothing could be checked/)
})

test('filters select by severity, development and KEV', () => {
  const shown = (query: string) => ids(selected(FINDINGS, new URLSearchParams(query)))
  assert.is(shown(''), 'A-1 A-2 A-3 A-4')
  assert.is(shown('severity=low'), 'A-1 A-2 A-3')
  assert.is(shown('severity=high'), 'A-1')
  assert.is(shown('dev=true'), 'A-1 A-2')
  assert.is(shown('dev=false'), 'A-3 A-4')
  assert.is(shown('kev=true&dev=true'), 'A-1')
  assert.is(shown('severity=nonsense'), 'A-1 A-2 A-3 A-4')
})

test('the files have each finding, and the JSON everything else', async () => {
  const cve_ids = ['CVE-2026-0001', 'CVE-2026-0002'] as CveId[]
  const open = affectedRow('A-2', null, { verdict: 'undecided', undecided_reason: 'release' })
  const undecided = [
    { ...component('y'), file: 'f', reasons: ['release' as const], advisories: [open], decisions: [null] },
  ]
  const [, record, other] = csvOf([finding('x', affectedRow('A-1', 'high', { cve_ids }))], undecided).split('\r\n')
  assert.match(record!, /^npm,x,1\.0\.0,,f,,,,affected,,A-1,CVE-2026-0001;CVE-2026-0002,high,,,,false,/)
  assert.match(other!, /^npm,y,1\.0\.0,,f,,,,undecided,release,A-2,/)
  const notChecked = [{ file: 'f', name: 'own', version: null, line: 3, reason: 'part of the project' }]
  const result = {
    files: [{ file: 'f', format: 'g', packages: 5 }],
    unreadable: [],
    snapshot: null,
    counts: {
      ...{ packages: 5, affected: 3, notAffected: 0, undecided: 1, notChecked: 1 },
      ...{ findings: 4, unscored: 1, suppressed: 0 },
    },
    decisions: { files: [], unused: [] },
    findings: FINDINGS,
    undecided,
    notChecked,
  }
  const saved = JSON.parse(jsonOf(result, FINDINGS.slice(0, 2)))
  assert.equal(saved.undecided[0].reasons, ['release'])
  assert.equal(
    saved.findings.map(({ advisory }: Finding) => advisory.advisory_id),
    ['A-1', 'A-2'],
  )
  assert.equal(saved.notChecked, notChecked)
})

test('files are checked together: each finding has its file and line, and a broken file is named', async () => {
  const asked: string[] = []
  const api = apiOf((path, { purl }) => {
    if (path === '/snapshot') return { id: 'a'.repeat(64), created_at: '2026-01-01T00:00:00Z' }
    asked.push(...(purl as string[]))
    return {
      groups: (purl as string[]).map((one) =>
        answer(one.startsWith('pkg:npm/lodash@') ? [affectedRow('A-1', 'medium')] : [], { purl: one }),
      ),
    }
  })
  let last: [number, number] = [0, 0]
  const bytes = new TextEncoder().encode(sample())
  const onProgress = (done: number, total: number) => {
    last = [done, total]
  }
  const options = { ...waiting().options, onProgress }
  const broken = { name: 'go.sum', bytes: new TextEncoder().encode('broken') }
  const again = { name: 'again.purl', bytes: new TextEncoder().encode('pkg:npm/lodash@4.17.10') }
  const chosen = [{ name: SAMPLE_NAME, bytes }, broken, again]
  const { inventories, unreadable } = await readFiles(chosen, options.signal, async ({ file, name, bytes }) =>
    readDocument(file, name, bytes),
  )
  const { found: result, files } = await checkFiles(api, inventories, options)
  assert.equal(
    files.map(({ file, packages }) => `${file} ${packages}`),
    [`${SAMPLE_NAME} 10`, 'again.purl 1'],
  )
  assert.is(result.counts.packages - result.counts.notChecked, asked.length + 1)
  assert.equal(last, [asked.length, asked.length])
  assert.is(ids(result.findings), 'A-1 A-1')
  assert.equal(
    result.findings.map(({ file }) => file),
    ['again.purl', SAMPLE_NAME],
  )
  assert.match(unreadable.join(), /^go\.sum:1: not a valid go\.sum/)
  assert.is(
    result.findings[1]!.line,
    sample()
      .split('\n')
      .findIndex((line) => line.includes('node_modules/lodash')) + 1,
  )
  assert.equal(
    result.notChecked.map(({ reason }) => reason),
    ['part of the project'],
  )
})

test.run()
