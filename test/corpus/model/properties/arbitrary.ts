/**
 * Random claims as adapters could yield them. Names, URLs and times come from small pools, so that claims overlap: the
 * rules decide between claims on the same thing.
 */
import fc from 'fast-check'
import {
  type AdvisoryClaim,
  type AnalysisClaim,
  type CveClaim,
  type CveListRecord,
  DETECTION_LAYERS,
  type DetectionClaim,
  type GuidanceClaim,
  type KevEntry,
  type PocClaim,
  type ReferenceClaim,
  type ReportClaim,
} from '../../../../corpus/model/claim.ts'
import type { MergeInput, WeaknessCatalog } from '../../../../corpus/model/merge.ts'
import type { AffectedEntry, AffectedRange, Analysis, ExploitModule } from '../../../../corpus/model/record.ts'
import { advisory, affected, exploit, kevEntry, record } from '../fixture.ts'
import { cvssClaim } from './cvss-arbitrary.ts'
import { shape } from './property.ts'

export const CVE_ID = 'CVE-2024-1234'

const some = <Value>(arbitrary: fc.Arbitrary<Value>, maxLength = 4) => fc.array(arbitrary, { maxLength })
const orNull = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null })

/** ISO 8601 in UTC; half of them are one of a few instants. */
export const timestamp: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('2024-04-20T00:00:00.000Z', '2024-05-02T10:20:30.456Z'),
  fc
    .date({ min: new Date('1999-01-01T00:00:00Z'), max: new Date('2030-12-31T00:00:00Z'), noInvalidDate: true })
    .map((date) => date.toISOString()),
)
const day = timestamp.map((time) => time.slice(0, 10))

/** Words in any script, with emoji, and with punctuation and abbreviations that may or may not end sentences. */
const word = fc.oneof(
  fc.constantFrom('a', 'flaw', 'in', 'v1.2.', 'e.g.', 'Widget.', 'is', 'bad!', 'Überlauf', '注入', '🙂🙂'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((text) => text.replace(/\s/g, '_')),
  fc.string({ unit: fc.constantFrom('x', '🙂', 'é'), minLength: 100, maxLength: 150 }),
)
export const text: fc.Arbitrary<string> = fc
  .array(fc.tuple(word, fc.constantFrom(' ', '  ', '\n')), { minLength: 1, maxLength: 40 })
  .map((words) => words.flat().join('').trim())
  .filter((joined) => joined !== '')

/** Shorter and often equal texts, for claims. */
const statedText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('A flaw in Widget.', 'A flaw, e.g. in Widget. It is bad.', '欠陥 🙂') },
  { weight: 1, arbitrary: text },
)

export const url = fc.constantFrom(
  ...['a', 'b', 'c', 'd'].map((host) => `https://${host}.example/`),
  'https://code.example/commit/0123456789abcdef0123456789abcdef01234567',
  'https://git.example/c/89abcdef0123',
)
/** In the notation of the CVE list and of NVD. */
const tag = fc.constantFrom('patch', 'Patch', 'exploit', 'Exploit', 'mitigation', 'Mitigation', 'vendor-advisory')

const guidance: fc.Arbitrary<GuidanceClaim> = shape({
  date_public: orNull(timestamp),
  tags: some(fc.constantFrom('disputed', 'unsupported-when-assigned', 'x_own'), 2),
  workarounds: some(fc.constantFrom('Disable it.', 'Wait.'), 2),
  solutions: some(fc.constant('Update.'), 1),
  configurations: fc.constant([]),
  exploits: fc.constant([]),
  impacts: fc.constant([]),
  credits: fc.constant([]),
  timeline: fc.constant([]),
})

export const reference: fc.Arbitrary<ReferenceClaim> = shape({
  url,
  name: orNull(fc.constantFrom('A', 'B')),
  tags: some(tag, 3),
})

/** Weaknesses and categories of the catalog, and unknown ids. */
export const weakness = fc.constantFrom('cwe-20', 'cwe-79', 'cwe-89', 'cwe-787', 'cwe-1035', 'cwe-16', 'cwe-99999')
const WEAKNESS_NAMES: Record<string, string> = {
  'cwe-20': 'Improper Input Validation',
  'cwe-79': 'Scripting',
  'cwe-787': 'Out-of-bounds Write',
}
export const CATALOG: WeaknessCatalog = {
  isWeakness: (id) => Object.hasOwn(WEAKNESS_NAMES, id),
  weaknessName: (id) => WEAKNESS_NAMES[id] ?? null,
}
export const catalog = fc.constantFrom(CATALOG, null)
export const mission = fc.constantFrom('low', 'medium', 'high')

export const ssvcPoints = shape({
  exploitation: orNull(fc.constantFrom('none', 'poc', 'active')),
  automatable: orNull(fc.constantFrom('yes', 'no')),
  technical_impact: orNull(fc.constantFrom('partial', 'total')),
})
export const ssvc: fc.Arbitrary<NonNullable<CveClaim['ssvc']>> = fc
  .tuple(ssvcPoints, orNull(timestamp))
  .map(([points, assessedAt]) => ({ ...points, assessedAt }))

