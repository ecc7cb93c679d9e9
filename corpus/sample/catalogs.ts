/**
 * The weaknesses and attack patterns of a sample: their numbers, levels and parents are facts of CWE 4.15 and CAPEC 3.9.
 * Names and texts are the sample's own. The catalogs grow with the number of CVEs.
 */
import { quantiles, weighted } from './distribution.ts'
import { Random } from './random.ts'

/**
 * `number level parent`: 79B74 is the base weakness 79 with parent 74. The first 255 are those of records of 2023 and
 * 2024, most frequent first; their ancestors follow.
 */
const WEAKNESS_TABLE = `
79B74 89B943 352X345 862C285 20C707 200C668 22B706 121V788 284P 125B119 434B669 122V788 416V825 78B77 787B119 918B441
502B913 287C284 269C284 400C664 94B74 77C74 639B863 863C285 80V79 120B119 190B682 532B538 306B287 285C284 427B668
476B710 770B400 288B306 59B706 601B610 822B119 126V788 290B1390 693P 798B1391 367B362 749B284 119C118 295B287 732C285
591V413 191B682 522C1390 611B610 276B732 347B345 74C707 319B311 209B200 613B672 327C693 552B668 259V798 457V908 908B665
73B642 203B200 1333B407 250B269 98V829 116C707 415V825 256B522 307B1390 384X610 754C703 610C664 345C693 95V94 835B834
843B704 23B22 1021B441 1236B74 428B668 789V770 311C693 266B269 134B668 404C664 1287B20 674C834 755C703 640B1390 280B755
281B732 1336B94 92D 824B119 926V285 321V798 922C664 312B311 401V772 330C693 197B681 494B345 497B200 204B203 326C693
927V285 707P 328B327 15B642 913C664 703P 359B200 272B271 29V23 451C684 362C691 130B240 305B1390 303B1390 420B923 617B670
286C284 113V93 248B705 170B707 472B642 829B669 444B436 440B684 823B119 1188B1419 665C664 426B642 294B1390 201B200
208B203 670C691 252B754 35V23 267B269 697P 790C138 834C691 1251B1250 369B682 93B74 131B682 117B116 1220B284 799C691
788B119 405C400 524B668 24V23 357B693 690X252 425B862 1390C287 1395C657 671C657 268B269 320K 792V791 525V524 756B755
257B522 331B330 385B514 176V172 264K 334B330 1392B1391 213B200 921B922 193B682 289B1390 1393B1392 916B328 91B74 1189B653
763B404 917B77 614V319 265K 283B282 924B345 1419C665 523B522 1332B1384 684C710 460B459 912C684 88B77 399K 772B404 310K
1386B59 1286B20 565B642 1051B1419 129V1285 1269B693 664P 459B404 379B377 180V179 778B223 672C666 127V786 349B345 363B367
526V312 41B706 641B99 1391C1390 16K 466B119 1288B20 682P 1327B668 1240B327 691P 273B754 61X59 704C664 702W 419B923
475B573 530V552 424C638 521B1391 624B77 179B696 274B755 323B344 701W 353B345 407C405 354B345 235V233 172C707 821B662
943C74 506C912 184B693 338B330 230V229 680X190 377C668 1284B20 215B200 791B790 261B522 646V345 99C74 118C664 138C707
217D 221C664 223B221 228C707 229B228 233B228 237B228 240B237 271C269 282C284 344B330 413B667 435P 436C435 441C610
514C1229 538B200 573C710 638C657 642C668 653C657 657C710 662C664 666C664 667C662 668C664 669C664 681B704 696C691 705C691
706C664 710P 786B119 825B119 923C284 1229C664 1250B664 1285B20 1384C703 1000W`
const USED = 255
/** Records by rank of the weakness. */
const USES = quantiles('0:586 0.004:191 0.008:129 0.03:66 0.06:51 0.1:24 0.2:9 0.3:6 0.5:3 0.66:2 1:1.4')
const PATTERN_TABLE = `
66D248:89,1286 1S122:276,285,434,693,732 9D100:120,118,119,74,20 10D100:120,118,119,74,99 12S216:201,306
21M:290,384,664,642 22M:290,287,20,200,693 36S113:306,693 63S242:79,20 62S21:352,306,664,732 77S22:15,94,285 88D248:78
100S123:120,119,131,129,680 113M: 115M:287 116M:200 122M:269,732 123M:119 125M:404,770 129M:416,476 180S122:862,863
216M:306 242M:94 248M:77 5O: 56X:`
/** `from nature to`: peer (=), can precede (>), can also be (~), requires (+). */
const WEAKNESS_RELATIONS =
  '20=345 79=352 668=200 20>22 20>74 20>119 20>770 73>22 93>117 119>120 190>119 754>476 787>120 201~209 78~88 352+441 352+642'
const PATTERN_RELATIONS = '10=100 12=21 9>10 122>180'

/** K is a category and W a view, which some records use as weaknesses; X is a compound, D a deprecated entry. */
const LEVELS: Record<string, string> = { P: 'Pillar', C: 'Class', B: 'Base', V: 'Variant', X: 'Compound', D: 'Base' }
/** X is a deprecated entry, O an obsolete one. */
const PATTERN_LEVELS: Record<string, string> = { M: 'Meta', S: 'Standard' }
const NATURES: Record<string, string> = { '=': 'PeerOf', '>': 'CanPrecede', '~': 'CanAlsoBe', '+': 'Requires' }
/** Composites combine several weaknesses, chains are a sequence of them. */
const CHAINS = new Set([680, 690])

