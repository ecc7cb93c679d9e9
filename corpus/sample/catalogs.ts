/**
 * The weaknesses and attack patterns of a sample: their numbers, levels and relations are facts of CWE 4.15 and CAPEC
 * 3.9. Names and texts are the sample's own. The catalogs grow with the number of CVEs.
 */
import { weighted } from './distribution.ts'
import { WEAKNESSES } from './figures.ts'
import { Random } from './random.ts'

/**
 * `number level parent`: 79B74 is the base weakness 79 with parent 74. X is a compound, D a deprecated entry. It contains
 * every number in the records and all their ancestors.
 */
const WEAKNESS_TABLE = `
15B642 20C707 22B706 23B22 24V23 29V23 35V23 41B706 59B706 61X59 73B642 74C707 77C74 78B77 79B74 80V79 88B77 89B943
91B74 92D 93B74 94B74 95V94 98V829 99C74 113V93 116C707 117B116 118C664 119C118 120B119 121V788 122V788 125B119
126V788 127V786 129V1285 130B240 131B682 134B668 138C707 170B707 172C707 176V172 179B696 180V179 184B693 190B682
191B682 193B682 197B681 200C668 201B200 203B200 204B203 208B203 209B200 213B200 215B200 217D 221C664 223B221 228C707
229B228 230V229 233B228 235V233 237B228 240B237 248B705 250B269 252B754 256B522 257B522 259V798 261B522 266B269
267B269 268B269 269C284 271C269 272B271 273B754 274B755 276B732 280B755 281B732 282C284 283B282 284P 285C284 286C284
287C284 288B306 289B1390 290B1390 294B1390 295B287 303B1390 305B1390 306B287 307B1390 311C693 312B311 319B311
321V798 323B344 326C693 327C693 328B327 330C693 331B330 334B330 338B330 344B330 345C693 347B345 349B345 352X345
353B345 354B345 357B693 359B200 362C691 363B367 367B362 369B682 377C668 379B377 384X610 385B514 400C664 401V772
404C664 405C400 407C405 413B667 415V825 416V825 419B923 420B923 424C638 425B862 426B642 427B668 428B668 434B669 435P
436C435 440B684 441C610 444B436 451C684 457V908 459B404 460B459 466B119 472B642 475B573 476B710 494B345 497B200
502B913 506C912 514C1229 521B1391 522C1390 523B522 524B668 525V524 526V312 530V552 532B538 538B200 552B668 565B642
573C710 591V413 601B610 610C664 611B610 613B672 614V319 617B670 624B77 638C657 639B863 640B1390 641B99 642C668
646V345 653C657 657C710 662C664 664P 665C664 666C664 667C662 668C664 669C664 670C691 671C657 672C666 674C834 680X190
681B704 682P 684C710 690X252 691P 693P 696C691 697P 703P 704C664 705C691 706C664 707P 710P 732C285 749B284 754C703
755C703 756B755 763B404 770B400 772B404 778B223 786B119 787B119 788B119 789V770 790C138 791B790 792V791 798B1391
799C691 821B662 822B119 823B119 824B119 825B119 829B669 834C691 835B834 843B704 862C285 863C285 908B665 912C684
913C664 916B328 917B77 918B441 921B922 922C664 923C284 924B345 926V285 927V285 943C74 1021B441 1051B1419 1188B1419
1189B653 1220B284 1229C664 1236B74 1240B327 1250B664 1251B1250 1269B693 1284B20 1285B20 1286B20 1287B20 1288B20
1327B668 1332B1384 1333B407 1336B94 1384C703 1386B59 1390C287 1391C1390 1392B1391 1393B1392 1395C657 1419C665`
/** Relations in view 1000: peer (=), can precede (>), can also be (~), requires (+). */
const WEAKNESS_RELATIONS = `
20=345 20>22 20>41 20>74 20>119 20>770 61+362 61+732 73>22 73>41 73>98 73>434 73>59 78~88 79>494 79=352 93>117 98>94
98~426 99=706 99~73 113>79 116>74 129>119 129>823 129>789 131>119 170>120 170>126 172>22 172>41 184>79 184>78 184>434
184>98 190>119 193>617 193>170 193>119 201~209 208>385 208>327 252>476 257=259 259=321 259=257 266~286 273=252 274=271
274~280 288=420 327=311 352+441 352+642 352+613 353=354 354=353 362>416 362>476 363>59 384+472 384+441 404=405 415=416
416>120 425>98 426=427 426=428 434=436 441>668 523~312 611=441 613>287 662>362 681>682 682>170 706=99 754>416 756>209
789>476 798=257 822>125 822>787 823>125 823>787 824>125 824>787 825>125 825>787 843>119 917=1336 1284>789 1287=843`
/** `number level parent:weaknesses`. X is a deprecated entry, O an obsolete one. */
const PATTERN_TABLE = `
1S122:276,285,434,693,732 3D267:41,172,179,180,184 6S137:74,184,78,697 5O: 7D66:89,209,74,20,697
8D100:120,119,118,74,20 9D100:120,118,119,74,20 10D100:120,118,119,74,99 12S216:201,306 13D77:353,285,74,15,73
15S137:77,184,78,93,138 18D591:80 19S242:284 21M:290,384,664,642 22M:290,287,20,200,693 32D591:80
35D636:94,95,272,59,282 36S113:306,693 38D159:426,427 40S248:77 43D267:179,184,77,78,74 54S116:209 56X:
57D157:287,693 58D1:267,269 59D196:290,330,331,200,285 62S21:352,306,664,732 63S242:79,20 64D267:172,73,22,74,20
66S248:89,1286 76D126:23,22,73,77,285 77S22:15,94,285 78D267:180,172,73,22,74 85D580:79,113,20,116,184 86D591:80
91X: 92D128:190,120,122,680,697 94M:290,287,294 100S123:120,119,131,129,680 108D66:89,74,20,78 111S212:345,352 113M:
115M:287 116M:200 117M:319 122M:269,732 123M:119 125M:404,770 126S153:22 128S153:682 130M:404,770 137M:88
147D528:400,770 153M:20 154M:451 157S117:311 159S154:706 165M: 169M:200 176M:15 196S21:384,664 203S176:15
209D592:79,20,646 212M: 215D54:209,532 216M:306 227M:400 233M:269 242M:94 248M:77 267S153:172,180,73,74,20 272M:
276S272:707 441M:284 462D54:385,352,208 471D159:427 478D203:284 492S130:400,1333 528S125:770 540S123:125
580S169:204,208 586M:502 591D63:79 592D63:79 636S165:506 664S115:918,20 665D276:345,353,288,1188,862`
const PATTERN_RELATIONS = '12=21 13=10 85>63 122>664 126>664 216>94'

