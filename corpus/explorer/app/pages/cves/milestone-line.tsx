/** The course of a CVE as a line: the days on which it was published, exploited, listed and scored. */
import { useMemo } from 'preact/hooks'
import type { Advisory } from '../../data/answers.ts'
import { InSteps } from '../../parts/steps.tsx'
import { Day } from '../../parts/values.tsx'
import { distanceText, type Milestoned, milestones } from './milestones.ts'

/** Days, and events of a day, that are shown at first. */
const FIRST = 12

/** All are the same distance apart, and the time between two of them is written, so that no dates overlap. */
export function MilestoneLine({ cve, advisory }: { cve: Milestoned; advisory: Advisory | null }) {
  const days = useMemo(() => milestones(cve, advisory), [cve, advisory])
  return (
    <InSteps items={days} first={FIRST} noun="days">
      {(shown) => (
        <ol class="milestones" aria-label="Course">
          {shown.map(({ day, events }, i) => (
            <li key={day}>
              <Day at={day} />
              {i === 0 ? null : <span class="dim"> {distanceText(days[i - 1]!.day, day)} later</span>}
              <InSteps items={events} first={FIRST} noun="events">
                {(some) => (
                  <ul>
                    {some.map((event) => (
                      <li key={event}>{event}</li>
                    ))}
                  </ul>
                )}
              </InSteps>
            </li>
          ))}
        </ol>
      )}
    </InSteps>
  )
}
