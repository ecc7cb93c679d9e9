/** The CVSS metrics of all sources, and their vectors side by side. */
import { SEVERITIES } from '../../../../model/record.ts'
import type { Severity as Band, CveDetail } from '../../data/answers.ts'
import { formatCount, formatScore } from '../../parts/format.ts'
import { sourceName } from '../../parts/sources.ts'
import { Folded, useSteps } from '../../parts/steps.tsx'
import { Flag, Severity, Time } from '../../parts/values.tsx'
import { decodeVector, isDefined } from './cvss-vector.ts'

/** Metrics that are shown at first. */
const FIRST = 20

type Cvss = NonNullable<CveDetail['cvss']>
type Metric = Cvss['metrics'][number]

/** The score and its band, as the source states them. */
function Score({ of: { base_score: score, base_severity } }: { of: { base_score: number; base_severity: string } }) {
  const band = base_severity.toLowerCase()
  if ((SEVERITIES as readonly string[]).includes(band)) return <Severity band={band as Band} score={score} />
  return (
    <>
      <b>{formatScore(score)}</b> {band}
    </>
  )
}

export function Metrics({ cvss }: { cvss: Cvss }) {
  const { metrics, svc_assessment: assessment } = cvss
  const versions = Map.groupBy(metrics, ({ cvss_version }) => cvss_version)
  const { shown, button } = useSteps(metrics, FIRST, 'metrics')
  return (
    <>
      {metrics.length === 0 ? null : (
        <div class="scroll">
          <table class="cards">
            <caption class="for-reader">CVSS metrics of all sources</caption>
            <thead>
              <tr>
                <th scope="col">Source</th>
                <th scope="col">CVSS</th>
                <th scope="col">Score</th>
                <th scope="col">Vector</th>
                <th scope="col">Stated</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((metric) => (
                <tr key={keyOf(metric)}>
                  <th scope="row">
                    <SourceOf metric={metric} />{' '}
                    {metric.is_primary ? <Flag name="primary" title="Decides the severity of the record" /> : null}
                  </th>
                  <td data-label="CVSS">{metric.cvss_version}</td>
                  <td>
                    <Score of={metric} />
                  </td>
                  <td class="wide">
                    <code>{metric.vector_string}</code>
                  </td>
                  <td>
                    <Time at={metric.captured_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {button}
      {assessment === null ? null : (
        <p>
          This service: <Score of={assessment} /> <code>{assessment.vector_string}</code>,{' '}
          <Time at={assessment.rescore_timestamp} />
        </p>
      )}
      {[...versions].map(([version, members]) => (
        <Comparison key={version} version={version} all={members} />
      ))}
    </>
  )
}

const keyOf = (metric: Metric) => `${metric.source_type} ${metric.source_short_name} ${metric.vector_string}`

function SourceOf({ metric: { source_type: type, source_short_name: name } }: { metric: Metric }) {
  const source = sourceName(type)
  return (
    <>
      {source}
      {name.toLowerCase() === type || name.toLowerCase() === source.toLowerCase() ? null : ` ${name}`}
    </>
  )
}

/** Vectors with all metrics have about 200. */
const MOST_CHARACTERS = 1000

/** Vectors side by side. Each has a column and can have rows of its own. */
const MOST_COMPARED = 20

/** The metrics of a version as rows, the sources as columns. Rows in which sources differ are marked. */
function Comparison({ version, all }: { version: string; all: readonly Metric[] }) {
  const isOpen = all.some(({ is_primary }) => is_primary)
  const summary = `CVSS ${version}: ${all.length === 1 ? 'the vector in words' : `${formatCount(all.length)} vectors in words`}`
  return (
    <Folded class="vectors" summary={summary} isOpen={isOpen}>
      <ComparisonTable version={version} metrics={all.slice(0, MOST_COMPARED)} />
      {all.length > MOST_COMPARED ? <p class="dim">The first {MOST_COMPARED} vectors are compared.</p> : null}
    </Folded>
  )
}

function ComparisonTable({ version, metrics }: { version: string; metrics: readonly Metric[] }) {
  const decoded = metrics.map((metric) => decodeVector(metric.vector_string.slice(0, MOST_CHARACTERS), version))
  const rows = [...new Map(decoded.flat().flatMap((one) => (isDefined(one) ? [[one.key, one]] : []))).values()]
  const groups = [...new Set(rows.map(({ group }) => group))]
  const isDisputed = (key: string) =>
    new Set(decoded.map((vector) => vector.find((one) => one.key === key && isDefined(one))?.letters)).size > 1
  return (
    <>
      <div class="scroll">
        <table class="vectors-table">
          <caption class="for-reader">CVSS {version} vectors, metric by metric</caption>
          <thead>
            <tr>
              <th scope="col">Metric</th>
              {metrics.map((metric) => (
                <th key={keyOf(metric)} scope="col">
                  <SourceOf metric={metric} />
                </th>
              ))}
            </tr>
          </thead>
          {groups.map((group) => (
            <tbody key={group}>
              {group === 'Base' ? null : (
                <tr>
                  <th scope="colgroup" colSpan={metrics.length + 1} class="dim">
                    {group ?? 'Not in the specification'}
                  </th>
                </tr>
              )}
              {rows
                .filter((row) => row.group === group)
                .map(({ key, name }) => {
                  const values = decoded.map((vector) => vector.find((one) => one.key === key))
                  return (
                    <tr key={key} class={isDisputed(key) ? 'disputed' : undefined}>
                      <th scope="row">
                        {name ?? 'Unknown'} <code class="dim">{key}</code>
                      </th>
                      {values.map((one, index) => (
                        <td key={keyOf(metrics[index]!)}>
                          {one ? (
                            <>
                              {one.value ?? 'unknown'} <code class="dim">{one.letters}</code>
                            </>
                          ) : (
                            <span class="dim">not stated</span>
                          )}
                        </td>
                      ))}
                    </tr>
                  )
                })}
            </tbody>
          ))}
        </table>
      </div>
      {rows.some(({ key }) => isDisputed(key)) ? (
        <p class="dim">≠ marks metrics on which the sources disagree.</p>
      ) : null}
    </>
  )
}