const version = fc.constantFrom('1.0', '1.5', '2.0', '2.0-rc1', '0123456789abcdef0123456789abcdef01234567')
const range: fc.Arbitrary<AffectedRange> = fc.record(
  {
    introduced: orNull(fc.constantFrom('0', '1.0', '2.0')),
    fixed: orNull(version),
    version_type: orNull(fc.constantFrom('semver', 'git', 'GIT', 'custom')),
    last_affected: version,
  },
  { requiredKeys: ['introduced', 'fixed', 'version_type'], noNullPrototype: true },
)

export const affectedEntry = (source: AffectedEntry['source']): fc.Arbitrary<AffectedEntry> =>
  shape({
    vendor: orNull(fc.constantFrom('Acme', 'ACME', 'Acme Inc', '*', 'Große AG')),
    product: orNull(fc.constantFrom('Widget', 'widget', 'Gadget Pro', '*')),
    package_name: orNull(fc.constantFrom('widget', '@acme/widget')),
    ecosystem: orNull(fc.constantFrom('npm', 'PyPI')),
    platforms: orNull(fc.constant<string[]>(['Linux'])),
    default_status: orNull(fc.constantFrom('affected', 'unaffected', 'unknown')),
    affected_versions: orNull(fc.array(version, { minLength: 1, maxLength: 3 })),
    affected_ranges: orNull(fc.array(range, { minLength: 1, maxLength: 3 })),
    patched_versions: orNull(fc.array(version, { minLength: 1, maxLength: 2 })),
    cpes: orNull(fc.constant<string[]>(['cpe:2.3:a:acme:widget:*:*:*:*:*:*:*:*'])),
    repo_url: orNull(url),
    updated_at: timestamp,
  }).map((given) => ({ ...affected({ source }), ...given }))

/** An ADP that assesses its own product (rule 18). */
const SUPPLIER = 'acme-SADP'

/** Names of each source: several for ADPs, advisories and OSV, one for the others. */
const NAMES: Record<CveClaim['source'], readonly string[]> = {
  cna: ['acme'],
  adp: ['CISA-ADP', 'other-ADP', SUPPLIER],
  nvd: ['nvd'],
  advisory: ['GHSA-aaaa-aaaa-aaaa', 'GHSA-bbbb-bbbb-bbbb'],
  osv: ['GO-2024-0001', 'BIT-widget-2024-1234', 'GHSA-aaaa-aaaa-aaaa'],
  svc: ['svc'],
}

/** Returns claims with the possible fields of the source: only ADPs have SSVC and KEV, only the CNA workarounds. */
export function cveClaim(source: CveClaim['source']): fc.Arbitrary<CveClaim> {
  return shape<CveClaim>({
    source: fc.constant(source),
    sourceName: fc.constantFrom(...NAMES[source]),
    updatedAt: timestamp,
    title: source === 'cna' ? orNull(statedText) : fc.constant(null),
    description: orNull(statedText),
    metrics: source === 'osv' ? fc.constant([]) : some(cvssClaim(source, timestamp)),
    weaknesses: fc.uniqueArray(weakness, { maxLength: 3 }),
    affected: source === 'svc' ? fc.constant([]) : some(affectedEntry(source), 3),
    references: source === 'svc' ? fc.constant([]) : some(reference),
    guidance: source === 'cna' || source === 'adp' ? orNull(guidance) : fc.constant(null),
    nvdStatus: source === 'nvd' ? orNull(fc.constantFrom('Analyzed', 'Deferred')) : fc.constant(null),
    ssvc: source === 'adp' ? orNull(ssvc) : fc.constant(null),
    kevDateAdded: source === 'adp' ? orNull(day) : fc.constant(null),
  }).map((one) => (one.sourceName === SUPPLIER ? { ...one, isSupplier: true } : one))
}

/** Returns claims of any of these sources. */
export function claimOf(...sources: CveClaim['source'][]): fc.Arbitrary<CveClaim> {
  return fc.oneof(...sources.map(cveClaim))
}
export const anyClaim = claimOf('cna', 'adp', 'nvd', 'advisory', 'osv', 'svc')

/** The containers of a record: the CNA's, then those of ADPs. */
export const recordClaims: fc.Arbitrary<CveClaim[]> = fc
  .tuple(cveClaim('cna'), fc.array(cveClaim('adp'), { maxLength: 2 }))
  .map(([cna, adps]) => [cna, ...adps])

/** The claims of other feeds: each feed has one claim of a name on a CVE. */
export const otherClaims: fc.Arbitrary<CveClaim[]> = fc.uniqueArray(claimOf('nvd', 'osv', 'svc'), {
  maxLength: 4,
  selector: ({ source, sourceName }) => `${source} ${sourceName}`,
})

