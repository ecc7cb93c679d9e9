/** The findings of a check. */
import { useState } from 'preact/hooks'
import { type DecidedFinding, type DecidedPackage, isSuppressed } from '../../../../inventory/decisions/apply.ts'
import type { NotChecked } from '../../../../inventory/findings.ts'
import { NO_SAFE_VERSION_REASONS, UNDECIDED_REASONS } from '../../../../inventory/reasons.ts'
import { AdvisoryIds, FixedVersions, Rating, RowFlags, Verdict } from '../../parts/affected-table.tsx'
import { Filters } from '../../parts/filters.tsx'
import { formatCount, formatShare } from '../../parts/format.ts'
import { saveFile } from '../../parts/save.ts'
import { InSteps } from '../../parts/steps.tsx'
import { Figures } from '../../parts/texts.tsx'
import { Severity, Unknown } from '../../parts/values.tsx'
import { byStatus, type CheckResult, type PageDecisions } from './decided.ts'
import { type DecisionActions, DecisionDialog, DecisionList, DecisionNote, Suppressed, Unused } from './decisions.tsx'
import { FIRST_ROWS, PackageName } from './package.tsx'
import { byPackage, csvOf, jsonOf, packagesBySeverity, RESULT_FILTERS, selected, summaryOf, titleOf } from './report.ts'

/** Files of a check that are shown at first. */
const FIRST_FILES = 20

interface ResultsProps {
  result: CheckResult
  query: URLSearchParams
  decisions: PageDecisions
  isSaved: boolean
  actions: DecisionActions
}

export function Results({ result, query, decisions, isSaved, actions }: ResultsProps) {
  const { findings, undecided, counts } = result
  const [asked, setAsked] = useState<DecidedFinding | null>(null)
  const shown = selected(findings, query)
  const { open, suppressed } = byStatus(shown)
  const all = byStatus(findings)
  return (
    <section aria-labelledby="result">
      <h2 id="result" tabIndex={-1}>
        {titleOf(result)}
      </h2>
      <CheckedFiles result={result} />
      {result.unreadable.map((message) => (
        <p key={message} class="notice failure" role="alert">
          {message}
        </p>
      ))}
      <p class="notice" role="status">
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
      <DecisionList decisions={decisions} isSaved={isSaved} actions={actions} />
      {findings.length + undecided.length === 0 ? null : (
        <>
          <Filters filters={RESULT_FILTERS} base={['check']} query={query} />
          <Export result={result} findings={shown} />
        </>
      )}
      {all.open.length === 0 ? null : (
        <>
          <h3>Affected packages</h3>
          <Figures
            figures={packagesBySeverity(all.open).map(([severity, count]) => [
              severity === null ? 'unscored' : <Severity key={severity} band={severity} />,
              formatCount(count),
            ])}
          />
        </>
      )}
      {findings.length > 0 && shown.length === 0 ? (
        <p class="dim">No finding matches the filters. Remove a filter.</p>
      ) : null}
      <InSteps items={open} first={FIRST_ROWS} noun="findings">
        {(findings) => <FindingTable findings={findings} caption="Affected packages" ask={setAsked} />}
      </InSteps>
      <Suppressed findings={suppressed} remove={actions.remove} />
      <Undecided packages={undecided} />
      <NotCheckedTable entries={result.notChecked} />
      <Unused unused={result.decisions.unused} />
      {asked === null ? null : (
        <DecisionDialog
          finding={asked}
          decide={(entry) => {
            setAsked(null)
            actions.add(entry)
          }}
          close={() => setAsked(null)}
        />
      )}
    </section>
  )
}

/** The files with their formats. A single file is named by the heading. */
function CheckedFiles({ result: { files, snapshot } }: { result: CheckResult }) {
  const aboutFile = ({ file, format, packages }: CheckResult['files'][number]) =>
    `${format === file ? '' : `${format}, `}${formatCount(packages)} ${packages === 1 ? 'entry' : 'entries'}`
  return (
    <>
      {files.length === 1 ? null : (
        <InSteps items={files} first={FIRST_FILES} noun="files">
          {(shown) => (
            <ul class="files">
              {shown.map((one) => (
                <li key={one.file}>
                  <b>{one.file}</b> <span class="dim">{aboutFile(one)}</span>
                </li>
              ))}
            </ul>
          )}
        </InSteps>
      )}
      <p class="about">
        {files.length === 1 ? `${aboutFile(files[0]!)}. ` : ''}Matched with the snapshot{' '}
        <code>{snapshot?.id.slice(0, 12)}</code>
      </p>
    </>
  )
}

