/** `#/advisories/{advisoryId}`: an advisory as its publisher states it, in the OSV schema. */
import type { OsvAdvisory, OsvAffected, OsvSeverity } from '../data/answers.ts'
import { useAnswer } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { AdvisoryLink } from '../parts/affected-table.tsx'
import { Await } from '../parts/answer.tsx'
import { Heading } from '../parts/heading.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { packagePath } from '../parts/names.ts'
import { intervalTexts } from '../parts/ranges.ts'
import { Facts, Names, Part } from '../parts/texts.tsx'
import { ExternalLink, Time } from '../parts/values.tsx'
import { link } from '../router.ts'

export default function AdvisoriesPage({ path: [id = ''] }: PageProps) {
  const answer = useAnswer<OsvAdvisory>(id === '' ? null : `/advisories/${encodeURIComponent(id)}`)
  if (id === '') return <WithoutId />
  return (
    <>
      <Heading>{answer.data?.id ?? id}</Heading>
      <Await answer={answer}>{(advisory) => <Advisory advisory={advisory} />}</Await>
    </>
  )
}

function WithoutId() {
  return (
    <>
      <Heading>Advisory</Heading>
      <p>
        The address has no advisory id. Open one of the <a href={link(['packages'])}>packages</a> to see its advisories.
      </p>
    </>
  )
}

function Advisory({ advisory }: { advisory: OsvAdvisory }) {
  const { aliases = [], related = [], upstream = [], affected = [], references = [], credits = [] } = advisory
  const { cwe_ids, severity: stated } = advisory.database_specific ?? {}
  const cwes = Array.isArray(cwe_ids) ? cwe_ids.filter((id) => typeof id === 'string') : []
  return (
    <>
      {advisory.withdrawn === undefined ? null : (
        <p class="notice failure">
          Withdrawn on <Time at={advisory.withdrawn} />. A withdrawn advisory does not affect any package.
        </p>
      )}
      {advisory.summary ? <p class="summary">{advisory.summary}</p> : null}
      <Facts
        facts={[
          ['Severity', typeof stated === 'string' && stated.toLowerCase()],
          ['Metrics', (advisory.severity ?? []).length > 0 && <Scores key="scores" scores={advisory.severity!} />],
          ['Aliases', aliases.length > 0 && <Ids key="ids" ids={aliases} />],
          ['Related', related.length > 0 && <Ids key="ids" ids={related} />],
          ['Upstream', upstream.length > 0 && <Ids key="ids" ids={upstream} />],
          ['Weaknesses', cwes.length > 0 && <Weaknesses key="cwes" ids={cwes} />],
          ['Published', <Time key="published" at={advisory.published} />],
          ['Updated', <Time key="modified" at={advisory.modified} />],
        ]}
      />
      <Part title="Details" of={advisory.details ? [advisory.details] : []}>
        <Markdown text={advisory.details ?? ''} />
      </Part>
      <Part title="Affected packages" of={affected}>
        <AffectedEntries entries={affected} />
      </Part>
      <Part title="References" of={references}>
        <ul class="references">
          {references.map(({ type, url }, i) => (
            <li key={i}>
              <span class="flag">{(type ?? 'web').toLowerCase()}</span> <ExternalLink url={url} />
            </li>
          ))}
        </ul>
      </Part>
      <Part title="Credits" of={credits}>
        <ul>
          {credits.map(({ name, type }, i) => (
            <li key={i}>
              {name} {type === undefined ? null : <span class="dim">({type.toLowerCase().replaceAll('_', ' ')})</span>}
            </li>
          ))}
        </ul>
      </Part>
    </>
  )
}

function Ids({ ids }: { ids: readonly string[] }) {
  return (
    <span class="ids row">
      {ids.map((id) => (
        <AdvisoryLink key={id} id={id} />
      ))}
    </span>
  )
}

function Weaknesses({ ids }: { ids: readonly string[] }) {
  return (
    <span class="ids row">
      {ids.map((id) => (
        <a key={id} class="id" href={link(['cwes', id.toLowerCase()])}>
          {id}
        </a>
      ))}
    </span>
  )
}

function Scores({ scores }: { scores: readonly OsvSeverity[] }) {
  return (
    <>
      {scores.map(({ type, score }, i) => (
        <div key={i}>
          {score?.startsWith('CVSS:') ? null : `${type?.replace('_', ' ')} `}
          <span class="id">{score}</span>
        </div>
      ))}
    </>
  )
}

/** Entries that are shown at first. Some advisories have thousands. */
const MOST_ENTRIES = 50

function AffectedEntries({ entries }: { entries: readonly OsvAffected[] }) {
  const [first, rest] = [entries.slice(0, MOST_ENTRIES), entries.slice(MOST_ENTRIES)]
  return (
    <>
      <AffectedEntryTable entries={first} />
      {rest.length === 0 ? null : (
        <details>
          <summary>{rest.length} more packages</summary>
          <AffectedEntryTable entries={rest} />
        </details>
      )}
    </>
  )
}

function AffectedEntryTable({ entries }: { entries: readonly OsvAffected[] }) {
  const hasVersions = entries.some(({ versions = [] }) => versions.length > 0)
  return (
    <div class="scroll">
      <table class="rows cards">
        <caption class="for-reader">Affected packages</caption>
        <thead>
          <tr>
            <th scope="col">Package</th>
            <th scope="col">Ecosystem</th>
            <th scope="col">Affected ranges</th>
            {hasVersions ? <th scope="col">Affected versions</th> : null}
          </tr>
        </thead>
        <tbody>
          {entries.map(({ package: named = {}, ranges = [], versions = [], severity = [] }, i) => (
            <tr key={i}>
              <th scope="row">
                {named.ecosystem && named.name ? (
                  <a href={link(packagePath(named.ecosystem, named.name))}>{named.name}</a>
                ) : (
                  (named.name ?? <span class="dim">not named</span>)
                )}
                <Scores scores={severity} />
              </th>
              <td>{named.ecosystem}</td>
              <td class="wide">
                {ranges.map(({ type, repo, events = [] }, n) => (
                  <div key={n}>
                    {type === 'GIT' ? <span class="dim">{repo ?? 'git'} </span> : null}
                    <span class="id">{intervalTexts(events).join(' or ') || 'not stated'}</span>
                  </div>
                ))}
              </td>
              {hasVersions ? (
                <td class="list" data-label="Versions">
                  {versions.length === 0 ? null : <Names names={versions} most={12} />}
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