const kevGiven = shape<Partial<KevEntry>>({
  dateAdded: day,
  dueDate: orNull(day),
  ransomware: orNull(fc.constantFrom('known', 'unknown')),
  notes: orNull(statedText),
})
export const kev: fc.Arbitrary<KevEntry> = kevGiven.map((given) => kevEntry(given))
const otherKev: fc.Arbitrary<KevEntry[]> = fc.uniqueArray(
  fc.tuple(fc.constantFrom('vulncheck', 'acme'), kevGiven).map(([catalog, given]) => kevEntry({ ...given, catalog })),
  { maxLength: 2, selector: ({ catalog }) => catalog },
)

/** `withdrawn` and `reviewed` are random. */
export const advisoryClaim: fc.Arbitrary<AdvisoryClaim> = shape({
  claim: cveClaim('advisory'),
  reviewed: fc.boolean(),
  published: timestamp,
  withdrawn: orNull(timestamp),
  summary: statedText,
  cwe_ids: fc.uniqueArray(
    weakness.map((id) => id.toUpperCase()),
    { maxLength: 2 },
  ),
}).map(({ claim, reviewed, published, withdrawn, summary, cwe_ids }) => {
  const { sourceName: advisory_id, updatedAt: updated_at } = claim
  const given = { advisory_id, updated_at, published_at: published, withdrawn_at: withdrawn, summary, cwe_ids }
  return advisory(given, { ...claim, reviewed })
})
export const advisories = fc.uniqueArray(advisoryClaim, {
  maxLength: 2,
  selector: ({ advisory: { advisory_id } }) => advisory_id,
})

export const exploitModule: fc.Arbitrary<ExploitModule> = shape({
  module: fc.constantFrom(
    ...(['exploit/windows/widget', 'auxiliary/scanner/widget', 'post/linux/widget'] as const).map((source_id) =>
      exploit({ source: 'exploit_framework', source_id }),
    ),
    ...['1001', '1002'].map((source_id) => exploit({ source: 'exploit_archive', source_id })),
  ),
  name: orNull(fc.constantFrom('Widget 1.0', 'Widget 2.0')),
  date_published: orNull(day),
  source_url: orNull(url),
  verified: orNull(fc.boolean()),
}).map(({ module, ...given }) => ({ ...module, ...given }))

export const detection: fc.Arbitrary<DetectionClaim> = shape<DetectionClaim>({
  layer: fc.constantFrom(...DETECTION_LAYERS),
  source: fc.constantFrom('template_scanner', 'own_rules'),
  evidenceType: fc.constantFrom('detection_template', 'detection_rule'),
  confidence: fc.constantFrom('confirmed', 'high', 'medium', 'low'),
  url: orNull(url),
  name: orNull(fc.constantFrom('A', 'B')),
  firstSeen: orNull(timestamp),
  lastSeen: orNull(timestamp),
})

export const poc: fc.Arbitrary<PocClaim> = shape({
  repositories: some(
    shape({
      url: fc.constantFrom('https://code.example/x/poc', 'https://code.example/y/poc'),
      name: fc.constantFrom('x/poc', 'y/poc'),
      stars: fc.nat(3),
      createdAt: orNull(timestamp),
      pushedAt: orNull(timestamp),
    }),
    3,
  ),
})

export const report: fc.Arbitrary<ReportClaim> = shape<ReportClaim>({
  id: fc.uuid(),
  reportType: fc.constantFrom('triage', 'deep_dive'),
  model: fc.constantFrom('m1', 'm2'),
  createdAt: timestamp,
  final: fc.boolean(),
  text: statedText,
})

const analysis: fc.Arbitrary<AnalysisClaim> = shape({
  analysis: shape<Analysis>({
    summary: orNull(statedText),
    root_cause: orNull(statedText),
    impact: orNull(statedText),
    attack_vector: orNull(statedText),
    remediation: orNull(statedText),
    weaknesses: fc.uniqueArray(weakness, { maxLength: 2 }),
    model: orNull(fc.constantFrom('m1', 'm2')),
    generated_at: orNull(timestamp),
  }),
  affected: some(affectedEntry('svc_analysis'), 2),
})

/** All possible claims of the feeds on one CVE. */
export const mergeInput: fc.Arbitrary<MergeInput> = shape({
  recordClaims,
  stated: shape<Partial<CveListRecord>>({
    state: fc.constantFrom('PUBLISHED', 'RESERVED'),
    assigner: orNull(fc.constantFrom('acme', 'other')),
    datePublished: orNull(timestamp),
    dateUpdated: orNull(timestamp),
  }),
  given: shape<Omit<MergeInput, 'record'>>({
    kev: orNull(kev),
    kevFeed: fc.boolean(),
    otherKev,
    claims: otherClaims,
    advisories,
    exploits: some(exploitModule, 3),
    detections: some(detection, 3),
    pocs: some(poc, 2),
    reports: some(report, 3),
    analyses: some(analysis, 1),
    catalog,
    mission,
  }),
}).map(({ recordClaims: claims, stated, given }) => ({ ...given, record: record(claims, stated) }))
