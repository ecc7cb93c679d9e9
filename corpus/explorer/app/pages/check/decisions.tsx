/** The decisions of a check: their files, the findings that they suppress, those without effect, a new one. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DecidedFinding } from '../../../../inventory/decisions/apply.ts'
import type { Decision } from '../../../../inventory/decisions/decide.ts'
import { IGNORE_FILE_NAME, type IgnoreEntry } from '../../../../inventory/decisions/ignore-file.ts'
import { linePosition, unusedText } from '../../../../inventory/decisions/words.ts'
import { AdvisoryIds, Rating } from '../../parts/affected-table.tsx'
import { formatCount, formatDay } from '../../parts/format.ts'
import { saveFile } from '../../parts/save.ts'
import { InSteps } from '../../parts/steps.tsx'
import { type CheckResult, entryFor, ownIndex, type PageDecisions, savedFile, today } from './decided.ts'
import { FIRST_ROWS, PackageName } from './package.tsx'
import { byPackage, reasonOf } from './report.ts'

/** What the user can do with decisions. */
export interface DecisionActions {
  add(entry: IgnoreEntry): void
  /** Removes a decision that was made on the page. */
  remove(index: number): void
  removeFile(file: string): void
  setSaved(): void
}

/** The files with decisions, and those made on the page. */
export function DecisionList({
  decisions,
  isSaved,
  actions,
}: {
  decisions: PageDecisions
  isSaved: boolean
  actions: DecisionActions
}) {
  const { files, own } = decisions
  if (files.length + own.length === 0) return null
  const save = () => {
    saveFile(new Blob([savedFile(decisions)], { type: 'application/json' }), IGNORE_FILE_NAME)
    actions.setSaved()
  }
  return (
    <section class="panel decisions" aria-labelledby="decisions">
      <h3 id="decisions" tabIndex={-1}>
        Decisions
      </h3>
      <ul class="plain-list">
        {files.map(({ file, format, statements }) => (
          <li key={file}>
            <b>{file}</b>{' '}
            <span class="dim">
              {format === file ? '' : `${format}, `}
              {counted(statements.length, 'decision')}
            </span>{' '}
            <button type="button" class="plain" aria-label={`Remove ${file}`} onClick={() => actions.removeFile(file)}>
              Remove
            </button>
          </li>
        ))}
        {own.length === 0 ? null : (
          <li>
            <b>{counted(own.length, 'decision')} on this page</b>{' '}
            <span class="dim">{isSaved ? 'saved' : 'not saved; lost when you close or reload the page'}</span>
          </li>
        )}
      </ul>
      {own.length === 0 ? null : (
        <p class="buttons">
          <button type="button" onClick={save}>
            Save {IGNORE_FILE_NAME}
          </button>
          <span class="dim">
            Put it beside the lock file: <code>vulnshelf check</code> reads it.
          </span>
        </p>
      )}
    </section>
  )
}

const counted = (count: number, noun: string) => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`

/** Status, reason and position of a decision. */
export function DecisionNote({ decision }: { decision: Decision }) {
  const { status, until, file, line } = decision
  const reason = reasonOf(decision)
  return (
    <>
      <b>{status.replaceAll('_', ' ')}</b>
      {until === null ? null : ` until ${formatDay(until)}`}
      {reason === '' ? null : `: ${reason}`}
      <span class="where">{ownIndex(decision) === null ? linePosition({ file, line }) : file}</span>
    </>
  )
}

/** Findings that decisions suppress. They count as findings. */
export function Suppressed({
  findings,
  remove,
}: {
  findings: readonly DecidedFinding[]
  remove: DecisionActions['remove']
}) {
  if (findings.length === 0) return null
  return (
    <>
      <h3>Suppressed findings</h3>
      <InSteps items={findings} first={FIRST_ROWS} noun="findings">
        {(shown) => (
          <div class="scroll">
            <table class="rows cards suppressed">
              <caption class="for-reader">Suppressed findings</caption>
              <thead>
                <tr>
                  <th scope="col">Package</th>
                  <th scope="col">Severity</th>
                  <th scope="col">Advisory</th>
                  <th scope="col">Decision</th>
                  <th scope="col">
                    <span class="for-reader">Action</span>
                  </th>
                </tr>
              </thead>
              {byPackage(shown).map((one) => (
                <tbody key={`${one.component.ecosystem}/${one.component.name}@${one.component.version}`}>
                  {one.findings.map(({ advisory, decision }, i) => {
                    const own = ownIndex(decision!)
                    return (
                      <tr key={advisory.advisory_id}>
                        {i === 0 ? (
                          <th scope="rowgroup" rowSpan={one.findings.length} class="package">
                            <PackageName {...one} />
                          </th>
                        ) : null}
                        <td>
                          <Rating row={advisory} />
                        </td>
                        <td>
                          <AdvisoryIds row={advisory} />
                        </td>
                        <td class="wide">
                          <DecisionNote decision={decision!} />
                        </td>
                        <td>
                          {own === null ? null : (
                            <button
                              type="button"
                              class="plain"
                              aria-label={`Undo the decision on ${advisory.advisory_id}`}
                              onClick={() => remove(own)}
                            >
                              Undo
                            </button>
                          )}
                        </td>
                      </tr>
                    )
                  })}
                </tbody>
              ))}
            </table>
          </div>
        )}
      </InSteps>
    </>
  )
}

/** Entries that expired, have an unknown id or matched nothing. */
export function Unused({ unused }: { unused: CheckResult['decisions']['unused'] }) {
  if (unused.length === 0) return null
  return (
    <>
      <h3>Decisions without effect</h3>
      <InSteps items={unused} first={FIRST_ROWS} noun="decisions">
        {(shown) => (
          <ul class="unused">
            {shown.map((one, i) => (
              <li key={i}>
                {unusedText(one)}. <span class="dim">{linePosition(one)}</span>
              </li>
            ))}
          </ul>
        )}
      </InSteps>
    </>
  )
}

/** Asks for the reason of a decision, and the day on which it ends. */
export function DecisionDialog({
  finding,
  decide,
  close,
}: {
  finding: DecidedFinding
  decide(entry: IgnoreEntry): void
  close(): void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [reason, setReason] = useState('')
  const [until, setUntil] = useState('')
  useEffect(() => dialog.current?.showModal(), [])
  const { advisory } = finding
  const entry = entryFor(finding, reason.trim(), until)
  const submit = (event: Event) => {
    event.preventDefault()
    if (entry !== null && entry.reason !== '') decide(entry)
  }
  return (
    <dialog ref={dialog} class="decision" aria-labelledby="decision-title" onClose={close}>
      <h2 id="decision-title">Suppress a finding</h2>
      {entry === null ? (
        <p>No entry of {IGNORE_FILE_NAME} can name this package.</p>
      ) : (
        <p class="about">
          <span class="id">{entry.id}</span> in <b>{entry.package}</b>, in every version.
          {advisory.summary === null ? null : ` ${advisory.summary}`}
        </p>
      )}
      <form onSubmit={submit}>
        <label>
          Reason
          <textarea
            rows={3}
            required
            maxLength={1000}
            value={reason}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </label>
        <label>
          Last day, in UTC (optional)
          <input
            type="date"
            min={today()}
            value={until}
            onInput={({ currentTarget }) => setUntil(currentTarget.value)}
          />
        </label>
        <p class="buttons">
          <button type="submit" class="primary" disabled={entry === null}>
            Suppress
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </form>
    </dialog>
  )
}
