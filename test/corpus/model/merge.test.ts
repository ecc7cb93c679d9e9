/** The merge: order, separate claims, sources without claims, shape of the parts (rules 10, 24, 27, 29). */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cveSummary } from '../../../corpus/answers/schemas/cve-summary.ts'
import { namedProducts, nameKey, statedName } from '../../../corpus/model/affected/products.ts'
import type { AdvisoryClaim, CveClaim } from '../../../corpus/model/claim.ts'
import { linkedAdvisory } from '../../../corpus/model/evidence/advisory.ts'
import { type MergeInput, mergeCve, NO_OTHER_CLAIMS } from '../../../corpus/model/merge.ts'
import { PART_NAMES } from '../../../corpus/model/record.ts'
import { compareText, orderedClaims } from '../../../corpus/model/sources.ts'
import { utcTimestamp } from '../../../corpus/model/values/date.ts'
import { affected, claim, cvss, exploit, merged, record } from './fixture.ts'
import {
  advisories,
  anyClaim,
  CVE_ID,
  cveClaim,
  mergeInput,
  otherClaims,
  recordClaims,
  text,
  timestamp,
} from './properties/arbitrary.ts'
import { codePoint, property, shape } from './properties/property.ts'

const shuffled = <Value>(values: readonly Value[]) => fc.shuffledSubarray([...values], { minLength: values.length })

property(
  'rules 18 to 30: what is made of the claims does not depend on the order in which other feeds bring them',
  [
    mergeInput.chain((input) =>
      fc.tuple(
        fc.constant(input),
        shape<Partial<MergeInput>>({
          claims: shuffled(input.claims),
          advisories: shuffled(input.advisories),
          reports: shuffled(input.reports),
        }),
      ),
    ),
  ],
  ([input, order]) => assert.is(JSON.stringify(mergeCve({ ...input, ...order })), JSON.stringify(mergeCve(input))),
)

property('rule 26: merging changes none of the claims, and comes to the same again', [mergeInput], (input) => {
  const before = JSON.stringify(input)
  const parts = JSON.stringify(mergeCve(input))
  assert.is(JSON.stringify(input), before)
  assert.is(JSON.stringify(mergeCve(input)), parts)
  assert.is(JSON.stringify(mergeCve({ ...JSON.parse(before), catalog: input.catalog })), parts)
})

property(
  'rules 18 to 24: claims of CNA, ADP, NVD, advisories, OSV, service and suppliers stand in this order',
  [recordClaims, otherClaims],
  (own, others) => {
    const order = ['cna', 'adp', 'nvd', 'advisory', 'osv', 'svc', 'supplier']
    const claims = orderedClaims(own, others)
    const ranks = claims.map(({ source, isSupplier }) => order.indexOf(isSupplier ? 'supplier' : source))
    assert.equal(ranks, ranks.toSorted())
    assert.equal(new Set(claims), new Set([...own, ...others]))
    assert.is(claims.length, own.length + others.length)
    const isOwn = (one: CveClaim) => own.includes(one)
    for (const isSupplier of [undefined, true] as const) {
      const some = (list: CveClaim[]) => list.filter((one) => isOwn(one) && one.isSupplier === isSupplier)
      assert.equal(some(claims), some(own))
    }
  },
)

property(
  'rule 18: a supplier never changes score, severity, weakness, SSVC, title or description of another source',
  [mergeInput, cveClaim('adp')],
  (input, one) => {
    const others = input.record.claims.filter(({ isSupplier }) => !isSupplier)
    const supplier: CveClaim = { ...one, sourceName: 'acme-SADP', isSupplier: true }
    const of = (claims: CveClaim[]) => mergeCve({ ...input, record: { ...input.record, claims } })
    const [without, withIt] = [of(others), of([...others, supplier])]
    const { title, description, severity, cvss_score, cvss_score_source, ssvc, primary_cwe_id } = without.core
    const now = withIt.core
    assert.is(now.description, description ?? supplier.description)
    if (cvss_score !== null)
      assert.equal([now.severity, now.cvss_score, now.cvss_score_source], [severity, cvss_score, cvss_score_source])
    else assert.is(now.cvss_score_source, supplier.metrics.length > 0 ? supplier.sourceName : null)
    if (others.some((claim) => claim.ssvc)) assert.equal(now.ssvc, ssvc)
    if (without.facets.weaknesses.length > 0) assert.is(now.primary_cwe_id, primary_cwe_id)
    if (title !== null && now.primary_cwe_id === primary_cwe_id) assert.is(now.title, title)
  },
)