const LEVELS: Record<string, string> = { P: 'Pillar', C: 'Class', B: 'Base', V: 'Variant', X: 'Compound', D: 'Base' }
const PATTERN_LEVELS: Record<string, string> = { M: 'Meta', S: 'Standard' }
const NATURES: Record<string, string> = { '=': 'PeerOf', '>': 'CanPrecede', '~': 'CanAlsoBe', '+': 'Requires' }
/** Composites combine several weaknesses, chains are a sequence of them. */
const CHAINS = new Set([680, 690])
/** Numbers of categories, which some records use as weaknesses. */
export const CATEGORIES = [16, 264, 265, 310, 320, 399] as const
/** The view with all weaknesses, and list views that some records use as weaknesses. */
export const VIEWS = [701, 702, 1000] as const

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

const KNOWN_WEAKNESSES = [...WEAKNESS_TABLE.matchAll(/(\d+)([A-Z])(\d*)/g)].map(
  ([, digits, level, parent]): Weakness => {
    const number = Number(digits)
    return {
      number,
      abstraction: LEVELS[level!]!,
      structure: level !== 'X' ? 'Simple' : CHAINS.has(number) ? 'Chain' : 'Composite',
      retired: level === 'D' ? 'Deprecated' : null,
      relations: relationsOf(number, parent!, WEAKNESS_RELATIONS),
    }
  },
)

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
const ALWAYS_WEAKNESSES = [COMPLETE_WEAKNESS, 92, 352, 680]
const ALWAYS_PATTERNS = [COMPLETE_PATTERN, 5, 56, 63]

