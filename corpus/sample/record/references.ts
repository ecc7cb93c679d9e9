/** References. All URLs use the reserved names of RFC 2606. */
import { REFERENCE_NAMED, REFERENCE_TAGS, REFERENCES } from '../figures.ts'
import { cpeKey } from '../names.ts'
import type { Random } from '../random.ts'
import { FUNCTION_NAMES } from '../words.ts'
import type { Facts } from '../world.ts'

export interface Reference {
  url: string
  name?: string
  tags?: string[]
}

const ADDRESSES: readonly ((facts: Facts, random: Random) => string)[] = [
  ({ vendor }, random) => `https://advisories.${vendor.key}.example/notice/${random.hex(8)}`,
  ({ vendor, product }, random) =>
    `https://forge.example.com/${vendor.key}/${cpeKey(product)}/security/advisories/FHSA-${random.hex(4)}-${random.hex(4)}`,
  ({ vendor, product }, random) =>
    `https://forge.example.com/${vendor.key}/${cpeKey(product)}/commit/${random.hex(40)}`,
  (_, random) => `https://vulnledger.example.org/?id.${random.between(1000, 400_000)}`,
  ({ product }, random) =>
    `https://research.example.net/notes/${random.between(2015, 2026)}/${cpeKey(product)}-${random.hex(6)}.md`,
  (_, random) => `https://lists.example.org/archives/list/announce/${random.hex(32).toUpperCase()}/`,
  (_, random) => `https://bugs.example.com/show_bug.cgi?id=${random.between(10_000, 9_999_999)}`,
  ({ vendor }, random) => `https://support.${vendor.key}.example/kb/HT${random.between(200_000, 299_999)}?lang=en%5FUS`,
  lineOfCode,
  lineOfCode,
]

/** Returns a link to a line of code. These are the longest URLs. */
function lineOfCode({ product }: Facts, random: Random): string {
  const name = cpeKey(product).replaceAll('_', '-')
  const position = random.pick([
    'admin/partials',
    'includes/modules/settings',
    'includes',
    'vendor/legacy/src/handlers',
  ])
  const release = `${random.int(9)}.${random.int(20)}.${random.int(30)}`
  return `https://code.example.org/browser/${name}/tags/${release}/${position}/class-${name}-${random.pick(FUNCTION_NAMES)}.php?rev=${random.between(1_000_000, 3_400_000)}#L${random.between(10, 2400)}`
}

/** The usual first reference by kind of CNA. Other CNAs begin with the vendor's advisory. */
const FIRST: Partial<Record<Facts['cna']['kind'], (typeof ADDRESSES)[number]>> = {
  kernel: (_, random) => `https://git.kernhold.example/stable/c/${random.hex(40)}`,
  database: ADDRESSES[3]!,
  root: ADDRESSES[4]!,
  forge: ADDRESSES[1]!,
  plugins: ({ product }, random) =>
    `https://plugwarden.example.net/database/vulnerability/${cpeKey(product).replaceAll('_', '-')}-${random.hex(6)}?_source=cve`,
}

export function cnaReferences(facts: Facts, random: Random): Reference[] {
  const first = FIRST[facts.cna.kind] ?? (({ vendor, id }) => `https://advisories.${vendor.key}.example/${id}`)
  const count = Math.floor(REFERENCES(random.float()))
  // Keyed by URL, because the schema requires unique list items.
  const found = new Map<string, Reference>()
  for (let i = 0; i < count; i++) {
    const address = i === 0 || facts.cna.kind === 'kernel' ? first : random.pick(ADDRESSES)
    const reference = referenceOf(facts, address, random)
    found.set(reference.url, reference)
  }
  return [...found.values()]
}

function referenceOf(facts: Facts, address: (typeof ADDRESSES)[number], random: Random): Reference {
  const url = address(facts, random)
  const reference: Reference = { url }
  if (facts.cna.kind === 'kernel') return reference
  if (random.chance(REFERENCE_NAMED)) reference.name = url.split('/').at(-1) || url
  const tags = REFERENCE_TAGS(random.float())
  if (tags.length > 0) reference.tags = [...tags]
  return reference
}

/** Returns a reference that a later night adds. */
export function addedReference(facts: Facts, random: Random): Reference {
  return {
    url: `https://advisories.${facts.vendor.key}.example/update/${random.hex(8)}`,
    tags: ['vendor-advisory', 'patch'],
  }
}
