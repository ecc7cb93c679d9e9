/** Explains each value of a record: the rule that decides it and the statement of every claim (rules 18 to 31). */
import type { CveClaim } from '../claim.ts'
import type { MergedParts, MergeInput } from '../merge.ts'
import { discardedClaims, effectiveClaims, mergeCve, newestAnalysisFirst } from '../merge.ts'
import { claimant } from '../sources.ts'
import {
  advisoryChoice,
  descriptionChoice,
  kevChoice,
  scoreChoice,
  ssvcChoice,
  titleChoice,
  weaknessChoice,
} from './choices.ts'
import { adds, type Considered, choice, decides, type Explanation, passed } from './explanation.ts'
import {
  catalogGround,
  completenessGrounds,
  counted,
  countedGrounds,
  detectionGrounds,
  evidenceGround,
  exploitGrounds,
  guidanceGrounds,
  mappingGrounds,
  patchGrounds,
  reportGrounds,
  workaroundGrounds,
} from './sums.ts'

interface Considering {
  input: MergeInput
  parts: MergedParts
  claims: ReturnType<typeof effectiveClaims>
}

interface Row {
  fields: readonly string[]
  rule: number | null
  says: string
  value(parts: MergedParts): unknown
  considered(given: Considering): Considered[]
  /** Returns the statement of a claim that does not count, or null if it has none. */
  discarded?(claim: CveClaim): string | null
}