/** Returns the catalogs for a number of CVEs. */
export function catalogsFor(seed: number, cves: number): Catalogs {
  const used = WEAKNESSES.slice(0, 10 + Math.ceil(cves / 3))
  const weaknesses = withAncestors(KNOWN_WEAKNESSES, [...ALWAYS_WEAKNESSES, ...used.map(([number]) => number)])
  const random = new Random(seed, 'catalogs')
  const missing = Math.min(REAL_WEAKNESSES, Math.round((REAL_WEAKNESSES * cves) / ALL_SINCE)) - weaknesses.length
  const filler = further(KNOWN_WEAKNESSES, missing, random, (number, to): Weakness => {
    const relations = [{ nature: 'ChildOf', to }]
    return { number, abstraction: random.pick(['Base', 'Variant']), structure: 'Simple', retired: null, relations }
  })
  weaknesses.push(...filler)
  const known = new Set(weaknesses.map(({ number }) => number))
  const wanted = Math.min(REAL_PATTERNS, 25 + Math.round(Math.min(70, cves / 8) + cves / 24))
  const fitting = KNOWN_PATTERNS.filter((one) => one.weaknesses.some((number) => known.has(number)))
  const first = fitting.slice(0, wanted).map(({ number }) => number)
  const patterns = withAncestors(KNOWN_PATTERNS, [...ALWAYS_PATTERNS, ...first])
  const others = further(KNOWN_PATTERNS, wanted - patterns.length, random, (number, to): Pattern => {
    const drawn = Array.from({ length: random.int(4) }, () => random.pick(KNOWN_WEAKNESSES).number)
    const relations = [{ nature: 'ChildOf', to }]
    return { number, abstraction: 'Detailed', retired: null, relations, weaknesses: [...new Set(drawn)] }
  })
  patterns.push(...others)
  for (const pattern of patterns) pattern.weaknesses = pattern.weaknesses.filter((number) => known.has(number))
  return { weaknesses: closed(weaknesses), patterns: closed(patterns), draw: weighted(used) }
}

/** Returns copies of the entries with these numbers and of their ancestors. */
function withAncestors<Entry extends CatalogEntry>(table: readonly Entry[], numbers: readonly number[]): Entry[] {
  const byNumber = new Map(table.map((one) => [one.number, one]))
  const found = new Map<number, Entry>()
  for (const number of numbers) {
    for (let one = byNumber.get(number); one && !found.has(one.number); ) {
      found.set(one.number, { ...one })
      one = byNumber.get(one.relations[0]?.nature === 'ChildOf' ? one.relations[0].to : 0)
    }
  }
  return [...found.values()]
}

/** Sorts entries by number, and removes relations to others. */
function closed<Entry extends CatalogEntry>(entries: Entry[]): Entry[] {
  const numbers = new Set(entries.map(({ number }) => number))
  for (const entry of entries) entry.relations = entry.relations.filter(({ to }) => numbers.has(to))
  return entries.sort((a, b) => a.number - b.number)
}

/** Returns entries that no record uses, with unused numbers and parents from the table. */
function further<Entry extends CatalogEntry>(
  table: readonly Entry[],
  count: number,
  random: Random,
  make: (number: number, parent: number) => Entry,
): Entry[] {
  const used = new Set<number>([...table.map(({ number }) => number), ...CATEGORIES, ...VIEWS])
  const parents = table.filter(({ abstraction }) => abstraction === 'Class' || abstraction === 'Standard')
  const free = Array.from({ length: 2000 }, (_, i) => i + 2).filter((number) => !used.has(number))
  return free.slice(0, Math.max(0, count)).map((number) => make(number, random.pick(parents).number))
}
