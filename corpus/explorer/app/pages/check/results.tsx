/** The findings of a check. */
import type { Finding, LocatedComponent, NotChecked, UndecidedPackage } from '../../../../inventory/findings.ts'
import { isForDevelopment } from '../../../../inventory/inventory.ts'
import { NO_SAFE_VERSION_REASONS, UNDECIDED_REASONS } from '../../../../inventory/reasons.ts'
import { AdvisoryIds, FixedVersions, Rating, RowFlags, Verdict } from '../../parts/affected-table.tsx'
import { Filters } from '../../parts/filters.tsx'
import { formatCount, formatShare } from '../../parts/format.ts'
import { packagePath } from '../../parts/names.ts'
import { saveFile } from '../../parts/save.ts'
import { InSteps } from '../../parts/steps.tsx'
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
  selected,
  summaryOf,
  titleOf,
} from './report.ts'

/** Rows of a table that are shown at first. A file can have many thousand. */
const FIRST_ROWS = 500

export function Results({ result, query }: { result: CheckResult; query: URLSearchParams }) {
  const { findings, undecided, counts, files } = result
  const shown = selected(findings, query)
  return (
    <section aria-labelledby="result">
      <h2 id="result" tabIndex={-1}>
        {titleOf(result)}
      </h2>
      <p class="about">
        {[...new Set(files.map(({ format }) => format))].join(', ')}, matched with the snapshot{' '}
        <code>{result.snapshot?.id.slice(0, 12)}</code>
      </p>
      {result.unreadable.map((message) => (
        <p key={message} class="notice failure" role="alert">
          {message}
        </p>
      ))}
      <p class="notice">
        <b>{summaryOf(result)}</b>
      </p>
      <Figures
        figures={[
          ['packages', formatCount(counts.packages)],
          ['affected', formatCount(counts.affected)],
          ['not affected', formatCount(counts.notAffected)],
          ['undecided', formatCount(counts.undecided)],
          ['not checked', formatCount(counts.notChecked)],
        ]}
      />
      {findings.length + undecided.length === 0 ? null : (
        <>
          <Filters filters={RESULT_FILTERS} base={['check']} query={query} />
          <Export result={result} findings={shown} />
        </>
      )}
      {findings.length === 0 ? null : (
        <>
          <h3>Affected packages</h3>
          <Figures
            figures={packagesBySeverity(findings).map(([severity, count]) => [
              severity === null ? 'unscored' : <Severity key={severity} band={severity} />,
              formatCount(count),
            ])}
          />
        </>
      )}
      {findings.length > 0 && shown.length === 0 ? (
        <p class="dim">No finding matches the filters. Remove a filter.</p>
      ) : null}
      <InSteps items={shown} first={FIRST_ROWS} noun="findings">
        {(findings) => <FindingTable findings={findings} caption="Affected packages" />}
      </InSteps>
      <Undecided packages={undecided} />
      <NotCheckedTable entries={result.notChecked} />
    </section>
  )
}

function Export({ result, findings }: { result: CheckResult; findings: readonly Finding[] }) {
  const save = (text: string, type: string, extension: string) =>
    saveFile(new Blob([text], { type }), `check-${titleOf(result).replace(/[^\w.-]+/g, '_')}.${extension}`)
  return (
    <p class="buttons">
      <button type="button" onClick={() => save(csvOf(findings, result.undecided), 'text/csv', 'csv')}>
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
            <th scope="col">Safe version</th>
            <th scope="col">Severity</th>
            <th scope="col">Advisory</th>
            <th scope="col">Summary</th>
            <th scope="col">Flags</th>
            <th scope="col" class="number">
              EPSS
            </th>
            <th scope="col">Affected versions</th>
            <th scope="col">Fixed in</th>
          </tr>
        </thead>
        {byPackage(findings).map(({ component, findings: own }) => (
          <tbody key={`${component.file} ${component.ecosystem}/${component.name}@${component.version}`}>
            {own.map(({ advisory }, i) => (
              <tr key={advisory.advisory_id}>
                {i === 0 ? (
                  <th scope="rowgroup" rowSpan={own.length} class="package">
                    <PackageOf component={component} />
                  </th>
                ) : null}
                {i === 0 ? (
                  <td rowSpan={own.length} data-label="Safe version">
                    <SafeVersionOf finding={own[0]!} />
                  </td>
                ) : null}
                <td>
                  <Rating row={advisory} />
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

/** The package with its version, its file and line, and whether only development needs it. */
function PackageOf({ component }: { component: LocatedComponent }) {
  const { ecosystem, name, version, file, line } = component
  return (
    <>
      <a href={link(packagePath(ecosystem ?? '', name), { version })}>{name}</a> <b>{version}</b>
      <span class="where">
        {ecosystem}, {file}
        {line === null ? null : `, line ${formatCount(line)}`}
        {isForDevelopment(component) ? <span class="flag">development</span> : null}
      </span>
    </>
  )
}

/** The lowest version that no advisory affects, or why there is none. */
function SafeVersionOf({ finding: { safeVersion, noSafeVersion } }: { finding: Finding }) {
  if (safeVersion !== null) return <b>{safeVersion}</b>
  return <span class="dim">none: {NO_SAFE_VERSION_REASONS[noSafeVersion!]}</span>
}

/** One row for each package. Its advisories are on the page of the package. */
function Undecided({ packages }: { packages: readonly UndecidedPackage[] }) {
  if (packages.length === 0) return null
  return (
    <>
      <h3>Undecided</h3>
      <p class="about">Advisories name these packages, but do not allow a verdict for the version.</p>
      <InSteps items={packages} first={FIRST_ROWS} noun="packages">
        {(shown) => (
          <div class="scroll">
            <table class="rows cards">
              <caption class="for-reader">Undecided packages</caption>
              <thead>
                <tr>
                  <th scope="col">Package</th>
                  <th scope="col" class="number">
                    Advisories
                  </th>
                  <th scope="col">Reason</th>
                </tr>
              </thead>
              <tbody>
                {shown.map((one) => (
                  <tr key={`${one.file} ${one.ecosystem}/${one.name}@${one.version}`}>
                    <th scope="row" class="package">
                      <PackageOf component={one} />
                    </th>
                    <td class="number" data-label="Advisories">
                      {formatCount(one.advisories.length)}
                    </td>
                    <td class="wide">{one.reasons.map((reason) => UNDECIDED_REASONS[reason]).join('; ')}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </InSteps>
    </>
  )
}

function NotCheckedTable({ entries }: { entries: readonly NotChecked[] }) {
  if (entries.length === 0) return null
  return (
    <>
      <h3>Not checked</h3>
      <p class="about">Nothing is known about these entries. They can be affected.</p>
      <InSteps items={entries} first={FIRST_ROWS} noun="entries">
        {(shown) => (
          <div class="scroll">
            <table class="rows cards">
              <caption class="for-reader">Entries that were not checked</caption>
              <thead>
                <tr>
                  <th scope="col">Entry</th>
                  <th scope="col">File</th>
                  <th scope="col" class="number">
                    Line
                  </th>
                  <th scope="col">Reason</th>
                </tr>
              </thead>
              <tbody>
                {shown.map(({ name, version, file, line, reason }, i) => (
                  <tr key={i}>
                    <td class="wide">{version === null ? name : `${name} ${version}`}</td>
                    <td data-label="File">{file}</td>
                    <td class="number" data-label="Line">
                      {line === null ? <Unknown /> : formatCount(line)}
                    </td>
                    <td>{reason}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </InSteps>
    </>
  )
}
