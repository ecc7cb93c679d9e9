/** The feeds of the snapshot: date, age, version, records and licence. */
import type { Snapshot } from '../../data/answers.ts'
import { formatCount } from '../../parts/format.ts'
import { Day, Unknown } from '../../parts/values.tsx'
import { feedAge } from './feed-age.ts'

const NAMES: Readonly<Record<string, string>> = {
  cvelist: 'CVE List',
  nvd: 'NVD',
  kev: 'KEV',
  epss: 'EPSS',
  ghsa: 'GitHub advisories',
  osv: 'OSV',
  cwe: 'CWE',
  capec: 'CAPEC',
  cna: 'CNA list',
  exploitdb: 'Exploit-DB',
  metasploit: 'Metasploit',
  nuclei: 'Nuclei templates',
  poc: 'PoC in GitHub',
}

const nameOf = (feed: string) => (Object.hasOwn(NAMES, feed) ? NAMES[feed]! : feed)

const days = (count: number) => `${formatCount(count)} ${count === 1 ? 'day' : 'days'}`

/** Warns of feeds that are older than usual. */
export function OldFeeds({ snapshot, now }: { snapshot: Snapshot; now: number }) {
  const old = Object.entries(snapshot.feeds).filter(([name, { updated_at }]) => feedAge(name, updated_at, now).isOld)
  if (old.length === 0) return null
  return (
    <p class="notice old">
      {old.length === 1 ? 'One feed is' : `${formatCount(old.length)} feeds are`} older than usual:{' '}
      {old
        .map(([name, { updated_at }]) => `${nameOf(name)} (${days(feedAge(name, updated_at, now).days!)})`)
        .join(', ')}
      . Check whether the nightly run still downloads {old.length === 1 ? 'it' : 'them'}.
    </p>
  )
}

export function Feeds({ snapshot, now }: { snapshot: Snapshot; now: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it.
    <section class="scroll" tabIndex={0} aria-labelledby="feeds">
      <table class="cards">
        <thead>
          <tr>
            <th scope="col">Feed</th>
            <th scope="col">Updated</th>
            <th scope="col">Age</th>
            <th scope="col">Version</th>
            <th scope="col" class="number">
              Records
            </th>
            <th scope="col">Licence</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(snapshot.feeds).map(([name, { version, updated_at, records, licence, attribution }]) => {
            const age = feedAge(name, updated_at, now)
            return (
              <tr key={name}>
                <th scope="row">{nameOf(name)}</th>
                <td data-label="Updated">
                  <Day at={updated_at} />
                </td>
                <td data-label="Age">
                  {age.days === null ? <Unknown /> : <span class="short">{days(age.days)}</span>}{' '}
                  {age.isOld ? (
                    <span class="flag old" title={`Usually at most ${days(age.usual!)}`}>
                      old
                    </span>
                  ) : null}
                </td>
                <td data-label="Version">{version ?? <Unknown />}</td>
                <td class="number" data-label="Records">
                  {formatCount(records)}
                </td>
                <td class="wide" title={attribution}>
                  {licence}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
