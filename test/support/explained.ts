/** Checks explanations against the records: the deciding claim must be the served value. */
import * as assert from 'uvu/assert'
import { type ExplainReport, openExplainer } from '../../builder/explain.ts'
import type { Considered, Explanation } from '../../corpus/model/explain/explanation.ts'
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import { PART_NAMES, type RecordParts } from '../../corpus/model/record.ts'
import { openCorpus } from '../../corpus/store/corpus.ts'

/** Explains every record of a corpus and checks each explanation. Returns the number of records. */
export function explainAll(file: string): number {
  const corpus = openCorpus(file)
  const explainer = openExplainer(file)
  try {
    let count = 0
    for (const { block } of corpus.blocks()) {
      for (const { cveId, parts } of corpus.records(block)) {
        const record = Object.fromEntries(PART_NAMES.map((name) => [name, JSON.parse(parts[name])]))
        assertExplains(explainer.explain(cveId), record as unknown as RecordParts, cveId)
        count++
      }
    }
    return count
  } finally {
    explainer.close()
    corpus.close()
  }
}

function assertExplains(report: ExplainReport, record: RecordParts, cveId: CveId): void {
  const of = (field: string) => report.values.find(({ fields }) => fields.includes(field))!
  const { core, facets } = record
  for (const { fields, considered } of report.values) {
    assert.ok(considered.filter(({ outcome }) => outcome === 'decides').length <= 1, `${cveId} ${fields}: one decides`)
    for (const { why, outcome } of considered) assert.is(why === null, outcome !== 'passed', `${cveId} ${fields}`)
  }
  for (const field of ['title', 'description', 'primary_cwe_id'] as const) {
    assert.is(of(field).value, core[field], `${cveId} ${field}`)
    assert.is(decider(of(field))?.states ?? null, core[field], `${cveId} ${field}: what decides is what is served`)
  }
  assert.equal(of('severity').value, [core.severity, core.cvss_score, core.cvss_score_source], `${cveId} severity`)
  const [primary] = record.cvss.metrics.filter(({ is_primary }) => is_primary)
  const scored =
    primary && `CVSS ${primary.cvss_version} ${primary.base_score} ${primary.base_severity} ${primary.vector_string}`
  assert.is(decider(of('severity'))?.states.replace(/ of \S+$/, ''), scored, `${cveId} severity: the primary metric`)
  const counting = of('severity').considered.filter(({ why }) => !FALLEN.has(why))
  assert.is(counting.length, record.cvss.metrics.length, `${cveId}: every metric was considered`)
  assert.is(of('evidence').considered.length, record.evidence.length, cveId)
  assert.is(of('exploits').considered.length, record.exploits.length, cveId)
  assert.is(of('analysis').value, record.analysis?.generated_at ?? null, cveId)
  assert.is(of('cvss.svc_assessment').value, record.cvss.svc_assessment?.base_score ?? null, cveId)
  assert.is(decider(of('kev'))?.states.startsWith('listed') ?? false, core.kev.listed, `${cveId} kev`)
  const points = [core.ssvc.exploitation, core.ssvc.automatable, core.ssvc.technical_impact]
  const assessed = points.map((point) => point ?? 'missing').join(', ')
  assert.is(decider(of('ssvc'))?.states.replace(/ of \S+$/, '') ?? 'missing, missing, missing', assessed, cveId)
  for (const flag of ['has_patch', 'has_workaround', 'has_exploit', 'has_detection'] as const) {
    const [value] = [of(flag).value].flat()
    assert.is(value, core[flag], `${cveId} ${flag}`)
    assert.is(adding(of(flag)).length > 0, core[flag], `${cveId} ${flag}: true where something says so`)
  }
  assert.equal(of('weaknesses (scope=any)').value, facets.weaknesses, cveId)
  const mapped = new Set(adding(of('weaknesses (scope=any)')).flatMap(({ states }) => states.split(' ')))
  assert.equal([...mapped].sort(), facets.weaknesses.toSorted(), `${cveId}: the union of what adds`)
  const items = adding(of('affected')).reduce((sum, { states }) => sum + Number.parseInt(states, 10), 0)
  assert.is(items, record.affected.length, `${cveId}: each entry of affected is some claim's`)
  assert.is(of('advisory').value, record.advisory?.advisory_id ?? null, cveId)
  assert.is(decider(of('advisory'))?.by.split(' ')[1] ?? null, record.advisory?.advisory_id ?? null, cveId)
  assert.is(adding(of('reports')).length, record.reports.length, `${cveId}: reports`)
  const earned = adding(of("completeness (of the CNA's statement)")).map(({ states }) => Number(/\d+$/.exec(states)))
  assert.is(
    earned.reduce((sum, points) => sum + points, 0),
    facets.completeness,
    `${cveId}: points`,
  )
}

const FALLEN = new Set<string | null>(['withdrawn', 'a copy of the advisory'])

const decider = ({ considered }: Explanation) => considered.find(({ outcome }) => outcome === 'decides')
const adding = ({ considered }: Explanation): Considered[] => considered.filter(({ outcome }) => outcome === 'adds')
