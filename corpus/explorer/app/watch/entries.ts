/** The entries of a watch list, as the filters of `GET /cves` name them (API 9.19 to 9.24). */
import { joinedProductKey, joinedVendor } from '../../../model/affected/joined-key.ts'
import { MAX_NAME_LENGTH, nameKey } from '../../../model/affected/products.ts'
import { parseCveId } from '../../../model/ids/cve-id.ts'
import { foldName, PACKAGE_FORM, splitPackage } from '../../../model/packages/name.ts'
import { baseEcosystem, canonicalEcosystem } from '../../../model/versions/ecosystems.ts'
import { productFilter } from '../parts/names.ts'

export const KINDS = ['vendor', 'product', 'package', 'cve'] as const
export type WatchKind = (typeof KINDS)[number]

export interface WatchEntry {
  kind: WatchKind
  /**
   * The key of a vendor; `<vendor>/<product>`, with `/` in a key as `%2F`; `<ecosystem>/<name>`; a CVE id. The value of the
   * filter of this name.
   */
  name: string
}

/** The kinds in words, with an example. */
export const KIND_WORDS: Readonly<Record<WatchKind, { one: string; many: string; example: string }>> = {
  vendor: { one: 'vendor', many: 'Vendors', example: 'cisco' },
  product: { one: 'product', many: 'Products', example: 'microsoft/windows_10' },
  package: { one: 'package', many: 'Packages', example: 'npm/lodash' },
  cve: { one: 'CVE', many: 'CVEs', example: 'CVE-2024-3400' },
}

/** Why a text is no entry. The message completes "… is not an entry: ". */
export class WatchNameError extends Error {
  override readonly name = 'WatchNameError'
}

/**
 * Returns the entry that a text names.
 * @throws WatchNameError
 */
export function watchEntry(kind: WatchKind, text: string): WatchEntry {
  return { kind, name: READERS[kind](text.trim()) }
}

const READERS: Readonly<Record<WatchKind, (text: string) => string>> = {
  vendor: (text) => keyOf(text, 'vendor'),
  product(text) {
    const slash = text.indexOf('/')
    if (slash < 1) throw new WatchNameError('it must be of the form <vendor>/<product>, such as microsoft/windows_10')
    const [vendor, product] = [text.slice(0, slash), text.slice(slash + 1)].map((part) => part.replace(/%2f/gi, '/'))
    return productFilter(keyOf(vendor!, 'vendor'), keyOf(product!, 'product'))
  },
  package(text) {
    const named = text.length > MAX_NAME_LENGTH ? null : splitPackage(text)
    if (named === null || /[\s\p{Cc}]/u.test(named.name))
      throw new WatchNameError(`it must be ${PACKAGE_FORM}, of at most ${MAX_NAME_LENGTH} characters without blanks`)
    const ecosystem = canonicalEcosystem(baseEcosystem(named.ecosystem), [])
    if (ecosystem === null) throw new WatchNameError(`the ecosystem “${named.ecosystem.slice(0, 60)}” is unknown`)
    return `${ecosystem}/${named.name}`
  },
  cve(text) {
    const id = parseCveId(text)
    if (id === null) throw new WatchNameError('it must be a CVE id, such as CVE-2024-3400')
    return id
  },
}

function keyOf(text: string, what: string): string {
  const key = text.length > MAX_NAME_LENGTH ? null : nameKey(text)
  if (key === null) throw new WatchNameError(`the name of the ${what} must have 1 to ${MAX_NAME_LENGTH} characters`)
  return key
}

/** The keys of vendor and product in the name of a product. */
export function splitProduct(name: string): [vendor: string, product: string] {
  const slash = name.indexOf('/')
  return [name.slice(0, slash), name.slice(slash + 1)].map((part) => part.replaceAll('%2F', '/')) as [string, string]
}

/** Equal for the spellings that vulnshelf joins: `red_hat` and `redhat` (rule 27). */
export function identityOf({ kind, name }: WatchEntry): string {
  if (kind === 'vendor') return vendorIdentity(name)
  if (kind === 'product') return productIdentity(...splitProduct(name))
  if (kind === 'cve') return name
  const { ecosystem, name: own } = splitPackage(name)!
  return packageIdentity(ecosystem, own)
}

export const vendorIdentity = (vendor: string): string => `vendor ${joinedVendor(vendor)}`
export const productIdentity = (vendor: string, product: string): string =>
  `product ${joinedVendor(vendor)}/${joinedProductKey(vendor, product)}`
export const packageIdentity = (ecosystem: string, name: string): string =>
  `package ${baseEcosystem(ecosystem)}/${foldName(ecosystem, name)}`

/** Returns the path of the page of an entry. */
export function pathOf({ kind, name }: WatchEntry): string[] {
  if (kind === 'vendor') return ['vendors', name]
  if (kind === 'cve') return ['cves', name]
  if (kind === 'product') {
    const [vendor, product] = splitProduct(name)
    return ['vendors', vendor, 'products', product]
  }
  const { ecosystem, name: own } = splitPackage(name)!
  return ['packages', ecosystem, own]
}
