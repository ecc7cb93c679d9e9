/** `#/advisories` and `#/advisories/{advisoryId}`: an advisory as its publisher states it, in the OSV schema. */
import type { OsvAdvisory, OsvAffected, OsvSeverity } from '../data/answers.ts'
import { useAnswer } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { AdvisoryLink } from '../parts/affected-table.tsx'
import { Await } from '../parts/answer.tsx'
import { Elsewhere } from '../parts/elsewhere.tsx'
import { Heading } from '../parts/heading.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { packagePath } from '../parts/names.ts'
import { intervalTexts } from '../parts/ranges.ts'
import { InSteps } from '../parts/steps.tsx'
import { Facts, Names, Part } from '../parts/texts.tsx'
import { ExternalLink, Time } from '../parts/values.tsx'
import { link } from '../router.ts'
import { AdvisoryList } from './advisories/list.tsx'

/** Packages that are shown at first. Some advisories have thousands. */
const FIRST_ENTRIES = 50
/** Ranges of a package. */
const FIRST_RANGES = 8
/** Items of other lists. */
const FIRST_LISTED = 24

export default function AdvisoriesPage({ path: [id], query }: PageProps) {
  return id === undefined ? <AdvisoryList query={query} /> : <AdvisoryPage id={id} />
}

function AdvisoryPage({ id }: { id: string }) {
  const answer = useAnswer<OsvAdvisory>(`/advisories/${encodeURIComponent(id)}`)
  return (
    <>
      <Heading>{answer.data?.id ?? id}</Heading>
      <Await answer={answer}>{(advisory) => <Advisory advisory={advisory} />}</Await>
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
          ['Published', <Time key="published" at={statedTime(advisory.published)} />],
          ['Updated', <Time key="modified" at={statedTime(advisory.modified)} />],
          ['Elsewhere', <Elsewhere key="elsewhere" links={linksOf(advisory.id)} />],
        ]}
      />
      <Part title="Details" of={advisory.details ? [advisory.details] : []}>
        <Markdown text={advisory.details ?? ''} />
      </Part>
      <Part title="Affected packages" of={affected}>
        <AffectedEntries entries={affected} />
      </Part>
      <Part title="References" of={references}>
        <InSteps items={references} first={FIRST_LISTED} noun="references">
          {(shown) => (
            <ul class="references">
              {shown.map(({ type, url }, i) => (
                <li key={i}>
                  <span class="flag">{(type ?? 'web').toLowerCase()}</span> <ExternalLink url={url} />
                </li>
              ))}
            </ul>
          )}
        </InSteps>
      </Part>
      <Part title="Credits" of={credits}>
        <InSteps items={credits} first={FIRST_LISTED} noun="credits">
          {(shown) => (
            <ul>
              {shown.map(({ name, type }, i) => (
                <li key={i}>
                  {name}{' '}
                  {type === undefined ? null : <span class="dim">({type.toLowerCase().replaceAll('_', ' ')})</span>}
                </li>
              ))}
            </ul>
          )}
        </InSteps>
      </Part>
    </>
  )
}

function linksOf(id: string): [name: string, url: string][] {
  const name = encodeURIComponent(id)
  const osv: [string, string] = ['osv.dev', `https://osv.dev/vulnerability/${name}`]
  return id.startsWith('GHSA-') ? [['GitHub', `https://github.com/advisories/${name}`], osv] : [osv]
}

/** The Go database states its zero time where it has none. */
const statedTime = (time: string | undefined) => (time?.startsWith('0001-') ? undefined : time)

function Ids({ ids }: { ids: readonly string[] }) {
  return (
    <InSteps items={ids} first={FIRST_LISTED} noun="ids">
      {(shown) => (
        <span class="ids row">
          {shown.map((id) => (
            <AdvisoryLink key={id} id={id} />
          ))}
        </span>
      )}
    </InSteps>
  )
}

function Weaknesses({ ids }: { ids: readonly string[] }) {
  return (
    <InSteps items={ids} first={FIRST_LISTED} noun="weaknesses">
      {(shown) => (
        <span class="ids row">
          {shown.map((id) => (
            <a key={id} class="id" href={link(['cwes', id.toLowerCase()])}>
              {id}
            </a>
          ))}
        </span>
      )}
    </InSteps>
  )
}

function Scores({ scores }: { scores: readonly OsvSeverity[] }) {
  return (
    <InSteps items={scores} first={FIRST_LISTED} noun="metrics">
      {(shown) =>
        shown.map(({ type, score }, i) => (
          <div key={i}>
            {score?.startsWith('CVSS:') ? null : `${type?.replace('_', ' ')} `}
            <span class="id">{score}</span>
          </div>
        ))
      }
    </InSteps>
  )
}

function AffectedEntries({ entries }: { entries: readonly OsvAffected[] }) {
  return (
    <InSteps items={entries} first={FIRST_ENTRIES} noun="packages">
      {(shown) => <AffectedEntryTable entries={shown} />}
    </InSteps>
  )
}

function Intervals({ texts }: { texts: readonly string[] }) {
  return (
    <InSteps items={texts} first={FIRST_LISTED} noun="intervals">
      {(shown) => <span class="id">{shown.join(' or ') || 'not stated'}</span>}
    </InSteps>
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
                <InSteps items={ranges} first={FIRST_RANGES} noun="ranges">
                  {(shown) =>
                    shown.map(({ type, repo, events = [] }, n) => (
                      <div key={n}>
                        {type === 'GIT' ? <span class="dim">{repo ?? 'git'} </span> : null}
                        <Intervals texts={intervalTexts(events)} />
                      </div>
                    ))
                  }
                </InSteps>
              </td>
              {hasVersions ? (
                <td class="list" data-label="Versions">
                  {versions.length === 0 ? null : <Names names={versions} most={12} noun="versions" />}
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
