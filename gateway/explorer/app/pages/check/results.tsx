/** The findings of a check. */
import type { ComponentChildren } from 'preact'
import { type Finding, isUndecided } from '../../../../../corpus/inventory/findings.ts'
import type { Component } from '../../../../../corpus/inventory/inventory.ts'
import { AdvisoryIds, FixedVersions, RowFlags, Verdict } from '../../parts/affected-table.tsx'
import { Filters } from '../../parts/filters.tsx'
import { formatCount, formatShare } from '../../parts/format.ts'
import { packagePath } from '../../parts/names.ts'
import { saveFile } from '../../parts/save.ts'
import { Figures } from '../../parts/texts.tsx'
import { Severity, Unknown } from '../../parts/values.tsx'
import { link } from '../../router.ts'
import {
  byPackage,
  type CheckResult,
  csvOf,
  jsonOf,
  packagesBySeverity,
  RESULT_FILTERS,
  SKIP_REASONS,
  selected,
} from './report.ts'

export function Results({ result, query }: { result: CheckResult; query: URLSearchParams }) {
  const affected = result.findings.filter((finding) => !isUndecided(finding))
  const undecided = result.findings.filter(isUndecided)
  const shown = selected(affected, query)
  const shownUndecided = selected(undecided, query)
  const counts = packagesBySeverity(affected)
  return (
    <section aria-labelledby="result">
      <h2 id="result" tabIndex={-1}>
        {result.file}
      </h2>
      <p class="about">
        {result.format}, matched with the snapshot <code>{result.snapshot?.id.slice(0, 12)}</code>
      </p>
      <Figures
        figures={[
          ['packages', formatCount(result.components.length)],
          ['affected', formatCount(byPackage(affected).length)],
          ...counts.map(
            ([severity, count]) =>
              [
                severity === null ? 'unscored' : <Severity key={severity} band={severity} />,
                formatCount(count),
              ] as const,
          ),
          ['undecided', formatCount(byPackage(undecided).length)],
          ['not indexed', formatCount(result.notIndexed.length)],
          ['skipped', formatCount(result.skipped.length + result.rejected.length)],
        ]}
      />
      {result.findings.length === 0 ? null : (
        <>
          <Filters filters={RESULT_FILTERS} base={['check']} query={query} />
          <Export result={result} findings={[...shown, ...shownUndecided]} />
        </>
      )}
      <h3>Affected packages</h3>
      {affected.length === 0 ? <p>No advisory affects a package of the file.</p> : null}
      {affected.length > 0 && shown.length === 0 ? (
        <p class="dim">No finding matches the filters. Remove a filter.</p>
      ) : null}
      <FindingTable findings={shown} caption="Affected packages" />
      {shownUndecided.length === 0 ? null : (
        <>
          <h3>Undecided</h3>
          <p class="about">An advisory names the package, but its versions cannot be compared with yours.</p>
          <FindingTable findings={shownUndecided} caption="Undecided" />
        </>
      )}
      <NotIndexed components={result.notIndexed} />
      <Skipped result={result} />
    </section>
  )
}

function Export({ result, findings }: { result: CheckResult; findings: readonly Finding[] }) {
  const save = (text: string, type: string, extension: string) =>
    saveFile(new Blob([text], { type }), `check-${result.file.replace(/[^\w.-]+/g, '_')}.${extension}`)
  return (
    <p class="buttons">
      <button type="button" onClick={() => save(csvOf(findings), 'text/csv', 'csv')}>
        Save as CSV
      </button>
      <button type="button" onClick={() => save(jsonOf(result, findings), 'application/json', 'json')}>
        Save as JSON
      </button>
    </p>
  )
}

function FindingTable({ findings, caption }: { findings: readonly Finding[]; caption: string }) {
  if (findings.length === 0) return null
  return (
    <div class="scroll">
      <table class="rows cards findings">
        <caption class="for-reader">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Package</th>
            <th scope="col">Severity</th>
            <th scope="col">Advisory</th>
            <th scope="col">Summary</th>
            <th scope="col">Flags</th>
            <th scope="col" class="number">
              EPSS
            </th>
            <th scope="col">Verdict</th>
            <th scope="col">Fixed in</th>
          </tr>
        </thead>
        {byPackage(findings).map(({ component, findings: own }) => (
          <tbody key={`${component.ecosystem}/${component.name}@${component.version}`}>
            {own.map(({ advisory }, i) => (
              <tr key={advisory.advisory_id}>
                {i === 0 ? (
                  <th scope="rowgroup" rowSpan={own.length} class="package">
                    <PackageOf component={component} />
                  </th>
                ) : null}
                <td>
                  <Severity band={advisory.severity} score={advisory.cvss_score} />
                </td>
                <td>
                  <AdvisoryIds row={advisory} />
                </td>
                <td class="wide">{advisory.summary ?? <Unknown />}</td>
                <td>
                  <RowFlags row={advisory} />
                </td>
                <td class="number" data-label="EPSS">
                  {advisory.epss === null ? <Unknown /> : formatShare(advisory.epss)}
                </td>
                <td>
                  <Verdict row={advisory} />
                </td>
                <td data-label="Fixed in">
                  <FixedVersions versions={advisory.fixed_versions} />
                </td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

/** The package with its version, the line in the file, and whether only development needs it. */
function PackageOf({ component: { ecosystem, name, version, line, dev } }: { component: Component }) {
  return (
    <>
      <a href={link(packagePath(ecosystem ?? '', name), { version })}>{name}</a> <b>{version}</b>
      <span class="where">
        {ecosystem}
        {line === null ? null : `, line ${formatCount(line)}`}
        {dev === true ? <span class="flag">development</span> : null}
      </span>
    </>
  )
}

function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <>
      <h3>{title}</h3>
      {children}
    </>
  )
}

function NotIndexed({ components }: { components: readonly Component[] }) {
  if (components.length === 0) return null
  const groups = Map.groupBy(components, ({ ecosystem }) => ecosystem?.split(':', 1)[0] ?? null)
  return (
    <Section title="Not indexed">
      <p class="about">
        The snapshot has no advisories for the ecosystems of these packages. They can still be affected.
      </p>
      {[...groups].map(([ecosystem, members]) => (
        <details key={ecosystem}>
          <summary>
            {ecosystem === null
              ? `Package URLs of an unknown type: ${formatCount(members.length)}`
              : `${ecosystem}: ${formatCount(members.length)}`}
          </summary>
          <ul>
            {members.map(({ name, version, purl }) => (
              <li key={`${purl} ${name} ${version}`}>
                {purl ?? name} {purl === null ? version : null}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </Section>
  )
}

function Skipped({ result: { skipped, rejected } }: { result: CheckResult }) {
  const rows = [
    ...skipped.map(({ name, line, reason }) => ({ name, line, reason: SKIP_REASONS[reason] })),
    ...rejected.map(({ component: { name, line }, message }) => ({ name, line, reason: `rejected: ${message}` })),
  ]
  if (rows.length === 0) return null
  return (
    <Section title="Skipped">
      <div class="scroll">
        <table class="rows cards">
          <caption class="for-reader">Skipped entries</caption>
          <thead>
            <tr>
              <th scope="col">Entry</th>
              <th scope="col" class="number">
                Line
              </th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, line, reason }, i) => (
              <tr key={i}>
                <td class="wide">{name}</td>
                <td class="number" data-label="Line">
                  {line === null ? <Unknown /> : formatCount(line)}
                </td>
                <td>{reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  )
}
