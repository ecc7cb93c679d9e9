/** Checks that lists without filters have the rows that follow from the claims of the corpus, each row once. */
import * as assert from 'uvu/assert'
import { joinedProductKey, joinedVendor, reviewedKey } from '../../corpus/model/affected/joined-key.ts'
import type { CweListEntry } from '../../corpus/model/catalog-names.ts'
import type { KevEntry } from '../../corpus/model/claim.ts'
import type { ProductRow } from '../../corpus/model/directory.ts'
import type { ExploitModule } from '../../corpus/model/record.ts'
import type { CorpusFacts } from './corpus-facts.ts'
import { joinedNames, type Summary } from './cve-cases.ts'
import type { AllRows } from './list-rows.ts'
import { byNumbers, keyOfName } from './plain.ts'

/** Returns the checks by what they state. */
export const rowChecks = (rows: AllRows, facts: CorpusFacts): Record<string, () => void> => ({
  '/cves has every record of the corpus once, with its EPSS': () => {
    const records = facts.cores.map((core) => {
      const { score = null, percentile = null } = facts.epss.get(String(core.cve_id)) ?? {}
      return [core.cve_id, JSON.stringify(core), score, percentile]
    })
    const given = rows.cves.map((row) => {
      const { epss, ...core } = row as Summary & { epss: { score: number | null; percentile: number | null } }
      return [core.cve_id, JSON.stringify(core), epss.score, epss.percentile]
    })
    assert.equal(inOrder(given), inOrder(records))
  },

  '/cwes has every weakness of the catalog, with the CVEs that any source maps to it': () => {
    const listed = new Set<string>(rows.cves.filter(({ kev }) => kev.listed).map(({ cve_id }) => cve_id))
    const counted = facts.cwes.map((entry) => {
      const ids = [...facts.weaknesses].filter(([, weaknesses]) => weaknesses.has(String(entry.slug))).map(([id]) => id)
      const { cwe_id, slug, numeric_id, name, abstraction, status, likelihood } = entry
      const [cve_count, kev_count] = [ids.length, ids.filter((id) => listed.has(id)).length]
      return { cwe_id, slug, numeric_id, name, abstraction, status, likelihood, cve_count, kev_count }
    })
    assert.equal(byNumber(rows.cwes), byNumber(counted as unknown as CweListEntry[]))
  },

  '/capecs has every attack pattern of the catalog': () => {
    const names = new Map(facts.cwes.map(({ slug, name }) => [slug, name]))
    const entries = facts.capecs.map((entry) => ({
      capec_id: entry.numeric_id,
      capec_id_string: entry.display,
      name: entry.name,
      description: entry.description,
      abstraction: entry.abstraction,
      status: entry.status,
      likelihood_of_attack: entry.likelihood,
      typical_severity: entry.severity,
      prerequisites: entry.prerequisites,
      skills_required: entry.skills,
      resources_required: entry.resources,
      mitigations: entry.mitigations,
      consequences: entry.consequences,
      execution_flow: entry.execution_flow,
      related_weaknesses: (entry.related_weaknesses as { id: string }[]).map((one) => ({
        ...one,
        name: names.get(one.id) ?? null,
      })),
      related_attack_patterns: entry.related_attack_patterns,
    }))
    assert.equal(
      rows.capecs,
      entries.toSorted((a, b) => a.capec_id - b.capec_id),
    )
  },

  '/cnas has every CNA of the directory, with the records it assigned': () => {
    const assigned = Map.groupBy(rows.cves, ({ assigner }) => keyOfName(assigner))
    const counted = facts.cnas.map(({ slug, name }) => [slug, name, assigned.get(slug)?.length ?? 0])
    const listed = new Set(facts.cnas.map(({ slug }) => slug))
    for (const [slug, records] of assigned) {
      if (slug === null || listed.has(slug)) continue
      const spellings = [...Map.groupBy(records, ({ assigner }) => assigner!)].sort((a, b) => b[1].length - a[1].length)
      const [name] = spellings[0]!
      counted.push([slug, name, records.length])
    }
    assert.equal(inOrder(rows.cnas.map((row) => [row.slug, row.cna_name, row.total_cves])), inOrder(counted))
  },

  '/vendors and their products are those that the claims of CNA, ADP and NVD name, with the CVEs that they name them for':
    () => {
      const named = joinedNames(facts)
      const makers = Map.groupBy(named.products.keys(), (id) => id.slice(0, id.indexOf('/')).replaceAll('%2F', '/'))
      const vendors = Array.from(named.vendors, ([key, cves]) => [key, makers.get(key)?.length ?? 0, cves.size])
      const counted = rows.vendors.map((row) => [joinedVendor(row.slug), row.product_count, row.cve_count])
      assert.equal(inOrder(counted), inOrder(vendors))
      const products = Array.from(named.products, ([id, cves]) => [id, cves.size])
      const idOf = ({ vendor, slug }: ProductRow) =>
        `${joinedVendor(vendor).replaceAll('/', '%2F')}/${joinedProductKey(vendor, slug)}`
      assert.equal(inOrder(rows.products.map((row) => [idOf(row), row.cve_count])), inOrder(products))
      const isOther = ({ slug, display }: { slug: string; display: string }) => keyOfName(display) !== slug
      const isReviewed = ({ slug, display }: { slug: string; display: string }) =>
        reviewedKey(joinedVendor(keyOfName(display)!)) === slug
      const otherVendors = rows.vendors.filter((row) => isOther(row) && !isReviewed(row))
      assert.equal([...otherVendors, ...rows.products.filter(isOther)], [], 'a name is displayed as somebody writes it')
    },

  '/exploits has every module of archive and framework that exploits something': () => {
    const ids = (modules: ExploitModule[]) => inOrder(modules.map((row) => [`${row.source}/${row.source_id}`, row]))
    assert.equal(ids(rows.exploits), ids(facts.modules.map(({ cve_ids: _, ...module }) => module)))
  },

  '/kev has every entry of a catalog about a CVE with a record, and the summary record': () => {
    const cves = new Map(rows.cves.map((row) => [String(row.cve_id), row]))
    const expected = facts.kev.flatMap((entry) => {
      const cve = cves.get(entry.cveId)
      return cve ? [[`${entry.cveId} ${entry.catalog}`, { ...inAnswer(entry), cve }] as [string, object]] : []
    })
    assert.equal(
      inOrder(rows.kev.map((row) => [`${row.cve_id} ${row.catalog}`, row] as [string, object])),
      inOrder(expected),
    )
  },

  '/advisories has every record in the OSV schema that a database publishes': () => {
    const expected = facts.advisories
      .filter((record) => record.database_specific?.derived_from !== 'cve_record')
      .map(({ id, summary, published, modified, withdrawn, aliases = [], upstream = [], affected = [] }) => {
        const cves = new Set([id, ...aliases, ...upstream].filter((one) => /^CVE-\d{4}-\d{4,}$/.test(one)))
        const ecosystems = affected.flatMap((one) => one.package?.ecosystem?.split(':')[0] ?? [])
        const times = [published, modified, withdrawn].map((time) =>
          time === undefined || time.startsWith('0001-') ? null : Date.parse(time),
        )
        return [
          id,
          summary?.trim().slice(0, 60) || null,
          cves.size,
          [...new Set(ecosystems)].sort(),
          withdrawn !== undefined,
          ...times,
        ]
      })
    const found = rows.advisories.map((row) => {
      assert.equal(row.cve_ids, row.cve_ids.toSorted(byNumbers).slice(0, 100), row.advisory_id)
      assert.is(row.cve_ids.length, Math.min(row.cve_count, 100))
      const times = [row.published_at, row.modified_at, row.withdrawn_at].map((time) => time && Date.parse(time))
      const { advisory_id: id, cve_count, ecosystems, is_withdrawn } = row
      return [id, row.summary?.slice(0, 60) ?? null, cve_count, ecosystems, is_withdrawn, ...times]
    })
    assert.equal(inOrder(found), inOrder(expected))
  },

  '/rejected has every CVE that the CVE list rejected': () => {
    assert.equal(
      inOrder(rows.rejected.map((row) => [row.cve_id, row.date_rejected, row.reason?.slice(0, 100), row.replaced_by])),
      inOrder(facts.rejected.map((one) => [one.cveId, one.date, one.reason?.slice(0, 100), one.replacedBy])),
    )
  },
})

const inAnswer = (entry: KevEntry) => ({
  cve_id: entry.cveId,
  catalog: entry.catalog,
  date_added: entry.dateAdded,
  due_date: entry.dueDate,
  required_action: entry.requiredAction,
  ransomware: entry.ransomware,
  notes: entry.notes,
  vendor_project: entry.vendor,
  product: entry.product,
  vulnerability_name: entry.name,
  short_description: entry.description,
})

const inOrder = <T extends [...unknown[]]>(rows: T[]): T[] =>
  rows.toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1))
const byNumber = <T extends { numeric_id: number }>(rows: readonly T[]) =>
  rows.toSorted((a, b) => a.numeric_id - b.numeric_id)
