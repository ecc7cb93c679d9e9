/**
 * The attack patterns of the sample, with facts of CAPEC 3.9: abstraction, parent and exploited weaknesses. Names and
 * texts are the sample's own.
 */

const LEVELS: Record<string, string> = { M: 'Meta', S: 'Standard', D: 'Detailed', X: 'Detailed', O: 'Detailed' }

/** `number level parent:weaknesses`. X is a deprecated entry, O an obsolete one. */
const TABLE = `
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

/** `number:nature:number`. */
const RELATIONS = '12:PeerOf:21 13:PeerOf:10 85:CanPrecede:63 122:CanPrecede:664 126:CanPrecede:664 216:CanPrecede:94'

export interface Pattern {
  number: number
  abstraction: string
  /** Null for patterns in use. */
  retired: 'Deprecated' | 'Obsolete' | null
  /** The parent comes first. */
  relations: { nature: string; to: number }[]
  weaknesses: number[]
}

function patterns(): Pattern[] {
  const others = RELATIONS.split(' ').map((one) => one.split(':') as [from: string, nature: string, to: string])
  return TABLE.trim()
    .split(/\s+/)
    .map((one) => {
      const [, digits, level, parent, weaknesses] = /^(\d+)([A-Z])(\d*):([\d,]*)$/.exec(one)!
      const related = others.filter(([from]) => from === digits)
      return {
        number: Number(digits),
        abstraction: LEVELS[level!]!,
        retired: level === 'X' ? 'Deprecated' : level === 'O' ? 'Obsolete' : null,
        relations: [
          ...(parent ? [{ nature: 'ChildOf', to: Number(parent) }] : []),
          ...related.map(([, nature, to]) => ({ nature, to: Number(to) })),
        ],
        weaknesses: weaknesses ? weaknesses.split(',').map(Number) : [],
      }
    })
}

export const PATTERNS: readonly Pattern[] = patterns()
