/** The changes of the record of a CVE, with old and new values. */
import type { CveDetail } from '../../data/answers.ts'
import { formatCount } from '../../parts/format.ts'
import { sourceName } from '../../parts/sources.ts'
import { Folded, useSteps } from '../../parts/steps.tsx'
import { Time } from '../../parts/values.tsx'
import { go, link } from '../../router.ts'
import { difference, readableJson } from './difference.ts'

type Entry = NonNullable<CveDetail['timeline']>[number]
type Message = Entry['messages'][number]

const FIRST_ENTRIES = 20
const FIRST_MESSAGES = 20

const ISO_DATE = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/

const words = (category: string) => category.replaceAll('_', ' ')

interface TimelineProps {
  id: string
  entries: readonly Entry[]
  query: URLSearchParams
}

export function Timeline({ id, entries, query }: TimelineProps) {
  const categories = [...new Set(entries.flatMap(({ category }) => category ?? []))].sort()
  const chosen = query.get('category') ?? ''
  const matching = chosen === '' ? entries : entries.filter(({ category }) => category === chosen)
  const { shown, button } = useSteps(matching, FIRST_ENTRIES, 'entries')
  const choose = (category: string) =>
    go(link(['cves', id], { ...Object.fromEntries(query), category: category || null }), { replace: true })
  return (
    <>
      {categories.length < 2 ? null : (
        <label class="row">
          Category
          <select value={chosen} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            <option value="">all</option>
            {categories.map((category) => (
              <option key={category} value={category}>
                {words(category)}
              </option>
            ))}
            {chosen === '' || categories.includes(chosen) ? null : <option value={chosen}>{words(chosen)}</option>}
          </select>
        </label>
      )}
      {matching.length === 0 ? <p class="dim">No entry has this category. Choose “all”.</p> : null}
      <ol class="timeline">
        {shown.map((entry, index) => (
          <li key={`${chosen} ${index}`}>
            <TimelineEntry entry={entry} />
          </li>
        ))}
      </ol>
      {button}
    </>
  )
}

function TimelineEntry({ entry }: { entry: Entry }) {
  const changes = entry.messages.filter(({ operation }) => operation !== 'group_header')
  const { shown, button } = useSteps(changes, FIRST_MESSAGES, 'changes')
  const counts = [
    [entry.added_count, 'added'],
    [entry.modified_count, 'modified'],
    [entry.removed_count, 'removed'],
  ] as const
  const total = entry.added_count + entry.modified_count + entry.removed_count
  const providers = [...new Set(entry.messages.map(({ provider }) => provider))]
  const head = (
    <>
      <b>{entry.title}</b>{' '}
      <span class="dim">
        {[
          ...providers.map(sourceName),
          entry.version_from === entry.version_to
            ? `version ${entry.version_to}`
            : `version ${entry.version_from} → ${entry.version_to}`,
          ...counts.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count)} ${what}`),
        ].join(' · ')}
      </span>
    </>
  )
  return (
    <>
      <Time at={entry.changed_at} />
      {changes.length === 0 ? (
        <div>{head}</div>
      ) : (
        <Folded summary={head}>
          <ul>
            {shown.map((message, index) => (
              <li key={index}>
                <Change message={message} />
              </li>
            ))}
          </ul>
          {button}
          {total > changes.length ? (
            <p class="dim">
              {formatCount(changes.length)} of {formatCount(total)} changes are recorded.
            </p>
          ) : null}
        </Folded>
      )}
    </>
  )
}

function Change({ message }: { message: Message }) {
  const { old_value: old, new_value: now } = message
  // A summary often ends with the value.
  const isInSummary = (value: string | null) => value !== null && message.summary.endsWith(value)
  const date = old === null && now !== null && ISO_DATE.test(now) && isInSummary(now) ? now : null
  return (
    <>
      {date === null ? message.summary : message.summary.slice(0, -date.length)}
      {date === null ? null : <Time at={date} />}{' '}
      {message.json_path === '$' ? null : <code class="dim">{message.json_path}</code>}
      {old !== null && now !== null ? (
        <Modified old={old} now={now} />
      ) : (
        <>
          {old === null || isInSummary(old) ? null : <Value of={old} kind="del" />}
          {now === null || isInSummary(now) ? null : <Value of={now} kind="ins" />}
        </>
      )}
    </>
  )
}

function Value({ of, kind: Kind }: { of: string; kind: 'del' | 'ins' }) {
  return (
    <pre class="value">
      <Kind>{readableJson(of) ?? of}</Kind>
    </pre>
  )
}

function Modified({ old, now }: { old: string; now: string }) {
  const { before, removed, added, after } = difference(readableJson(old) ?? old, readableJson(now) ?? now)
  return (
    <pre class="value">
      {before}
      {removed === '' ? null : <del>{removed}</del>}
      {removed === '' || added === '' ? null : ' '}
      {added === '' ? null : <ins>{added}</ins>}
      {after}
    </pre>
  )
}
