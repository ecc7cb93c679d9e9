import { Session } from 'node:inspector/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveClaim } from '../../../../corpus/model/claim.ts'
import { linkedAdvisory } from '../../../../corpus/model/evidence/advisory.ts'
import { evidenceOf } from '../../../../corpus/model/evidence/evidence.ts'
import type { EvidenceItem } from '../../../../corpus/model/record.ts'
import { mergedReferences } from '../../../../corpus/model/references.ts'
import { advisory, affected, claim, merged } from '../fixture.ts'

/** Returns source, evidence type, confidence and rank of every item. */
const brief = (items: readonly EvidenceItem[]) =>
  items.map((item) => [item.source, item.evidence_type, item.confidence, item.maturity_rank])

const assessed = (exploitation: 'none' | 'poc' | 'active') =>
  claim({
    source: 'adp',
    ssvc: { exploitation, automatable: 'no', technical_impact: 'partial', assessedAt: '2024-04-20T01:02:03.000Z' },
  })
const tagged = (source: CveClaim['source'], tag: string, url = `https://${source}.example`) =>
  claim({ source, references: [{ url, name: null, tags: [tag] }] })

test('rule 23: SSVC active is ssvc_active of rank 80, SSVC poc is poc_public of rank 40, none is nothing', () => {
  assert.equal(brief(merged([assessed('active')]).evidence), [['agency_adp', 'ssvc_active', 'confirmed', 80]])
  assert.equal(brief(merged([assessed('poc')]).evidence), [['agency_adp', 'poc_public', 'high', 40]])
  assert.equal(merged([assessed('none')]).evidence, [])
})

test('rule 23: references tagged exploit are PoCs of who tags them', () => {
  const parts = merged([tagged('cna', 'exploit'), tagged('nvd', 'Exploit'), tagged('adp', 'x_refsource_EXPLOIT-DB')])
  assert.equal(brief(parts.evidence), [
    ['cna', 'poc_public', 'medium', 40],
    ['nvd', 'poc_public', 'medium', 40],
  ])
  assert.is(parts.evidence[0]?.evidence_url, 'https://cna.example')
})

test('rule 22: a fixed version that only an analysis states is a patch', () => {
  const stated = (fixed: string | null) =>
    affected({ source: 'svc_analysis', affected_ranges: [{ introduced: '1.0', fixed, version_type: null }] })
  const patched = (fixed: string | null) =>
    merged([], { analyses: [{ analysis: ANALYSIS, affected: [stated(fixed)] }] }).core.has_patch
  assert.equal([patched('2.0'), patched(null)], [true, false])
})
const ANALYSIS = {
  summary: null,
  root_cause: null,
  impact: null,
  attack_vector: null,
  remediation: null,
  weaknesses: [],
  model: null,
  generated_at: null,
}

test('rule 23: a fixed version is of high confidence from the CNA or an advisory, otherwise of medium', () => {
  const fix = (source: 'cna' | 'adp' | 'nvd' | 'advisory' | 'osv') =>
    claim({
      source,
      affected: [
        affected({
          source,
          product: 'Widget',
          ecosystem: 'npm',
          affected_ranges: [
            { introduced: '0', fixed: '2', version_type: null },
            { introduced: '3', fixed: '2', version_type: null },
            { introduced: '3', fixed: null, version_type: null },
          ],
        }),
      ],
    })
  const { evidence } = merged([fix('osv'), fix('advisory'), fix('nvd'), fix('adp'), fix('cna')])
  assert.equal(brief(evidence), [
    ['cna', 'fixed_version', 'high', null],
    ['agency_adp', 'fixed_version', 'medium', null],
    ['nvd', 'fixed_version', 'medium', null],
    ['advisory', 'fixed_version', 'high', null],
    ['osv', 'fixed_version', 'medium', null],
  ])
  assert.equal([evidence[0]?.fixed_version, evidence[0]?.product, evidence[0]?.ecosystem], ['2', 'Widget', 'npm'])
})

test('rule 23: the fix of a git range is a fix commit, linked to the reference that shows it', () => {
  const commit = '051c0bde9f0450a2ec3d62a86d2a0d2fad117f13'
  const { evidence } = merged([
    claim({
      source: 'cna',
      affected: [
        affected({ affected_ranges: [{ introduced: 'a87cb3e48ee8', fixed: '051c0bde9f04', version_type: 'git' }] }),
      ],
      references: [{ url: `https://git.example/stable/c/${commit}`, name: null, tags: [] }],
    }),
  ])
  assert.equal(brief(evidence), [['git_ref', 'fix_commit', 'high', null]])
  assert.is(evidence[0]?.evidence_url, `https://git.example/stable/c/${commit}`)
})

test('a commit among the references tagged patch is a fix commit, once', () => {
  const parts = merged([tagged('cna', 'patch', 'https://git.example/commit/0123456789ab')])
  assert.equal(brief(parts.evidence), [['git_ref', 'fix_commit', 'high', null]])
  assert.is(parts.evidence[0]?.fixed_version, '0123456789ab')
})

test('rule 23: repositories come with most stars first, and are never last seen before they are first seen', () => {
  const repository = (name: string, stars: number, createdAt: string | null, pushedAt: string | null) => ({
    url: `https://forge.example/${name}`,
    name,
    stars,
    createdAt,
    pushedAt,
  })
  const [created, pushed] = ['2024-05-02T00:00:00.000Z', '2024-06-02T00:00:00.000Z']
  const { evidence } = merged([claim({ source: 'cna' })], {
    pocs: [
      {
        repositories: [
          repository('a/with-its-history', 1, pushed, created),
          repository('b/usual', 5, created, pushed),
          repository('c/undated', 0, created, null),
        ],
      },
    ],
  })
  assert.equal(
    evidence.map((item) => [item.source, item.confidence, item.explanation, item.first_seen, item.last_seen]),
    [
      ['code_host_poc_search', 'low', 'b/usual', created, pushed],
      ['code_host_poc_search', 'low', 'a/with-its-history', pushed, pushed],
      ['code_host_poc_search', 'low', 'c/undated', created, null],
    ],
  )
})

