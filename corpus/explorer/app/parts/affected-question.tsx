/** Asks which advisories affect a package or product, and shows the answer. */
import { useState } from 'preact/hooks'
import type { Affected, AffectedRow } from '../data/answers.ts'
import type { Params } from '../data/api.ts'
import type { Pages } from '../data/use.ts'
import { go, link } from '../router.ts'
import { AffectedTable } from './affected-table.tsx'
import { PagedTable } from './entry-list.tsx'
import { ListTools } from './list-tools.tsx'
import { questionOf } from './names.ts'

const PURL = 'pkg:npm/lodash@4.17.15'
const CPE = 'cpe:2.3:a:apache:http_server:2.4.49:*:*:*:*:*:*:*'

/** A package URL, or a CPE name. */
export function QuestionForm({ asked = '' }: { asked?: string }) {
  const [text, setText] = useState(asked)
  const submit = (event: Event) => {
    event.preventDefault()
    go(link(['affected'], questionOf(text)))
  }
  return (
    <form class="controls" aria-label="Package or product" onSubmit={submit}>
      <label class="text">
        Package URL or CPE name
        <input
          type="text"
          required
          pattern="\s*(?:pkg:|cpe:).+"
          title="A package URL begins with pkg:, a CPE name with cpe:"
          placeholder={`${PURL} or ${CPE}`}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <button type="submit">Look up</button>
    </form>
  )
}

/** The question as the answer repeats it, with a notice if the snapshot has no data for it. */
export function Question({ query: { ecosystem, name, version, indexed } }: Pick<Affected, 'query'>) {
  return (
    <>
      <h2>
        {ecosystem === null ? name : `${ecosystem}/${name}`} {version ?? ''}
      </h2>
      {version === null ? <p class="about">Without a version, all advisories are listed.</p> : null}
      {indexed ? null : (
        <p class="notice">
          {ecosystem === null
            ? 'The snapshot has no data for this product or type of package. It can still be affected.'
            : `The snapshot has no advisories for ${ecosystem}. The package can still be affected.`}
        </p>
      )}
    </>
  )
}

interface AffectedRowsProps {
  /** The pages of `/affected` with these parameters. */
  pages: Pages<AffectedRow>
  params: Params
  /** The question of the answer; null until there is one. */
  query: Affected['query'] | null
}

export function AffectedRows({ pages, params, query }: AffectedRowsProps) {
  const hasVersion = query?.version !== null
  const none = hasVersion ? 'No advisory affects this version.' : 'No advisory names it.'
  return (
    <>
      <ListTools pages={pages} path="/affected" params={params} noun={['advisory', 'advisories']} />
      <PagedTable pages={pages} empty={query?.indexed === false ? 'The snapshot has no advisories for it.' : none}>
        {(rows) => <AffectedTable rows={rows} hasVersion={hasVersion} />}
      </PagedTable>
    </>
  )
}
