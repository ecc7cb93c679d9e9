/** Properties of the capability flags and of their evidence (rules 22, 23). */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DETECTION_LAYERS } from '../../../../corpus/model/claim.ts'
import { type MergeInput, mergeCve } from '../../../../corpus/model/merge.ts'
import type { EvidenceItem } from '../../../../corpus/model/record.ts'
import { record } from '../fixture.ts'
import { advisoryClaim, claimOf, cveClaim, detection, exploitModule, kev, mergeInput, poc } from './arbitrary.ts'
import { property } from './property.ts'

const FLAGS = ['has_patch', 'has_workaround', 'has_exploit', 'has_detection'] as const

/** Additional statements; none replaces another one, as a newer SSVC assessment would. */
const MORE = fc.oneof(
  claimOf('nvd', 'osv', 'svc').map((one) => (input: MergeInput): MergeInput => {
    const named = { ...one, sourceName: 'one-more' }
    return { ...input, claims: [...input.claims, named] }
  }),
  fc.oneof(cveClaim('cna'), cveClaim('adp')).map((one) => (input: MergeInput): MergeInput => {
    const { claims, ...rest } = input.record
    return { ...input, record: record([...claims, { ...one, ssvc: null }], rest) }
  }),
  advisoryClaim.map((one) => (input: MergeInput): MergeInput => {
    const advisory = { ...one.advisory, advisory_id: 'GHSA-more' }
    return { ...input, advisories: [...input.advisories, { ...one, advisory }] }
  }),
  exploitModule.map(
    (one) =>
      (input: MergeInput): MergeInput => ({ ...input, exploits: [...input.exploits, one] }),
  ),
  detection.map(
    (one) =>
      (input: MergeInput): MergeInput => ({ ...input, detections: [...input.detections, one] }),
  ),
  poc.map(
    (one) =>
      (input: MergeInput): MergeInput => ({ ...input, pocs: [...input.pocs, one] }),
  ),
  kev.map(
    (one) =>
      (input: MergeInput): MergeInput => ({ ...input, kev: one }),
  ),
)

property('rule 22: one more statement never clears a flag, nor a layer', [mergeInput, MORE], (input, more) => {
  const [before, after] = [mergeCve(input).core, mergeCve(more(input)).core]
  for (const flag of FLAGS) if (before[flag]) assert.ok(after[flag], flag)
  for (const layer of before.detection_layers) assert.ok(after.detection_layers.includes(layer))
})

property(
  'rule 22: has_exploit is exploitation evidence, has_detection detection evidence, no more and no less',
  [mergeInput],
  (input) => {
    const { core, evidence } = mergeCve(input)
    const has = (type: EvidenceItem['type']) => evidence.some((item) => item.type === type)
    assert.is(core.has_exploit, has('exploitation'))
    assert.is(core.has_detection, has('detection'))
    const layers = new Set(input.detections.map(({ layer }) => layer))
    assert.equal(
      core.detection_layers,
      DETECTION_LAYERS.filter((layer) => layers.has(layer)),
    )
  },
)

property(
  'rule 22: has_patch is a fix in any effective claim or analysis, or a reference tagged patch',
  [mergeInput],
  (input) => {
    const { core, affected, references } = mergeCve(input)
    const fixed = affected.some(
      (one) => one.affected_ranges?.some(({ fixed }) => fixed !== null) || one.patched_versions !== null,
    )
    assert.is(core.has_patch, fixed || references.some(({ tags }) => tags.some((tag) => /^patch$/i.test(tag))))
  },
)

property('rule 22: has_workaround is the CNA’s, or a reference tagged mitigation', [mergeInput], (input) => {
  const { core, references } = mergeCve(input)
  const stated = input.record.claims.some((one) => one.source === 'cna' && one.guidance?.workarounds[0] !== undefined)
  assert.is(core.has_workaround, stated || references.some(({ tags }) => tags.some((tag) => /^mitigation$/i.test(tag))))
})

property('rule 23: evidence is exploitation, then detection, then mitigation', [mergeInput], (input) => {
  const order = ['exploitation', 'detection', 'mitigation']
  const ranks = mergeCve(input).evidence.map(({ type }) => order.indexOf(type))
  assert.equal(ranks, ranks.toSorted())
})

