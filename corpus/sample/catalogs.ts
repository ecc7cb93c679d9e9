/**
 * The weaknesses and attack patterns of a sample: their numbers, levels and parents are facts of CWE 4.15 and CAPEC 3.9.
 * Names and texts are the sample's own. The catalogs grow with the number of CVEs.
 */
import { quantiles, weighted } from './distribution.ts'
import { Random } from './random.ts'

/**
 * `number level parent`: 79B74 is the base weakness 79 with parent 74. The first 120 are the most frequent ones of records
 * of 2023 and 2024, most frequent first; their ancestors follow.
 */
const WEAKNESS_TABLE = `
79B74 89B943 352X345 862C285 20C707 200C668 22B706 121V788 284P 125B119 434B669 122V788 416V825 78B77 787B119
918B441 502B913 287C284 269C284 400C664 94B74 77C74 639B863 863C285 80V79 120B119 190B682 532B538 306B287
285C284 427B668 476B710 770B400 288B306 59B706 601B610 822B119 126V788 290B1390 693P 798B1391 367B362 749B284
119C118 295B287 732C285 591V413 191B682 522C1390 611B610 276B732 347B345 74C707 319B311 209B200 613B672 327C693
552B668 259V798 457V908 908B665 73B642 203B200 1333B407 250B269 98V829 116C707 415V825 256B522 307B1390 384X610
754C703 610C664 345C693 95V94 835B834 843B704 23B22 1021B441 1236B74 428B668 789V770 311C693 266B269 134B668
404C664 1287B20 674C834 755C703 640B1390 280B755 281B732 1336B94 92D 824B119 926V285 321V798 922C664 312B311
401V772 330C693 197B681 494B345 497B200 204B203 326C693 927V285 707P 328B327 15B642 913C664 703P 359B200 272B271
29V23 451C684 362C691 130B240 305B1390 303B1390 943C74 668C664 664P 706C664 788B119 118C664 669C664 825B119
441C610 682P 538B200 710P 1390C287 1391C1390 691P 413B667 667C662 662C664 672C666 666C664 665C664 642C668
407C405 405C400 829B669 834C691 704C664 772B404 681B704 271C269 684C710 240B237 237B228 228C707 680X190 1000W
310K 16K`
const USED = 120
/** Records by rank of the weakness. */
const USES = quantiles('0:586 0.01:191 0.02:129 0.06:66 0.13:51 0.21:24 0.4:9 0.65:6 1:3')
const PATTERN_TABLE = `
66D248:89 1S122:276,285,434,693,732 9D100:120,118,119,74,20 10D100:120,118,119,74 12S216:306
21M:290,384,664,642 22M:290,287,20,200,693 36S113:306,693 63S242:79,20 62S21:352,306,664,732 77S22:15,94,285 88D248:78
100S123:120,119,680 113M: 115M:287 116M:200 122M:269,732 123M:119 125M:404,770 129M:416,476 180S122:862,863
216M:306 242M:94 248M:77 5O: 56X:`
/** `from nature to`: peer (=), can precede (>), can also be (~), requires (+). */
const WEAKNESS_RELATIONS = '352+441 20>22 20>74 20>119 73>22 119>120 190>119 787>120 200~209 77~78 352=862'
const PATTERN_RELATIONS = '10=100 12=21 9>10 122>180'
const NATURES: Record<string, string> = { '=': 'PeerOf', '>': 'CanPrecede', '~': 'CanAlsoBe', '+': 'Requires' }

/** K is a category and W a view, which some records use as weaknesses; X is a compound, D a deprecated entry. */
const LEVELS: Record<string, string> = { P: 'Pillar', C: 'Class', B: 'Base', V: 'Variant', X: 'Compound', D: 'Base' }
/** X is a deprecated entry, O an obsolete one. */
const PATTERN_LEVELS: Record<string, string> = { M: 'Meta', S: 'Standard' }

/** The entries with every part: those with the most mapped records. */
export const COMPLETE_WEAKNESS = 79
export const COMPLETE_PATTERN = 66

interface CatalogEntry {
  number: number
  abstraction: string
  retired: 'Deprecated' | 'Obsolete' | null
  /** The parent comes first. */
  relations: { nature: string; to: number }[]
}

export interface Weakness extends CatalogEntry {
  structure: 'Simple' | 'Composite' | 'Chain'
}