test('rule 18: metrics of a supplier carry its name and come after those of the other sources', () => {
  const supplier = claim({ source: 'adp', sourceName: 'redhat-SADP', isSupplier: true, metrics: [cvss('3.1', 8.8)] })
  const { core, cvss: section } = merged([supplier, claim({ source: 'adp', metrics: [cvss('3.1', 4.3)] })])
  assert.equal([core.cvss_score, core.severity, core.cvss_score_source], [4.3, 'medium', 'CISA-ADP'])
  assert.equal(
    section.metrics.map((one) => [one.source_type, one.source_short_name, one.base_score, one.is_primary]),
    [
      ['adp', 'CISA-ADP', 4.3, true],
      ['adp', 'redhat-SADP', 8.8, false],
    ],
  )
  assert.is(merged([supplier]).core.cvss_score_source, 'redhat-SADP')
})

property(
  'rule 24: every affected entry of every standing claim is there, once, as its source states it',
  [mergeInput],
  (input) => {
    const ids = new Set(input.advisories.map(({ advisory }) => advisory.advisory_id))
    const standing = input.advisories.filter(({ advisory }) => advisory.withdrawn_at === null)
    const claims = [
      ...input.record.claims,
      ...input.claims.filter(({ source, sourceName }) => source !== 'osv' || !ids.has(sourceName)),
      ...standing.map(({ claim }) => claim),
      ...input.analyses,
    ]
    const entries = claims.flatMap((one) => one.affected)
    const sorted = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).sort()
    assert.equal(sorted(mergeCve(input).affected), sorted(entries))
  },
)

property('rule 29: withdrawn advisories claim nothing', [mergeInput, timestamp], (input, when) => {
  const withdraw = ({ advisory, ...rest }: AdvisoryClaim) => ({
    ...rest,
    advisory: { ...advisory, withdrawn_at: when },
  })
  const withdrawn = mergeCve({ ...input, advisories: input.advisories.map(withdraw) })
  // Their copies in OSV do not count either, so they are removed too.
  const ids = new Set(input.advisories.map(({ advisory }) => advisory.advisory_id))
  const claims = input.claims.filter(({ sourceName }) => !ids.has(sourceName))
  const without = mergeCve({ ...input, claims, advisories: [] })
  assert.equal({ ...withdrawn, advisory: null }, without)
})

const linked = (claims: readonly AdvisoryClaim[]) => linkedAdvisory(CVE_ID, claims, null)

property(
  'rule 29: the linked advisory stands if one does, is reviewed if one is, and none is published earlier',
  [advisories],
  (claims) => {
    const chosen = linked(claims)
    assert.is(chosen === null, claims.length === 0)
    if (chosen === null) return
    assert.is(chosen.cve_id, CVE_ID)
    const standing = claims.filter(({ advisory }) => advisory.withdrawn_at === null)
    const first = standing.length > 0 ? standing : claims
    const reviewed = first.filter((one) => one.reviewed)
    const left = (reviewed.length > 0 ? reviewed : first).map(({ advisory }) => advisory)
    const want = left.sort(
      (a, b) => compareText(a.published_at, b.published_at) || compareText(a.advisory_id, b.advisory_id),
    )[0]!
    assert.is(chosen.advisory_id, want.advisory_id)
  },
)

property(
  'the parts and their fields stand in the order of their interfaces, whatever the claims',
  [mergeInput],
  (input) => {
    const parts = mergeCve(input)
    const keys = (one: object) => Object.keys(one)
    assert.equal(
      keys(parts),
      PART_NAMES.filter((name) => name !== 'timeline'),
    )
    assert.equal(
      keys(parts.core),
      cveSummary.keyof().options.filter((name) => name !== 'epss'),
    )
    assert.equal(keys(parts.core.ssvc), ['exploitation', 'automatable', 'technical_impact', 'decision'])
    for (const entry of parts.affected) assert.equal(keys(entry), keys(affected()))
    for (const one of parts.references) assert.equal(keys(one), ['url', 'name', 'tags', 'sources'])
    for (const one of parts.exploits)
      assert.equal(keys(one).sort(), keys(exploit({ source: 'exploit_archive', source_id: '1' })).sort())
    for (const one of parts.cvss.metrics) {
      assert.equal(keys(one), [
        'source_type',
        'source_short_name',
        'cvss_version',
        'base_score',
        'base_severity',
        'vector_string',
        'is_primary',
        'captured_at',
      ])
    }
  },
)

