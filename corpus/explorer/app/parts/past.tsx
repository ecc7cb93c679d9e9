/** The choice of a day, and the notice of pages that show the past. */
import { useEffect, useState } from 'preact/hooks'
import type { Snapshot } from '../data/answers.ts'
import { useAnswer, useSession } from '../data/use.ts'
import { showSnapshot } from '../router.ts'
import { Time } from './values.tsx'

const DAY = /^\d{4}-\d\d-\d\d$/

/** A day shows its last snapshot. */
export function DayChoice() {
  const { past } = useSession()
  const choose = (event: SubmitEvent) => {
    event.preventDefault()
    const day = new FormData(event.currentTarget as HTMLFormElement).get('snapshot')
    if (day !== past) showSnapshot(String(day ?? '') || null)
  }
  return (
    <form class="day" onSubmit={choose}>
      <label>
        As of{' '}
        <input
          type="date"
          name="snapshot"
          defaultValue={past !== null && DAY.test(past) ? past : ''}
          max={new Date().toISOString().slice(0, 10)}
        />
      </label>
      <button type="submit">Show</button>
    </form>
  )
}

/** Stays in sight: nobody must take the past for today. */
export function PastNotice({ asked }: { asked: string }) {
  const { now } = useSession()
  const { data, error } = useAnswer<Snapshot>('/snapshot', {}, false)
  const [newest, setNewest] = useState<string>()
  useEffect(() => {
    now.get<Snapshot>('/snapshot').then(
      ({ id }) => setNewest(id),
      // Without an answer it counts as the past.
      () => {},
    )
  }, [now])
  const isNewest = data !== null && data.id === newest
  return (
    <aside class="past" aria-label="Shown snapshot">
      <p>
        <strong>{isNewest ? 'This is the newest snapshot.' : 'This is the past, not today.'}</strong>{' '}
        {data ? (
          <>
            You see snapshot <code title={data.id}>{data.id.slice(0, 12)}</code> of <Time at={data.created_at} />. Pages
            do not have what {isNewest ? 'becomes' : 'became'} known later.
          </>
        ) : (
          <>
            You asked for {asked}.{error && error.status !== 401 ? ` ${error.message}` : ''}
          </>
        )}
      </p>
      <button type="button" onClick={() => showSnapshot(null)}>
        Back to today
      </button>
    </aside>
  )
}
