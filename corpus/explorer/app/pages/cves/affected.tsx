/** The affected products, as each source states them. */
import { nameKey } from '../../../../model/affected/products.ts'
import type { AffectedEntry } from '../../data/answers.ts'
import { packagePath } from '../../parts/names.ts'
import { type AffectedRange, boundsText, defaultText, isOfCommits, shortVersion } from '../../parts/ranges.ts'
import { sourceName } from '../../parts/sources.ts'
import { Folded, useSteps } from '../../parts/steps.tsx'
import { Day, ExternalLink } from '../../parts/values.tsx'
import { link } from '../../router.ts'

const FIRST_ENTRIES = 15
const FIRST_VERSIONS = 8
/** Single versions follow each other in a line. */
const FIRST_LISTED = 24

/** Vendors and products of these sources have pages (rule 27). */
const NAMING: ReadonlySet<string> = new Set(['cna', 'adp', 'nvd'])

export function AffectedProducts({ entries }: { entries: readonly AffectedEntry[] }) {
  const sources = Map.groupBy(entries, ({ source }) => source)
  return (
    <>
      {[...sources].map(([source, members]) => (
        <Source key={source} source={source} entries={members} />
      ))}
    </>
  )
}

function Source({ source, entries }: { source: string; entries: readonly AffectedEntry[] }) {
  const { shown, button } = useSteps(entries, FIRST_ENTRIES, 'entries')
  const name = sourceName(source)
  return (
    <>
      <h3>
        {name === 'advisory' ? 'Advisory' : `By ${name}`}{' '}
        <span class="dim">
          {entries.length > 1 ? `${entries.length} entries, ` : null}
          updated <Day at={entries[0]?.updated_at} />
        </span>
      </h3>
      <div class="scroll">
        <table class="cards affected">
          <caption class="for-reader">Affected products by {name}</caption>
          <thead>
            <tr>
              <th scope="col">Product</th>
              <th scope="col">Affected versions</th>
              <th scope="col">Fixed in</th>
              <th scope="col">Details</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((entry, index) => (
              <tr key={index}>
                <th scope="row" class="wide">
                  <Product entry={entry} />
                </th>
                <td class="wide">
                  <Versions entry={entry} />
                </td>
                <td data-label="Fixed in">
                  <Fixed entry={entry} />
                </td>
                <td class="wide">
                  <Details entry={entry} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {button}
    </>
  )
}

/** Vendor, product and package of an entry, with links. */
export function Product({ entry }: { entry: AffectedEntry }) {
  const { vendor, product, package_name: name, ecosystem } = entry
  const isRepeated = name !== null && name === product
  return (
    <>
      {vendor === null ? null : <Named source={entry.source} text={vendor} keys={[vendor]} />}
      {vendor === null || product === null || isRepeated ? null : ' '}
      {product === null || isRepeated ? null : (
        <Named source={entry.source} text={product} keys={vendor === null ? null : [vendor, product]} />
      )}
      {name === null ? null : (
        <span class={vendor === null && product === null ? undefined : 'named-package'}>
          {ecosystem === null ? name : <a href={link(packagePath(ecosystem, name))}>{name}</a>}
          {ecosystem === null ? null : <span class="dim"> {ecosystem}</span>}
        </span>
      )}
      {vendor === null && product === null && name === null ? <span class="dim">not named</span> : null}
    </>
  )
}

/** A vendor or product, with a link to its page. */
function Named({ source, text, keys }: { source: string; text: string; keys: readonly string[] | null }) {
  const slugs = NAMING.has(source) ? (keys?.map(nameKey) ?? [null]) : [null]
  if (slugs.some((slug) => slug === null)) return <span>{text}</span>
  const [vendor, product] = slugs as string[]
  return (
    <a href={link(product === undefined ? ['vendors', vendor!] : ['vendors', vendor!, 'products', product])}>{text}</a>
  )
}

function Versions({ entry }: { entry: AffectedEntry }) {
  const { affected_ranges: ranges, affected_versions: single, default_status: status } = entry
  const bounded = useSteps(ranges ?? [], FIRST_VERSIONS, 'ranges')
  const listed = useSteps(single ?? [], FIRST_LISTED, 'versions')
  if (bounded.shown.length + listed.shown.length === 0) {
    if (status === 'unaffected') return <>not affected</>
    return <span class="dim">{status === 'affected' ? 'all versions' : 'none stated'}</span>
  }
  return (
    <>
      <ul class="versions">
        {bounded.shown.map((range, index) => (
          <li key={index} title={fullBounds(range)}>
            {boundsText(range)}
          </li>
        ))}
        {listed.shown.length === 0 ? null : <li>{listed.shown.join(', ')}</li>}
      </ul>
      {bounded.button} {listed.button} <span class="dim">{defaultText(status)}</span>
    </>
  )
}

/** Commits are shown by their first characters. */
function fullBounds(range: AffectedRange): string | undefined {
  if (!isOfCommits(range)) return undefined
  return [range.introduced, range.fixed, range.last_affected].filter(Boolean).join(' ')
}

function Fixed({ entry }: { entry: AffectedEntry }) {
  const fixes = (entry.affected_ranges ?? []).flatMap(({ fixed }) => fixed ?? [])
  const all = [...new Set([...fixes, ...(entry.patched_versions ?? [])])]
  const { shown, button } = useSteps(all, FIRST_VERSIONS, 'versions')
  const isAffected = entry.default_status !== 'unaffected' || entry.affected_ranges || entry.affected_versions
  if (all.length === 0) return isAffected ? <span class="dim">none stated</span> : null
  return (
    <>
      <ul class="versions">
        {shown.map((version) => (
          <li key={version} title={version}>
            {shortVersion(version)}
          </li>
        ))}
      </ul>
      {button}
    </>
  )
}

function Details({ entry }: { entry: AffectedEntry }) {
  const cpes = useSteps(entry.cpes ?? [], FIRST_VERSIONS, 'CPE names')
  const platforms = useSteps(entry.platforms ?? [], FIRST_VERSIONS, 'platforms')
  const urls = [...new Set([entry.repo_url, entry.collection_url].filter((url) => url !== null))]
  return (
    <>
      {platforms.shown.length === 0 ? null : (
        <p class="cell-line">
          <span class="dim">Platforms</span> {platforms.shown.join(', ')} {platforms.button}
        </p>
      )}
      {urls.map((url) => (
        <p key={url} class="cell-line">
          <ExternalLink url={url} />
        </p>
      ))}
      {entry.package_url === null ? null : (
        <p class="cell-line">
          <code>{entry.package_url}</code>
        </p>
      )}
      {cpes.shown.length === 0 ? null : (
        <Folded summary={entry.cpes!.length === 1 ? 'CPE name' : `${entry.cpes!.length} CPE names`}>
          <ul class="versions">
            {cpes.shown.map((cpe) => (
              <li key={cpe}>
                <code>{cpe}</code>
              </li>
            ))}
          </ul>
          {cpes.button}
        </Folded>
      )}
    </>
  )
}