export interface Pattern extends CatalogEntry {
  weaknesses: number[]
}

export interface Catalogs {
  weaknesses: Weakness[]
  patterns: Pattern[]
  /** Returns the number of the weakness of a record, which can also be a category or a view. */
  draw(even: number): number
}

function relationsOf(number: number, parent: string, table: string): CatalogEntry['relations'] {
  const others = [...table.matchAll(/(?<!\d)(\d+)([=>~+])(\d+)/g)].filter(([, from]) => Number(from) === number)
  const parents = parent ? [{ nature: 'ChildOf', to: Number(parent) }] : []
  return [...parents, ...others.map(([, , sign, to]) => ({ nature: NATURES[sign!]!, to: Number(to) }))]
}

const ROWS = [...WEAKNESS_TABLE.matchAll(/(?<!\d)(\d+)([A-Z])(\d*)/g)].map(([, digits, level, parent]) => {
  return { number: Number(digits), level: level!, relations: relationsOf(Number(digits), parent!, WEAKNESS_RELATIONS) }
})
const numbersOf = (kind: string) => ROWS.filter(({ level }) => level === kind).map(({ number }) => number)
export const CATEGORIES = numbersOf('K')
/** The view with all weaknesses, and list views. */
export const VIEWS = numbersOf('W')

const KNOWN_WEAKNESSES = ROWS.filter(({ level }) => level in LEVELS).map(({ number, level, relations }): Weakness => {
  // Composites combine several weaknesses, chains are a sequence of them.
  const structure = level !== 'X' ? 'Simple' : number === 352 ? 'Composite' : 'Chain'
  return { number, abstraction: LEVELS[level]!, structure, retired: level === 'D' ? 'Deprecated' : null, relations }
})

const KNOWN_PATTERNS = [...PATTERN_TABLE.matchAll(/(?<!\d)(\d+)([A-Z])(\d*):([\d,]*)/g)].map(
  ([, digits, level, parent, weaknesses]): Pattern => ({
    number: Number(digits),
    abstraction: PATTERN_LEVELS[level!] ?? 'Detailed',
    retired: level === 'X' ? 'Deprecated' : level === 'O' ? 'Obsolete' : null,
    relations: relationsOf(Number(digits), parent!, PATTERN_RELATIONS),
    weaknesses: weaknesses ? weaknesses.split(',').map(Number) : [],
  }),
)

/** Entries in the real catalogs, and the number of CVEs from which the sample has as many. */
const REAL_WEAKNESSES = 960
const REAL_PATTERNS = 615
const ALL_SINCE = 13_000

/** Returns the catalogs for a number of CVEs. The entries after the known ones have numbers that CWE and CAPEC do not use. */
export function catalogsFor(seed: number, cves: number): Catalogs {
  const random = new Random(seed, 'catalogs')
  const share = Math.min(1, cves / ALL_SINCE)
  const further = (count: number, parent: number) =>
    Array.from({ length: Math.max(0, Math.round(count)) }, (_, i) => {
      const relations = [{ nature: 'ChildOf', to: parent }]
      return { number: 2000 + i, abstraction: random.pick(['Base', 'Variant']), retired: null, relations }
    })
  const others = further(share * REAL_WEAKNESSES - KNOWN_WEAKNESSES.length, 20)
  const weaknesses = [...KNOWN_WEAKNESSES, ...others.map((one): Weakness => ({ ...one, structure: 'Simple' }))]
  const patterns = further(share * REAL_PATTERNS, 1).map((one): Pattern => {
    const drawn = Array.from({ length: random.int(4) }, () => random.pick(weaknesses).number)
    return { ...one, abstraction: 'Detailed', weaknesses: [...new Set(drawn)] }
  })
  const uses = ROWS.slice(0, USED).map(({ number }, rank) => [number, USES(rank / USED)] as const)
  return { weaknesses: closed(weaknesses), patterns: closed([...KNOWN_PATTERNS, ...patterns]), draw: weighted(uses) }
}

/** Returns copies of the entries by number, without relations to others. */
function closed<Entry extends CatalogEntry>(entries: readonly Entry[]): Entry[] {
  const numbers = new Set(entries.map(({ number }) => number))
  return entries
    .map((entry) => ({ ...entry, relations: entry.relations.filter(({ to }) => numbers.has(to)) }))
    .sort((a, b) => a.number - b.number)
}