/** The entries with every part: those with the most mapped records. */
export const COMPLETE_WEAKNESS = 79
export const COMPLETE_PATTERN = 66

export interface CatalogEntry {
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
  const others = [...table.matchAll(/(\d+)([=>~+])(\d+)/g)].filter(([, from]) => Number(from) === number)
  return [
    ...(parent ? [{ nature: 'ChildOf', to: Number(parent) }] : []),
    ...others.map(([, , sign, to]) => ({ nature: NATURES[sign!]!, to: Number(to) })),
  ]
}

const ROWS = [...WEAKNESS_TABLE.matchAll(/(\d+)([A-Z])(\d*)/g)].map(([, number, level, parent]) => {
  return { number: Number(number), level: level!, parent: parent! }
})
const numbersOf = (kind: string) => ROWS.filter(({ level }) => level === kind).map(({ number }) => number)
export const CATEGORIES = numbersOf('K')
/** The view with all weaknesses, and list views. */
export const VIEWS = numbersOf('W')

const KNOWN_WEAKNESSES = ROWS.filter(({ level }) => level in LEVELS).map(({ number, level, parent }): Weakness => {
  const structure = level !== 'X' ? 'Simple' : CHAINS.has(number) ? 'Chain' : 'Composite'
  const relations = relationsOf(number, parent, WEAKNESS_RELATIONS)
  return { number, abstraction: LEVELS[level]!, structure, retired: level === 'D' ? 'Deprecated' : null, relations }
})

const KNOWN_PATTERNS = [...PATTERN_TABLE.matchAll(/(\d+)([A-Z])(\d*):([\d,]*)/g)].map(
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
/** Entries that a small catalog has too: each kind of status, structure and abstraction. */
const ALWAYS = [COMPLETE_WEAKNESS, 92, 352, 680]

/** Returns the catalogs for a number of CVEs. */
export function catalogsFor(seed: number, cves: number): Catalogs {
  const random = new Random(seed, 'catalogs')
  const used = ROWS.slice(0, Math.min(USED, 10 + Math.ceil(cves / 3))).map(({ number }) => number)
  const first = withAncestors(KNOWN_WEAKNESSES, [...ALWAYS, ...used])
  const missing = Math.min(REAL_WEAKNESSES, Math.round((REAL_WEAKNESSES * cves) / ALL_SINCE)) - first.length
  const weaknesses = closed([
    ...first,
    ...further(KNOWN_WEAKNESSES, missing, random).map((one): Weakness => ({ ...one, structure: 'Simple' })),
  ])
  const wanted = Math.min(REAL_PATTERNS, 25 + Math.round(Math.min(70, cves / 8) + cves / 24)) - KNOWN_PATTERNS.length
  const others = further(KNOWN_PATTERNS, wanted, random).map((one): Pattern => {
    const drawn = Array.from({ length: random.int(4) }, () => random.pick(weaknesses).number)
    return { ...one, weaknesses: [...new Set(drawn)] }
  })
  const known = new Set(weaknesses.map(({ number }) => number))
  const patterns = closed([...KNOWN_PATTERNS, ...others]).map((one) => {
    return { ...one, weaknesses: one.weaknesses.filter((number) => known.has(number)) }
  })
  return { weaknesses, patterns, draw: weighted(used.map((number, rank) => [number, USES(rank / USED)] as const)) }
}

/** Returns the entries with these numbers, and their ancestors. */
function withAncestors<Entry extends CatalogEntry>(table: readonly Entry[], numbers: readonly number[]): Entry[] {
  const byNumber = new Map(table.map((one) => [one.number, one]))
  const found = new Set<Entry>()
  for (const number of numbers) {
    for (let one = byNumber.get(number); one && !found.has(one); ) {
      found.add(one)
      one = byNumber.get(one.relations[0]?.nature === 'ChildOf' ? one.relations[0].to : 0)
    }
  }
  return [...found]
}

/** Returns copies of the entries by number, without relations to others. */
function closed<Entry extends CatalogEntry>(entries: readonly Entry[]): Entry[] {
  const numbers = new Set(entries.map(({ number }) => number))
  return entries
    .map((entry) => ({ ...entry, relations: entry.relations.filter(({ to }) => numbers.has(to)) }))
    .sort((a, b) => a.number - b.number)
}

/** Returns entries that no record uses, with unused numbers and parents from the table. */
function further(table: readonly CatalogEntry[], count: number, random: Random): CatalogEntry[] {
  const used = new Set([...table.map(({ number }) => number), ...CATEGORIES, ...VIEWS])
  const parents = table.filter(({ abstraction }) => abstraction === 'Class' || abstraction === 'Standard')
  const free = Array.from({ length: 2000 }, (_, i) => i + 2).filter((number) => !used.has(number))
  return free.slice(0, Math.max(0, count)).map((number) => {
    const abstraction = table === KNOWN_PATTERNS ? 'Detailed' : random.pick(['Base', 'Variant'])
    return { number, abstraction, retired: null, relations: [{ nature: 'ChildOf', to: random.pick(parents).number }] }
  })
}
