/**
 * The weaknesses of the sample, with facts of CWE 4.15: abstraction and parent in view 1000. It contains every number
 * in the records and all their ancestors. Names and texts are the sample's own.
 */

const LEVELS: Record<string, string> = { P: 'Pillar', C: 'Class', B: 'Base', V: 'Variant', X: 'Compound', D: 'Base' }

/** `number level parent`: 79B74 is the base weakness 79 with parent 74. X is a compound, D a deprecated entry. */
const TABLE = `
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

/** `number:nature:number`, all in view 1000. */
const RELATIONS = `
20:PeerOf:345 20:CanPrecede:22 20:CanPrecede:41 20:CanPrecede:74 20:CanPrecede:119 20:CanPrecede:770 61:Requires:362
61:Requires:732 73:CanPrecede:22 73:CanPrecede:41 73:CanPrecede:98 73:CanPrecede:434 73:CanPrecede:59
78:CanAlsoBe:88 79:CanPrecede:494 79:PeerOf:352 93:CanPrecede:117 98:CanPrecede:94 98:CanAlsoBe:426 99:PeerOf:706
99:CanAlsoBe:73 113:CanPrecede:79 116:CanPrecede:74 129:CanPrecede:119 129:CanPrecede:823 129:CanPrecede:789
131:CanPrecede:119 170:CanPrecede:120 170:CanPrecede:126 172:CanPrecede:22 172:CanPrecede:41 184:CanPrecede:79
184:CanPrecede:78 184:CanPrecede:434 184:CanPrecede:98 190:CanPrecede:119 193:CanPrecede:617 193:CanPrecede:170
193:CanPrecede:119 201:CanAlsoBe:209 208:CanPrecede:385 208:CanPrecede:327 252:CanPrecede:476 257:PeerOf:259
259:PeerOf:321 259:PeerOf:257 266:CanAlsoBe:286 273:PeerOf:252 274:PeerOf:271 274:CanAlsoBe:280 288:PeerOf:420
327:PeerOf:311 352:Requires:441 352:Requires:642 352:Requires:613 353:PeerOf:354 354:PeerOf:353 362:CanPrecede:416
362:CanPrecede:476 363:CanPrecede:59 384:Requires:472 384:Requires:441 404:PeerOf:405 415:PeerOf:416
416:CanPrecede:120 425:CanPrecede:98 426:PeerOf:427 426:PeerOf:428 434:PeerOf:436 441:CanPrecede:668
523:CanAlsoBe:312 611:PeerOf:441 613:CanPrecede:287 662:CanPrecede:362 681:CanPrecede:682 682:CanPrecede:170
706:PeerOf:99 754:CanPrecede:416 756:CanPrecede:209 789:CanPrecede:476 798:PeerOf:257 822:CanPrecede:125
822:CanPrecede:787 823:CanPrecede:125 823:CanPrecede:787 824:CanPrecede:125 824:CanPrecede:787 825:CanPrecede:125
825:CanPrecede:787 843:CanPrecede:119 917:PeerOf:1336 1284:CanPrecede:789 1287:PeerOf:843`

/** Composites combine several weaknesses, chains are a sequence of them. */
const CHAINS = new Set([680, 690])

export interface Weakness {
  number: number
  abstraction: string
  structure: 'Simple' | 'Composite' | 'Chain'
  deprecated: boolean
  /** Relations in view 1000, the parent first. */
  relations: { nature: string; to: number }[]
}

/** Numbers of categories, which some records use as weaknesses. */
export const CATEGORIES = [16, 264, 265, 310, 320, 399] as const
/** The view with all weaknesses, and list views that some records use as weaknesses. */
export const VIEWS = [701, 702, 1000] as const

function weaknesses(): Weakness[] {
  const others = RELATIONS.trim()
    .split(/\s+/)
    .map((one) => one.split(':') as [from: string, nature: string, to: string])
  return TABLE.trim()
    .split(/\s+/)
    .map((one) => {
      const [, digits, level, parent] = /^(\d+)([A-Z])(\d*)$/.exec(one)!
      const number = Number(digits)
      const related = others.filter(([from]) => from === digits)
      return {
        number,
        abstraction: LEVELS[level!]!,
        structure: level !== 'X' ? 'Simple' : CHAINS.has(number) ? 'Chain' : 'Composite',
        deprecated: level === 'D',
        relations: [
          ...(parent ? [{ nature: 'ChildOf', to: Number(parent) }] : []),
          ...related.map(([, nature, to]) => ({ nature, to: Number(to) })),
        ],
      }
    })
}

export const CATALOGED: readonly Weakness[] = weaknesses()
