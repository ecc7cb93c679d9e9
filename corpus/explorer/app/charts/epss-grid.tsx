/** EPSS against CVSS: a table of counts. The more CVEs, the stronger the colour. */
import type { Stats } from '../data/answers.ts'
import { formatCompact, formatCount, formatProbability, formatScore, formatShare } from '../parts/format.ts'
import { CveLink } from '../parts/values.tsx'
import { link } from '../router.ts'
import { cellParams } from './epss-cells.ts'
import { heat } from './heat.ts'

export function EpssGrid({ grid, totalCves }: { grid: Stats['epss_by_cvss']; totalCves: number }) {
  const { epss_from: epss, cvss_from: cvss, counts, highest, without_scores: without } = grid
  const most = Math.max(...counts.flat())
  const cvssEnd = (i: number) => cvss[i + 1] ?? 10
  return (
    <section class="chart">
      <h2>EPSS against CVSS</h2>
      <p class="axis">Number of CVEs. Rows: CVSS score. Columns: EPSS score, with its lower bound</p>
      <table class="grid">
        <caption class="for-reader">CVEs by CVSS score and EPSS score</caption>
        <thead>
          <tr>
            <td class="corner">CVSS</td>
            {epss.map((from) => (
              <th key={from} scope="col">
                <a
                  href={link(['cves'], { epss_min: from, sort: '-epss' })}
                  aria-label={`EPSS from ${formatProbability(from)}: list the CVEs`}
                >
                  {formatProbability(from)}
                </a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cvss
            .map((from, column) => (
              <tr key={from}>
                <th scope="row">
                  {from}–{cvssEnd(column)}
                </th>
                {counts.map((row, band) => (
                  <td key={epss[band]} class={`heat-${heat(row[column]!, most)}`} title={formatCount(row[column]!)}>
                    {row[column] === 0 ? (
                      ''
                    ) : (
                      <a
                        href={link(['cves'], { ...cellParams(grid, band, column), sort: '-epss' })}
                        aria-label={`${formatCount(row[column]!)} CVEs: CVSS ${from} to ${cvssEnd(column)}, EPSS from ${formatProbability(epss[band]!)}`}
                      >
                        {formatCompact(row[column]!)}
                      </a>
                    )}
                  </td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
      <p class="dim">
        {formatCount(without)} of {formatCount(totalCves)} CVEs lack one of the scores. A score on a bound belongs to
        the higher band.
      </p>
      {highest.length === 0 ? null : (
        <details>
          <summary>Highest EPSS scores among CVEs with CVSS 9 or more</summary>
          <table>
            <thead>
              <tr>
                <th scope="col">CVE</th>
                <th scope="col" class="number">
                  CVSS
                </th>
                <th scope="col" class="number">
                  EPSS
                </th>
              </tr>
            </thead>
            <tbody>
              {highest.map(({ cve_id, cvss_score, epss: score }) => (
                <tr key={cve_id}>
                  <th scope="row">
                    <CveLink id={cve_id} />
                  </th>
                  <td class="number">{formatScore(cvss_score)}</td>
                  <td class="number">{formatShare(score)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </section>
  )
}