const RANKS: Record<string, number> = { poc_public: 40, weaponized_exploit: 60, kev_listed: 80, ssvc_active: 80 }

/** Source and type of evidence, and its confidence by rule 23; null if the rule does not define it. */
const CONFIDENCE: readonly (readonly [source: RegExp, evidenceType: RegExp, confidence: RegExp | null])[] = [
  [/^agency_kev$/, /^kev_listed$/, /^confirmed$/],
  [/^agency_adp$/, /^ssvc_active$/, /^confirmed$/],
  [/^agency_adp$/, /^poc_public$/, null],
  [/^exploit_framework$/, /^(weaponized_exploit|poc_public)$/, /^high$/],
  [/^exploit_archive$/, /^poc_public$/, /^(high|medium)$/],
  [/^(cna|nvd|osv|advisory|supplier_adp)$/, /^poc_public$/, null],
  [/^code_host_poc_search$/, /^poc_public$/, /^low$/],
  [/^(cna|advisory)$/, /^fixed_version$/, /^high$/],
  [/^(agency_adp|nvd|osv|supplier_adp|svc_analysis)$/, /^fixed_version$/, /^medium$/],
  [/^git_ref$/, /^fix_commit$/, /^(high|medium)$/],
  [/^(template_scanner|own_rules)$/, /^detection_/, null],
]

property(
  'rule 23: ranks and confidences are those of the table, and only exploitation has a rank',
  [mergeInput],
  (input) => {
    for (const { type, source, evidence_type: kind, confidence, maturity_rank: rank } of mergeCve(input).evidence) {
      assert.is(rank, type === 'exploitation' ? RANKS[kind] : null)
      const row = CONFIDENCE.find(([sources, kinds]) => sources.test(source) && kinds.test(kind))
      assert.ok(row, `${source} ${kind}`)
      if (row[2]) assert.match(confidence!, row[2])
    }
  },
)

property(
  'rule 23: a verified archive entry is high, another one medium; every module is evidence',
  [mergeInput],
  (input) => {
    const { evidence } = mergeCve(input)
    const found = evidence.filter(({ source }) => source === 'exploit_archive' || source === 'exploit_framework')
    assert.equal(
      found.map((item) => [item.source, item.confidence, item.evidence_type, item.evidence_url]),
      input.exploits.map((one) => {
        const framework = one.source === 'exploit_framework'
        const weaponized = framework && one.source_id.startsWith('exploit/')
        const confidence = framework || one.verified ? 'high' : 'medium'
        return [one.source, confidence, weaponized ? 'weaponized_exploit' : 'poc_public', one.source_url]
      }),
    )
  },
)

property(
  'rule 23: with a KEV feed it decides, without one the first copy of an ADP, suppliers last',
  [mergeInput],
  (input) => {
    const { core, evidence } = mergeCve(input)
    const adps = Object.groupBy(input.record.claims, ({ isSupplier }) => (isSupplier ? 'last' : 'first'))
    const copies = [...(adps.first ?? []), ...(adps.last ?? [])].filter(({ kevDateAdded }) => kevDateAdded !== null)
    const date = input.kevFeed ? input.kev?.dateAdded : copies[0]?.kevDateAdded
    assert.equal(core.kev, { listed: date !== undefined, date_added: date ?? null })
    const items = evidence.filter(({ evidence_type }) => evidence_type === 'kev_listed')
    assert.equal(
      items.map(({ first_seen }) => first_seen),
      date ? [`${date}T00:00:00.000Z`] : [],
    )
  },
)

property('rule 23: last_seen is never before first_seen, and no fix occurs twice', [mergeInput], (input) => {
  const { evidence } = mergeCve(input)
  for (const { type, first_seen: first, last_seen: last } of evidence) {
    // The operator's own detections are unchanged.
    if (type === 'exploitation' && first !== null && last !== null) assert.ok(first <= last)
  }
  const fixes = evidence
    .filter(({ type }) => type === 'mitigation')
    .map((item) => JSON.stringify({ ...item, confidence: '' }))
  assert.is(new Set(fixes).size, fixes.length)
})

test.run()
