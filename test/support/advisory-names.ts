/** The ids that find a CVE in a search besides its own, from the records of the advisories with plain loops. */
import { openCorpus } from '../../corpus/store/corpus.ts'

/** Returns ids and aliases of advisories by the CVE that they find (rule 28). `cves` are the CVEs with a record. */
export function advisoryNames(corpus: string, cves: ReadonlySet<string>): Map<string, string[]> {
  const opened = openCorpus(corpus)
  try {
    const own = new Map<string, string>()
    const named = new Map<string, string[]>()
    for (const id of opened.advisories.digests().keys) {
      const record = JSON.parse(opened.advisories.record(id)!.text) as {
        withdrawn?: string
        aliases?: string[]
        upstream?: string[]
      }
      const { withdrawn, aliases = [], upstream = [] } = record
      if (withdrawn !== undefined) continue
      const [cve] = [id, ...aliases, ...upstream].filter((one) => cves.has(one)).sort(byYearAndNumber)
      if (cve === undefined) continue
      own.set(id, cve)
      for (const alias of aliases) named.set(alias, [...(named.get(alias) ?? []), cve])
    }
    const found = new Map<string, string[]>()
    for (const name of new Set([...own.keys(), ...named.keys()])) {
      if (/^CVE-\d{4}-\d{4,}$/i.test(name)) continue
      const cve = own.get(name) ?? named.get(name)!.sort(byYearAndNumber)[0]!
      found.set(cve, [...(found.get(cve) ?? []), name])
    }
    return found
  } finally {
    opened.close()
  }
}

function byYearAndNumber(a: string, b: string): number {
  const [[, year], [, other]] = [a.split('-'), b.split('-')]
  return Number(year) - Number(other) || Number(a.split('-')[2]) - Number(b.split('-')[2])
}
