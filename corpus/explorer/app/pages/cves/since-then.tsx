/** What a record of the past has become. */
import { useEffect, useState } from 'preact/hooks'
import type { ApiFailure } from '../../data/api.ts'
import { failureOf, useSession } from '../../data/use.ts'
import { Loading } from '../../parts/answer.tsx'
import { type FieldChange, fieldChanges } from './field-changes.ts'

interface Props {
  /** Path and parameters of the record. */
  path: string
  include: readonly string[]
  /** The record of the past. */
  old: object
}

export function SinceThen({ path, include, old }: Props) {
  const { now } = useSession()
  const [found, setFound] = useState<{ changes: FieldChange[] } | { error: ApiFailure }>()
  useEffect(() => {
    const stop = new AbortController()
    now.get<object>(path, { include }, stop.signal).then(
      (record) => stop.signal.aborted || setFound({ changes: fieldChanges(old, record) }),
      (error) => stop.signal.aborted || setFound({ error: failureOf(error) }),
    )
    return () => stop.abort()
  }, [now, path, old])
  return (
    <section class="since-then" aria-label="Compared with today">
      <h2>Compared with today</h2>
      {found === undefined ? <Loading /> : null}
      {found && 'error' in found ? <p>The record of today is not shown: {found.error.message}</p> : null}
      {found && 'changes' in found ? <Changes changes={found.changes} /> : null}
    </section>
  )
}

function Changes({ changes }: { changes: readonly FieldChange[] }) {
  if (changes.length === 0) return <p>The record is the same today.</p>
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Then</th>
          <th scope="col">Today</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, old, now }) => (
          <tr key={field}>
            <th scope="row">{field}</th>
            <td>{old}</td>
            <td>{now}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