function Export({ result, findings }: { result: CheckResult; findings: readonly DecidedFinding[] }) {
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

function FindingTable({
  findings,
  caption,
  ask,
}: {
  findings: readonly DecidedFinding[]
  caption: string
  ask(finding: DecidedFinding): void
}) {
  if (findings.length === 0) return null
  return (
    <div class="scroll">
      <table class="rows cards findings">
        <caption class="for-reader">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Severity</th>
            <th scope="col">Advisory</th>
            <th scope="col">Summary</th>
            <th scope="col">Flags</th>
            <th scope="col" class="number">
              EPSS
            </th>
            <th scope="col">Affected versions</th>
            <th scope="col">Fixed in</th>
            <th scope="col">
              <span class="for-reader">Action</span>
            </th>
          </tr>
        </thead>
        {byPackage(findings).map(({ component, places, findings: own }) => (
          <tbody key={`${component.ecosystem}/${component.name}@${component.version}`}>
            <tr class="group">
              <th scope="rowgroup" colSpan={8} class="package">
                <PackageName component={component} places={places}>
                  <SafeVersionOf finding={own[0]!} />
                </PackageName>
              </th>
            </tr>
            {own.map((finding) => (
              <FindingRow key={finding.advisory.advisory_id} finding={finding} ask={ask} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

function FindingRow({ finding, ask }: { finding: DecidedFinding; ask(finding: DecidedFinding): void }) {
  const { name, advisory, decision } = finding
  return (
    <tr>
      <td>
        <Rating row={advisory} />
      </td>
      <td>
        <AdvisoryIds row={advisory} />
      </td>
      <td class="wide">
        {advisory.summary ?? <Unknown />}
        {decision === null ? null : (
          <p class="stated">
            <DecisionNote decision={decision} />
          </p>
        )}
      </td>
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
      <td>
        <button
          type="button"
          class="plain"
          aria-label={`Suppress ${advisory.advisory_id} in ${name}`}
          onClick={() => ask(finding)}
        >
          Suppress
        </button>
      </td>
    </tr>
  )
}

/** The lowest version that no advisory affects, or why there is none. */
function SafeVersionOf({ finding: { safeVersion, noSafeVersion } }: { finding: DecidedFinding }) {
  if (safeVersion === null) return <span class="dim">no safe version: {NO_SAFE_VERSION_REASONS[noSafeVersion!]}</span>
  return (
    <span class="safe">
      safe version <b>{safeVersion}</b>
    </span>
  )
}

/** One row for each package. Its advisories are on the page of the package. */
function Undecided({ packages }: { packages: readonly DecidedPackage[] }) {
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
                      <PackageName component={one} places={[one]} />
                    </th>
                    <td class="number" data-label="Advisories">
                      {formatCount(one.advisories.length)}
                    </td>
                    <td class="wide">
                      {one.reasons.map((reason) => UNDECIDED_REASONS[reason]).join('; ')}
                      <UndecidedDecisions of={one} />
                    </td>
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

/** The decisions on the advisories of an undecided package. */
function UndecidedDecisions({ of: { advisories, decisions } }: { of: DecidedPackage }) {
  const stated = advisories.flatMap(({ advisory_id: id }, i) => (decisions[i] ? { id, decision: decisions[i] } : []))
  return (
    <InSteps items={stated} first={FIRST_FILES} noun="decisions">
      {(shown) =>
        shown.map(({ id, decision }) => (
          <p key={id} class="stated">
            <span class="id">{id}</span> {isSuppressed({ decision }) ? 'suppressed, ' : ''}
            <DecisionNote decision={decision} />
          </p>
        ))
      }
    </InSteps>
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