property(
  'rule 29: description and title are the record’s own where it has any, and no text is empty',
  [mergeInput],
  (input) => {
    const { core } = mergeCve(input)
    const own = input.record.claims.find((one) => !one.isSupplier && one.description !== null)?.description
    if (own !== undefined) assert.is(core.description, own)
    assert.is.not(core.title, '')
    assert.is(core.date_updated, input.record.dateUpdated)
  },
)

property('rule 27: a key is its own key: lower case, without blanks', [text], (name) => {
  const key = nameKey(name)
  if (key === null) return
  assert.is(nameKey(key), key)
  assert.not.match(key, /\s/)
  assert.is(nameKey(` ${name.toUpperCase().toLowerCase()} `), nameKey(name.toUpperCase().toLowerCase()))
  assert.is(statedName(name), name)
})

property(
  'rule 27: each pair of vendor and product is named once, in order, by CNA, ADP or NVD',
  [fc.array(anyClaim)],
  (claims) => {
    const named = namedProducts(claims)
    const pairs = named.map(({ vendor, product }) => `${vendor}\n${product ?? ''}`)
    assert.equal(pairs, [...new Set(pairs)].sort(compareText))
    const stated = claims.filter(({ source }) => /^(cna|adp|nvd)$/.test(source)).flatMap((one) => one.affected)
    const keys = new Set(stated.map(({ vendor }) => nameKey(vendor ?? '')).filter((key) => key !== null))
    assert.equal(new Set(named.map(({ vendor }) => vendor)), keys)
  },
)

property(
  'rule 29: times are read to UTC, in which they stay as they are',
  [timestamp, fc.integer({ min: -840, max: 840 })],
  (time, minutes) => {
    assert.is(utcTimestamp(time), time)
    assert.is(utcTimestamp(time.replace('Z', '')), time)
    const pad = (number: number) => String(number).padStart(2, '0')
    const zone = `${minutes < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(minutes) / 60))}:${pad(Math.abs(minutes) % 60)}`
    const local = new Date(Date.parse(time) + minutes * 60_000).toISOString().replace('Z', zone)
    assert.is(utcTimestamp(local), time)
  },
)

/** Often with one beginning, around the borders of surrogates. */
const BORDERS = fc.string({
  unit: fc.constantFrom('a', '\0', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{1f600}'),
})
const ANY_TEXT = fc.oneof(BORDERS, fc.string({ unit: codePoint }))

property('rule 6: texts are ordered as their bytes in UTF-8 are', [ANY_TEXT, ANY_TEXT], (a, b) => {
  assert.is(Math.sign(compareText(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)))
})

test('rule 24: affected entries are listed by claim, CNA, ADP, then the others, and never merged', () => {
  const entry = (source: 'cna' | 'adp' | 'nvd' | 'osv') =>
    claim({ source, affected: [affected({ source, vendor: 'Acme', product: 'Widget' })] })
  const sources = merged([entry('osv'), entry('nvd'), entry('adp'), entry('cna')]).affected.map((one) => one.source)
  assert.equal(sources, ['cna', 'adp', 'nvd', 'osv'])
})

test('rule 10: a reserved record without claims is served, a rejected one is not merged', () => {
  const input = { kev: null, kevFeed: true, ...NO_OTHER_CLAIMS, catalog: null, mission: 'medium' } as const
  const reserved = mergeCve({
    ...input,
    record: record([], { state: 'RESERVED', datePublished: null }),
  })
  assert.is(reserved.core.state, 'RESERVED')
  assert.is(reserved.core.title, null)
  assert.throws(() => mergeCve({ ...input, record: record([], { state: 'REJECTED' }) }), /CVE-2024-1234 is rejected/)
})

test.run()
