/** What CNA and ADPs advise about a CVE, each by itself. */
import type { CveDetail } from '../../data/answers.ts'
import { sourceName } from '../../parts/sources.ts'
import { InSteps, LongText } from '../../parts/steps.tsx'
import { Day, Flag, Time } from '../../parts/values.tsx'
import { link } from '../../router.ts'

type Entry = NonNullable<CveDetail['guidance']>['entries'][number]

/** In the order in which a reader needs them. */
const TEXTS = [
  ['workarounds', 'Workarounds'],
  ['solutions', 'Solutions'],
  ['configurations', 'Required configuration'],
  ['exploits', 'Exploitation'],
] as const satisfies readonly (readonly [keyof Entry, string])[]

/** Texts and other items of a kind that are shown at first. */
const FIRST = 20

export function Guidance({ entries }: { entries: readonly Entry[] }) {
  return (
    <InSteps items={entries} first={FIRST} noun="sources">
      {(shown) => shown.map((entry) => <OneSource key={`${entry.source} ${entry.source_short_name}`} entry={entry} />)}
    </InSteps>
  )
}

function OneSource({ entry }: { entry: Entry }) {
  const { source, source_short_name: name, tags } = entry
  return (
    <>
      <h3>
        {sourceName(source)} {name}{' '}
        <span class="flags">
          <InSteps items={tags} first={FIRST} noun="tags">
            {(shown) => shown.map((tag) => <Flag key={tag} name={tag.replace(/^x_/, '').replaceAll('-', ' ')} />)}
          </InSteps>
        </span>
      </h3>
      {TEXTS.map(([field, title]) =>
        entry[field].length === 0 ? null : (
          <div key={field}>
            <h4>{title}</h4>
            <InSteps items={entry[field]} first={FIRST} noun="texts">
              {(shown) => shown.map((text) => <LongText key={text} text={text} />)}
            </InSteps>
          </div>
        ),
      )}
      <Background entry={entry} />
    </>
  )
}

function Background({ entry: { date_public: day, impacts, credits, timeline } }: { entry: Entry }) {
  if (day === null && impacts.length === 0 && credits.length === 0 && timeline.length === 0) return null
  return (
    <dl class="facts">
      {day === null ? null : (
        <>
          <dt>Public since</dt>
          <dd>
            <Day at={day} />
          </dd>
        </>
      )}
      {impacts.length === 0 ? null : (
        <>
          <dt>Impact</dt>
          <dd>
            <InSteps items={impacts} first={FIRST} noun="impacts">
              {(shown) => (
                <ul class="plain-list">
                  {shown.map(({ capec_id: id, description }) => (
                    <li key={`${id} ${description}`}>
                      {id === null ? null : <a href={link(['capecs', id.toLowerCase()])}>{id}</a>}{' '}
                      {withoutId(description, id)}
                    </li>
                  ))}
                </ul>
              )}
            </InSteps>
          </dd>
        </>
      )}
      {credits.length === 0 ? null : (
        <>
          <dt>Credits</dt>
          <dd>
            <InSteps items={credits} first={FIRST} noun="credits">
              {(shown) =>
                shown.map(({ name, type }, index) => (
                  <span key={`${type} ${name}`}>
                    {index === 0 ? null : ', '}
                    {name}
                    {type === null ? null : <span class="dim"> {type}</span>}
                  </span>
                ))
              }
            </InSteps>
          </dd>
        </>
      )}
      {timeline.length === 0 ? null : (
        <>
          <dt>Disclosure</dt>
          <dd>
            <InSteps items={timeline} first={FIRST} noun="entries">
              {(shown) => (
                <ul class="plain-list">
                  {shown.map(({ time, text }) => (
                    <li key={`${time} ${text}`}>
                      {time === null ? null : <Time at={time} />} {text}
                    </li>
                  ))}
                </ul>
              )}
            </InSteps>
          </dd>
        </>
      )}
    </dl>
  )
}

/** CNAs repeat the id in the description: `CAPEC-410 Information Elicitation`. */
const withoutId = (text: string | null, id: string | null): string =>
  id !== null && text?.toUpperCase().startsWith(id) ? text.slice(id.length).trim() : (text ?? '')