/** In the order of the record's parts. */
const ROWS: readonly Row[] = [
  {
    fields: ['state', 'date_published', 'date_updated', 'assigner'],
    rule: 29,
    says: 'from the CVE record itself',
    value: ({ core: { state, date_published, date_updated, assigner } }) => [
      state,
      date_published,
      date_updated,
      assigner,
    ],
    considered: ({ input: { record } }) => [
      decides(
        'cvelist',
        [record.state, record.datePublished, record.dateUpdated, record.assigner].filter(Boolean).join(', '),
      ),
    ],
  },
  {
    fields: ['title'],
    rule: 19,
    says: 'the title of the CNA; else vendor (unless the product begins with it), product and primary weakness, if all three are known; else the first sentence of the description',
    value: ({ core }) => core.title,
    considered: ({ input: { catalog }, parts: { core }, claims }) => {
      const id = core.primary_cwe_id
      return titleChoice(claims, core.description, id === null ? null : (catalog?.weaknessName(id) ?? null))
    },
  },
  {
    fields: ['description'],
    rule: 29,
    says: 'the first English description, else the first; those of the record rank above those of other feeds',
    value: ({ core }) => core.description,
    considered: ({ claims }) => descriptionChoice(claims),
  },
  {
    fields: ['severity', 'cvss_score', 'cvss_score_source'],
    rule: 18,
    says: 'the service, then CNA, ADP, NVD, advisory; within a source the newest version of CVSS, then the newest, then the higher score',
    value: ({ core: { severity, cvss_score, cvss_score_source } }) => [severity, cvss_score, cvss_score_source],
    considered: ({ input, claims }) => scoreChoice(claims, input.record.dateUpdated),
    discarded: ({ metrics }) =>
      metrics.map(({ version, baseScore, vector }) => `CVSS ${version} ${baseScore} ${vector}`).join('; ') || null,
  },
  {
    fields: ['cvss.svc_assessment'],
    rule: 18,
    says: "the service's own score, the newest version of CVSS first",
    value: ({ cvss }) => cvss.svc_assessment?.base_score ?? null,
    considered: ({ input, claims }) =>
      scoreChoice(
        claims.filter(({ source }) => source === 'svc'),
        input.record.dateUpdated,
      ),
  },
  {
    fields: ['kev'],
    rule: 23,
    says: 'the catalog decides; without a catalog, the copy of the ADP',
    value: ({ core }) => core.kev,
    considered: ({ input, claims }) => kevChoice(claims, input),
  },
  {
    fields: ['ssvc'],
    rule: 20,
    says: "the newest assessment of an ADP; the decision by CISA's coordinator table and the operator's mission setting",
    value: ({ core }) => core.ssvc,
    considered: ({ input, claims }) => [
      ...ssvcChoice(claims),
      adds('operator', `mission and well-being: ${input.mission}`),
    ],
  },
  {
    fields: ['has_patch'],
    rule: 22,
    says: 'a fixed version, a patched version or a fix commit in any claim, or a reference tagged patch',
    value: ({ core }) => core.has_patch,
    considered: ({ parts }) => patchGrounds(parts),
  },
  {
    fields: ['has_workaround'],
    rule: 22,
    says: "the CNA's workarounds, or a reference tagged mitigation",
    value: ({ core }) => core.has_workaround,
    considered: ({ parts, claims }) => workaroundGrounds(claims, parts),
  },
  {
    fields: ['has_exploit'],
    rule: 22,
    says: 'any evidence of exploitation',
    value: ({ core }) => core.has_exploit,
    considered: ({ parts }) => exploitGrounds(parts),
  },
  {
    fields: ['has_detection', 'detection_layers'],
    rule: 22,
    says: 'any detection content, and the layers it works at',
    value: ({ core: { has_detection, detection_layers } }) => [has_detection, detection_layers],
    considered: ({ input }) => detectionGrounds(input.detections),
  },
  {
    fields: ['primary_cwe_id'],
    rule: 21,
    says: 'the first CWE of the CNA, then of the ADP, then of NVD; weaknesses in the catalog rank above others',
    value: ({ core }) => core.primary_cwe_id,
    considered: ({ input, claims }) => weaknessChoice(claims, input),
  },
  {
    fields: ['weaknesses (scope=any)'],
    rule: 21,
    says: 'the union of the mappings of CNA, ADP, NVD and advisories',
    value: ({ facets }) => facets.weaknesses,
    considered: ({ claims }) => mappingGrounds(claims),
    discarded: ({ weaknesses }) => weaknesses.join(' ') || null,
  },
  {
    fields: ['affected'],
    rule: 24,
    says: 'claim by claim, never merged',
    value: ({ affected }) => affected.length,
    considered: ({ input, claims }) => [
      ...countedGrounds(claims, 'affected'),
      ...input.analyses
        .filter(({ affected }) => affected.length > 0)
        .map(({ analysis, affected }) => adds('svc_analysis', counted(affected.length, analysis.generated_at))),
    ],
    discarded: ({ affected, updatedAt }) => (affected.length === 0 ? null : counted(affected.length, updatedAt)),
  },
  {
    fields: ['references'],
    rule: 30,
    says: 'one per URL, with every source that lists it',
    value: ({ references }) => references.length,
    considered: ({ claims }) => countedGrounds(claims, 'references'),
    discarded: ({ references, updatedAt }) => (references.length === 0 ? null : counted(references.length, updatedAt)),
  },
  {
    fields: ['guidance'],
    rule: 31,
    says: 'what each container of the record advises; the status of NVD',
    value: ({ guidance }) => guidance.entries.length,
    considered: ({ parts }) => guidanceGrounds(parts),
  },
  {
    fields: ['kev_detail.catalogs'],
    rule: 23,
    says: 'what each catalog of exploited vulnerabilities states, never merged',
    value: ({ kev }) => kev.length,
    considered: ({ parts }) => parts.kev.map(catalogGround),
  },
  {
    fields: ['exploits'],
    rule: 27,
    says: 'every module of the archive and the framework that lists the CVE',
    value: ({ exploits }) => exploits.length,
    considered: ({ parts }) => parts.exploits.map(({ source, source_id }) => adds(source, source_id)),
  },
  {
    fields: ['evidence'],
    rule: 23,
    says: 'listings, assessments, modules, tagged references, repositories; detection content; fixes: each with its rank and confidence',
    value: ({ evidence }) => evidence.length,
    considered: ({ parts }) => parts.evidence.map(evidenceGround),
  },
  {
    fields: ['analysis'],
    rule: null,
    says: 'the newest analysis of the service',
    value: ({ analysis }) => analysis?.generated_at ?? null,
    considered: ({ input }) =>
      choice(
        input.analyses.toSorted(newestAnalysisFirst),
        ({ analysis }) => analysis.model ?? 'svc',
        ({ analysis }) => analysis.generated_at ?? 'undated',
        () => null,
      ),
  },
  {
    fields: ['advisory'],
    rule: 29,
    says: 'the first of: not withdrawn, reviewed, earliest published, lowest id',
    value: ({ advisory }) => advisory?.advisory_id ?? null,
    considered: ({ input }) => advisoryChoice(input.advisories),
  },
  {
    fields: ['reports'],
    rule: null,
    says: 'the latest final one of each type',
    value: ({ reports }) => reports.length,
    considered: ({ input, parts }) => reportGrounds(input, parts),
  },
  {
    fields: ["completeness (of the CNA's statement)"],
    rule: 25,
    says: 'points for each available item, at most 100',
    value: ({ facets }) => facets.completeness,
    considered: ({ claims }) => completenessGrounds(claims),
  },
]

/**
 * Explains every derived value, in the order of the record.
 * @throws TypeError for a rejected record, which has no values.
 */
export function explainCve(input: MergeInput): Explanation[] {
  const given = { input, parts: mergeCve(input), claims: effectiveClaims(input) }
  const discarded = discardedClaims(input)
  return ROWS.map((row) => ({
    fields: [...row.fields],
    value: row.value(given.parts),
    rule: row.rule,
    says: row.says,
    considered: [
      ...row.considered(given),
      ...discarded.flatMap(({ claim, why }) => {
        const states = row.discarded?.(claim) ?? null
        return states === null ? [] : [passed(claimant(claim), states, why)]
      }),
    ],
  }))
}
