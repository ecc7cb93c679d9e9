/** "My version" on the page of a CVE, compared with `/affected`. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Affected, AffectedEntry, CveDetail } from '../../../corpus/explorer/app/data/answers.ts'
import type { Api, Params } from '../../../corpus/explorer/app/data/api.ts'
import { target } from '../../../corpus/explorer/app/data/api.ts'
import { type ProductGroup, productGroups } from '../../../corpus/explorer/app/pages/cves/product-groups.ts'
import { packageVerdict, productVerdict } from '../../../corpus/explorer/app/pages/cves/version-verdict.ts'
import { nameKey } from '../../../corpus/model/affected/products.ts'
import { sharedService } from '../../contract/support/service.ts'

const service = await sharedService()
const api: Pick<Api, 'get'> = { get: (path: string, params?: Params) => service.json(target(path, params)) }

type Group = ProductGroup & { id: string; affected: readonly AffectedEntry[] }

/** The products and packages of many CVEs. */
async function groups(): Promise<Group[]> {
  const { data } = await service.json<{ data: { cve_id: string }[] }>('/cves?limit=100&has_patch=true')
  const found: Group[] = []
  for (const { cve_id: id } of data) {
    const { affected = [] } = await service.json<CveDetail>(`/cves/${id}?include=affected`)
    found.push(...productGroups(affected).map((group) => ({ ...group, id, affected })))
  }
  return found
}

const all = await groups()
/** The bounds of the ranges, and versions outside of all. */
const versionsOf = ({ entries }: Group) =>
  [
    ...new Set([
      '0.0.1',
      '999.1',
      ...entries
        .flatMap(({ affected_ranges: ranges }) => ranges ?? [])
        .flatMap((one) => [one.introduced ?? '0', one.fixed ?? '1', one.last_affected ?? '1']),
    ]),
  ]
    .filter((version) => /^[\w.-]+$/.test(version))
    .slice(0, 8)

/** The sources that name products. */
const NAMING = ['cna', 'adp', 'nvd']

test('the verdict on a version of a product is that of `/affected?cpe=`', async () => {
  const seen = new Map<string, number>()
  for (const group of all) {
    const { vendor, product, ecosystem } = group.entries[0]!
    const keys = [vendor, product].map((name) => (name === null ? null : nameKey(name)))
    if (ecosystem !== null || keys.some((key) => key === null || !/^[\w.-]+$/.test(key))) continue
    if (!group.entries.some(({ source }) => NAMING.includes(source))) continue
    for (const version of versionsOf(group)) {
      const cpe = `cpe:2.3:*:${keys[0]}:${keys[1]}:${version}:*:*:*:*:*:*:*`
      const { data } = await service.json<Affected>(target('/affected', { cpe, limit: 100 }))
      const row = data.find(({ cve_ids }) => cve_ids.some((id) => id === group.id))
      const { verdict, fixes } = productVerdict(group.affected, group.entries[0]!, version)
      assert.is(verdict, row?.verdict ?? 'not affected', `${group.id} ${cpe}`)
      assert.equal(fixes, row?.fixed_versions ?? [], `${group.id} ${cpe}`)
      seen.set(verdict, (seen.get(verdict) ?? 0) + 1)
    }
  }
  for (const verdict of ['affected', 'not affected'])
    assert.ok((seen.get(verdict) ?? 0) > 20, `${verdict} ${seen.get(verdict)}`)
})

test('the verdict on a version of a package is that of its advisories; without any it is not decided', async () => {
  const packages = all.filter(({ entries: [first] }) => first!.ecosystem !== null && first!.package_name !== null)
  const seen = new Set<string>()
  for (const group of packages.slice(0, 30)) {
    const [entry] = group.entries
    for (const version of versionsOf(group).slice(0, 4)) {
      const asked = { ecosystem: entry!.ecosystem, name: entry!.package_name, version, limit: 100 }
      const { data } = await service.json<Affected>(target('/affected', asked))
      const row = data.find(({ cve_ids }) => cve_ids.some((id) => id === group.id))
      const found = await packageVerdict(api as Api, group.id, entry!, version, new AbortController().signal)
      assert.is(found.verdict, row?.verdict ?? 'not affected', `${group.id} ${entry!.package_name} ${version}`)
      seen.add(found.verdict)
    }
  }
  assert.ok(seen.has('affected') && seen.has('not affected'), [...seen].join())
  const unknown: Pick<Api, 'get'> = {
    get: async () => ({ query: { indexed: false }, data: [], pagination: { next_cursor: null } }) as never,
  }
  const { verdict } = await packageVerdict(
    unknown as Api,
    'CVE-2026-90001',
    { ecosystem: 'Hex', package_name: 'x' },
    '1.0',
    new AbortController().signal,
  )
  assert.is(verdict, 'undecided')
})

test('a product without a comparable name is not decided', () => {
  const [group] = all
  assert.is(productVerdict(group!.affected, { vendor: null, product: 'widget' }, '1.0').verdict, 'undecided')
})

test('an entry under another name counts if its CPE names the product', () => {
  const entry = {
    default_status: null,
    affected_versions: null,
    patched_versions: null,
    ecosystem: null,
    package_name: null,
  }
  const cna = {
    ...entry,
    source: 'cna',
    vendor: 'Acme',
    product: 'Widget',
    cpes: null,
    affected_ranges: [{ introduced: '1.0', fixed: '1.2', version_type: null }],
  }
  const adp = {
    ...entry,
    source: 'adp',
    vendor: 'Acme',
    product: 'Widget for Linux',
    cpes: ['cpe:2.3:a:acme:widget:*:*:*:*:*:*:*:*'],
    affected_ranges: [{ introduced: '2.0', fixed: '2.5', version_type: null }],
  }
  const verdictOf = (affected: object[]) => productVerdict(affected as AffectedEntry[], cna, '2.1').verdict
  assert.is(verdictOf([cna]), 'not affected')
  assert.is(verdictOf([cna, adp]), 'affected')
})

test.after(() => service.remove())
test.run()