test('a commit is known in the links of GitHub, kernel.org, gitweb and Gitiles', () => {
  const commit = '051c0bde9f0450a2ec3d62a86d2a0d2fad117f13'
  const commitIn = (path: string) =>
    merged([tagged('cna', 'patch', `https://git.example/${path}`)]).evidence[0]?.fixed_version
  for (const path of [
    `acme/widget/commit/${commit}`,
    `stable/c/${commit}`,
    `linus/${commit}`,
    `linux.git/commit/?id=${commit}`,
    `gitweb/widget.git/commitdiff/${commit}`,
    `?p=widget.git;a=commitdiff;h=${commit}`,
    `?p=widget.git%3Ba=commit%3Bh=${commit}`,
    `widget/+/${commit}`,
    `widget/+/${commit}^!`,
  ]) {
    assert.is(commitIn(path), commit, path)
  }
  assert.is(commitIn(`widget/+/${commit}/DEPS`), undefined)
  assert.is(commitIn(`acme/widget/blob/${commit}/README.md`), undefined)
})

/** Returns how often the most frequent block of the module runs during `work`: counted steps, not time. */
async function busiestBlock(module: string, work: () => void): Promise<number> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  const script = result.find(({ url }) => url.endsWith(module))
  return Math.max(...script!.functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)))
}

test('rule 22: a version that the CNA states as affected is no fix of another source', () => {
  const range = (given: object) => [{ introduced: '0', fixed: null, version_type: null, ...given }]
  const photo = (source: 'cna' | 'adp', given: object, product = 'Photo') =>
    claim({ source, affected: [affected({ source, vendor: 'Adobe', product, affected_ranges: range(given) })] })
  const fixes = (...claims: CveClaim[]) => {
    const { core, evidence } = merged(claims)
    assert.is(core.has_patch, evidence.length > 0)
    return evidence.map(({ source, fixed_version }) => [source, fixed_version])
  }
  const cna = photo('cna', { last_affected: '24.0.1' })
  assert.equal(fixes(cna, photo('adp', { fixed: '24.0.1' }, 'photo')), [])
  assert.equal(fixes(cna, photo('adp', { fixed: '24.0.2' }, 'photo')), [['agency_adp', '24.0.2']])
  assert.equal(fixes(cna, photo('adp', { fixed: '24.0.1' }, 'Other')), [['agency_adp', '24.0.1']])
})

test('fixes and patch references are matched in steps that grow with their number, not with its square', async () => {
  const each = 300
  const hash = (n: number) => n.toString(16).padStart(40, '0')
  const numbers = Array.from({ length: each }, (_, n) => n)
  const kernel = claim({
    source: 'cna',
    affected: [affected({ patched_versions: numbers.map((n) => `6.${n}`) })],
    references: numbers.map((n) => ({ url: `https://git.example/c/${hash(n)}`, name: null, tags: ['patch'] })),
  })
  const claims = [kernel]
  const references = mergedReferences(claims)
  let evidence: EvidenceItem[] = []
  const steps = await busiestBlock('/corpus/model/evidence/fixes.ts', () => {
    evidence = evidenceOf({
      cveId: 'CVE-2024-1234',
      claims,
      kev: null,
      ssvc: null,
      exploits: [],
      references,
      detections: [],
      pocs: [],
      analyses: [],
    })
  })
  assert.is(evidence.length, 2 * each)
  assert.ok(steps >= each, `${steps} steps: the blocks were not counted`)
  assert.ok(steps <= 4 * each, `${steps} steps for ${each} fixes and ${each} references`)
})

test('a patch reference that a fix links or names already is no second fix', () => {
  const linked = '051c0bde9f0450a2ec3d62a86d2a0d2fad117f13'
  const named = '0123456789ab'
  const { evidence } = merged([
    claim({
      source: 'cna',
      affected: [
        affected({
          affected_ranges: [
            { introduced: '0', fixed: linked.slice(0, 12), version_type: 'git' },
            { introduced: '0', fixed: named, version_type: null },
          ],
        }),
      ],
      references: [linked, named].map((commit) => ({
        url: `https://git.example/c/${commit}`,
        name: null,
        tags: ['patch'],
      })),
    }),
  ])
  assert.equal(
    evidence.map((item) => [item.evidence_type, item.fixed_version]),
    [
      ['fix_commit', linked.slice(0, 12)],
      ['fixed_version', named],
    ],
  )
})

test('the linked advisory names the CVE, and the weaknesses that the catalog knows', () => {
  const names: Record<string, string> = { 'cwe-79': 'Scripts let in' }
  const catalog = { isWeakness: (id: string) => id in names, weaknessName: (id: string) => names[id] ?? null }
  const found = linkedAdvisory(
    'CVE-2024-1',
    [advisory({ advisory_id: 'GHSA-x', cwe_ids: ['CWE-79', 'CWE-1'] })],
    catalog,
  )
  assert.is(found?.cve_id, 'CVE-2024-1')
  assert.equal(found?.cwe_ids, ['CWE-79', 'CWE-1'])
  assert.equal(found?.cwe_names, { 'CWE-79': 'Scripts let in' })
  assert.equal(Object.keys(found!).slice(0, 3), ['advisory_id', 'cve_id', 'html_url'])
})

test.run()
