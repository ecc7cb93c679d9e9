import { Session } from 'node:inspector/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveClaim } from '../../../../corpus/model/claim.ts'
import { evidenceOf } from '../../../../corpus/model/evidence/evidence.ts'
import type { EvidenceItem } from '../../../../corpus/model/record.ts'
import { mergedReferences } from '../../../../corpus/model/references.ts'
import { affected, claim, exploit, kevEntry, merged } from '../fixture.ts'

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

test('rule 23: a KEV listing is confirmed evidence of rank 80, and the feed decides', () => {
  const copied = claim({ source: 'adp', kevDateAdded: '2024-04-01' })
  const listed = merged([copied], { kev: kevEntry() })
  assert.equal(brief(listed.evidence), [['agency_kev', 'kev_listed', 'confirmed', 80]])
  assert.equal(listed.core.kev, { listed: true, date_added: '2024-04-09' })
  assert.is(listed.evidence[0]?.first_seen, '2024-04-09T00:00:00.000Z')
  const unlisted = merged([copied], { kev: null, kevFeed: true })
  assert.equal(unlisted.core.kev, { listed: false, date_added: null })
  assert.equal(unlisted.evidence, [])
})

test("rule 23: the ADP's copy of KEV counts only where there is no feed", () => {
  const { core, evidence } = merged([claim({ source: 'adp', kevDateAdded: '2024-04-01' })], { kevFeed: false })
  assert.equal(core.kev, { listed: true, date_added: '2024-04-01' })
  assert.equal(brief(evidence), [['agency_kev', 'kev_listed', 'confirmed', 80]])
})

test('rule 23: SSVC active is ssvc_active of rank 80, SSVC poc is poc_public of rank 40, none is nothing', () => {
  assert.equal(brief(merged([assessed('active')]).evidence), [['agency_adp', 'ssvc_active', 'confirmed', 80]])
  assert.equal(brief(merged([assessed('poc')]).evidence), [['agency_adp', 'poc_public', 'high', 40]])
  assert.equal(merged([assessed('none')]).evidence, [])
})

test('rule 23: framework exploits are weaponized, other modules and archive entries are PoCs', () => {
  const exploits = [
    exploit({ source: 'exploit_framework', source_id: 'exploit/linux/http/widget' }),
    exploit({ source: 'exploit_framework', source_id: 'auxiliary/scanner/widget' }),
    exploit({ source: 'exploit_archive', source_id: '1', verified: true }),
    exploit({ source: 'exploit_archive', source_id: '2', verified: false }),
  ]
  const parts = merged([claim({ source: 'cna' })], { exploits })
  assert.equal(brief(parts.evidence), [
    ['exploit_framework', 'weaponized_exploit', 'high', 60],
    ['exploit_framework', 'poc_public', 'high', 40],
    ['exploit_archive', 'poc_public', 'high', 40],
    ['exploit_archive', 'poc_public', 'medium', 40],
  ])
  assert.equal(parts.exploits, exploits)
})

test('rule 23: references tagged exploit are PoCs of who tags them', () => {
  const parts = merged([tagged('cna', 'exploit'), tagged('nvd', 'Exploit'), tagged('adp', 'x_refsource_EXPLOIT-DB')])
  assert.equal(brief(parts.evidence), [
    ['cna', 'poc_public', 'medium', 40],
    ['nvd', 'poc_public', 'medium', 40],
  ])
  assert.is(parts.evidence[0]?.evidence_url, 'https://cna.example')
})

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

test('rule 22: has_patch is a fixed or patched version in any claim, or a reference tagged patch', () => {
  const range = (fixed: string | null) => [{ introduced: '0', fixed, version_type: null }]
  const of = (given: Parameters<typeof affected>[0]) =>
    merged([claim({ source: 'adp', affected: [affected({ source: 'adp', ...given })] })]).core.has_patch
  assert.is(of({ affected_ranges: range('2') }), true)
  assert.is(of({ patched_versions: ['2'] }), true)
  assert.is(of({ affected_ranges: range(null), affected_versions: ['1'] }), false)
  assert.is(merged([tagged('nvd', 'Patch')]).core.has_patch, true)
  assert.is(merged([tagged('cna', 'vendor-advisory')]).core.has_patch, false)
})

test("rule 22: has_workaround is the CNA's workarounds, or a reference tagged mitigation", () => {
  assert.is(merged([claim({ source: 'cna', hasWorkaround: true })]).core.has_workaround, true)
  assert.is(merged([claim({ source: 'adp', hasWorkaround: true })]).core.has_workaround, false)
  assert.is(merged([tagged('nvd', 'Mitigation')]).core.has_workaround, true)
  assert.is(merged([claim({ source: 'cna' })]).core.has_workaround, false)
})

test('rule 22: has_exploit is any exploitation evidence, has_detection any detection evidence', () => {
  const { core } = merged([tagged('cna', 'exploit')])
  assert.equal([core.has_exploit, core.has_detection, core.detection_layers], [true, false, []])
  assert.is(merged([tagged('cna', 'patch', 'https://git.example/commit/0123456789ab')]).core.has_exploit, false)
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

test.run()
