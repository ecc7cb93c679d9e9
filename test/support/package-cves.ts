/** The CVEs of each package, from the records of the advisories with plain loops. */
import { openCorpus } from '../../corpus/store/corpus.ts'

interface OsvRecord {
  id: string
  withdrawn?: string
  aliases?: string[]
  upstream?: string[]
  affected?: { package?: { ecosystem?: string; name?: string } }[]
}

/**
 * Returns CVE ids by `<ecosystem>/<folded name>`: those that advisories of the package name, or that share an alias with
 * them. Packages without CVEs have empty sets.
 */
export function packageCves(corpus: string): Map<string, Set<string>> {
  const opened = openCorpus(corpus)
  try {
    const records = opened.advisories
      .digests()
      .keys.map((id) => JSON.parse(opened.advisories.record(id)!.text) as OsvRecord)
      .filter(({ withdrawn }) => withdrawn === undefined)
    const setOf = aliasSets(records)
    const packages = new Map<string, Set<string>>()
    for (const { id, upstream = [], affected = [] } of records) {
      const cves = [...setOf.get(id)!, ...upstream].filter((one) => /^CVE-\d{4}-\d{4,}$/.test(one))
      for (const { package: { ecosystem, name } = {} } of affected) {
        if (ecosystem === undefined || name === undefined) continue
        const key = packageKeyOf(ecosystem.split(':')[0]!, name)
        const known = packages.get(key) ?? new Set()
        packages.set(key, known)
        for (const cve of cves) known.add(cve)
      }
    }
    return packages
  } finally {
    opened.close()
  }
}

/** Returns all ids that share an alias with an id, directly or through others. */
function aliasSets(records: readonly OsvRecord[]): Map<string, Set<string>> {
  const sets = new Map<string, Set<string>>()
  for (const { id, aliases = [] } of records) {
    const joined = new Set([id, ...aliases].flatMap((one) => [one, ...(sets.get(one) ?? [])]))
    for (const one of joined) sets.set(one, joined)
  }
  return sets
}

export function packageKeyOf(ecosystem: string, name: string): string {
  const lower = name.toLowerCase()
  switch (ecosystem) {
    case 'PyPI':
      return `PyPI/${lower.split(/[-_.]+/).join('-')}`
    case 'crates.io':
      return `crates.io/${name.split('-').join('_')}`
    case 'SwiftURL':
      return `SwiftURL/${name.replace(/^https?:\/\/(.*)$/, '$1').replace(/\.git$/, '')}`
    case 'Go':
      return `Go/${name === 'std' ? 'stdlib' : lower}`
    default:
      return `${ecosystem}/${['npm', 'NuGet', 'Packagist', 'Hex'].includes(ecosystem) ? lower : name}`
  }
}
