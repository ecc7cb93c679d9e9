/** References by tag, with the sources that cite them. */
import type { CveDetail } from '../../data/answers.ts'
import { sourceName } from '../../parts/sources.ts'
import { InSteps, useSteps } from '../../parts/steps.tsx'
import { ExternalLink, Flag } from '../../parts/values.tsx'

type Reference = NonNullable<CveDetail['references']>[number]

const FIRST = 15
/** Groups, and tags of a reference. */
const FIRST_GROUPS = 20

/** A reference with several tags is in the first of these groups, else in that of its first tag. */
const ORDER = ['patch', 'fix', 'mitigation', 'vendor-advisory', 'exploit', 'third-party-advisory', 'issue-tracking']

const folded = (tag: string) => tag.toLowerCase().replace(/[\s_]+/g, '-')

/** Tags of a source begin with `x_`. Those of old records name the catalog of the reference. */
const textOf = (tag: string) =>
  tag.startsWith('x-refsource-')
    ? tag.slice('x-refsource-'.length).toUpperCase()
    : tag.replace(/^x-/, '').replaceAll('-', ' ')

function groupOf({ tags }: Reference): string {
  const all = tags.map(folded)
  return ORDER.find((tag) => all.includes(tag)) ?? all[0] ?? ''
}

export function References({ references }: { references: readonly Reference[] }) {
  const groups = Map.groupBy(references, groupOf)
  const rank = (tag: string) =>
    tag === '' ? ORDER.length + 1 : ORDER.includes(tag) ? ORDER.indexOf(tag) : ORDER.length
  const sorted = [...groups].sort(([a], [b]) => rank(a) - rank(b))
  return (
    <InSteps items={sorted} first={FIRST_GROUPS} noun="groups">
      {(shown) => shown.map(([tag, members]) => <Group key={tag} tag={tag} references={members} />)}
    </InSteps>
  )
}

const otherTags = ({ tags }: Reference, tag: string): string[] =>
  [...new Set(tags.map(folded))].filter((other) => other !== tag)

function Group({ tag, references }: { tag: string; references: readonly Reference[] }) {
  const { shown, button } = useSteps(references, FIRST, 'references')
  return (
    <>
      <h3>{tag === '' ? 'Without a tag' : textOf(tag)}</h3>
      <ul class="links">
        {shown.map((reference) => (
          <li key={reference.url}>
            <ExternalLink url={reference.url} />
            {reference.name === null || reference.name === reference.url ? null : <span> {reference.name}</span>}{' '}
            <span class="dim">{reference.sources.map(sourceName).join(', ')}</span>
            <span class="flags">
              <InSteps items={otherTags(reference, tag)} first={FIRST_GROUPS} noun="tags">
                {(tags) => tags.map((other) => <Flag key={other} name={textOf(other)} />)}
              </InSteps>
            </span>
          </li>
        ))}
      </ul>
      {button}
    </>
  )
}
