/**
 * CVSS: the vectors of the sample, and scores in the form of the CVE list. The vectors are the most frequent ones of each
 * severity by CNAs in the records of 2023 and 2024 of the CVE list of 2024-10-24, with the real share of each severity.
 */
import { weighted } from './distribution.ts'
import type { Random } from './random.ts'
import type { Facts } from './world.ts'

/** `values:score:count`, ascending by score. The values are those of the metrics below, in their order. */
const VECTORS: Record<Kind, string> = {
  '2': `
  LLSNNP:1.7:3 NHNPNN:2.6:4 ALSPNN:2.7:4 NLMNPN:3.3:5 NLSNPN:4:46 NLNNPN:5:14 NLNPNN:5:6 ALSPPP:5.2:5
  NLMPPP:5.8:15 NLSPPP:6.5:99 NLNPPP:7.5:23 NHNCCC:7.6:1 NLMCCC:8.3:1 NLSCCC:9:26 NLNCCC:10:2`,
  '3': `
  NLNNUNNN:0:2 NHHRULNN:2:2 LLHNULNN:2.3:2 NLHRUNLN:2.4:5 NHLNUNNL:3.1:4 NHLNULNN:3.1:4 LLLNUNNL:3.3:6
  NLLRUNLN:3.5:52 ALLNULNN:3.5:4 NHNNULNN:3.7:15 NHNNUNLN:3.7:7 NLNRUNLN:4.3:92 NLLNULNN:4.3:53 NLLNUNLN:4.3:44
  NLHNULLL:4.7:18 NLHNUNNH:4.9:19 NLNNULNN:5.3:62 NLNNUNLN:5.3:37 NLNNUNNL:5.3:26 NLLRCLLN:5.4:60 NLNRUNLL:5.4:28
  NLLNULLN:5.4:15 LLNRUHNN:5.5:15 NLHRCLLL:5.9:68 NLNRCLLN:6.1:57 NLLNULLL:6.3:128 NLLNCLLN:6.4:125
  NLLRCLLL:6.5:87 NLLNUNNH:6.5:27 NLLNUHNN:6.5:23 LHLRUHHH:6.7:17 NLNRCLLL:7.1:88 NLHNUHHH:7.2:38 NLNNULLL:7.3:31
  NLNNUNNH:7.5:50 NLNNUHNN:7.5:49 NLNNUNHN:7.5:11 LLNRUHHH:7.8:48 LLLNUHHH:7.8:34 NHNNUHHH:8.1:11 NLLNUHHN:8.1:8
  LLNNUHHH:8.4:11 NLLNCHNL:8.5:9 NLNNCHNN:8.6:8 NLLNUHHH:8.8:92 NLNRUHHH:8.8:22 LLLNCHHH:8.8:11 NHNNCHHH:9:5
  NLLRCHHH:9:4 NLHNCHHH:9.1:12 NLNNUHHN:9.1:5 NLNNCHNL:9.3:5 NLNNUHHH:9.8:107 NLLNCHHH:9.9:14 NLNNCHHH:10:22`,
  '4': `
  AHNLNNNLNNN:2.1:1 NLNHNLLLNNN:5.1:8 NLNLNLLLNNN:5.3:67 NLNLNNLNNNN:5.3:26 NLNNNLLLNNN:6.9:16 NLNNNNLNNNN:6.9:7
  NLNNNLNNNNN:6.9:5 LHNNPHHHNNN:7.3:7 LLNLNHHHNNN:8.5:7 NLNLNHHHNNN:8.7:20 NLNNNNNHNNL:8.7:7 NLNNNHNNNNN:8.7:6
  NLPNNNHHNHH:9.1:1 NLPNNHHHNNN:9.2:2 NLNNNHHHNNN:9.3:7 NLNNNHHHHHH:10:2`,
}

type Kind = '2' | '3' | '4'
export type CvssVersion = '2.0' | '3.0' | '3.1' | '4.0'
/** A CVSS object, or another member of `metrics`. */
export type Metric = Record<string, unknown>

/** Metrics of the vectors. Those of CVSS 3 have `letters name values`, because the CVE list spells them out. */
const LEVELS = 'N NONE L LOW H HIGH'
const METRICS: Record<Kind, string[]> = {
  '2': ['AV', 'AC', 'Au', 'C', 'I', 'A'],
  '3': [
    'AV attackVector N NETWORK A ADJACENT_NETWORK L LOCAL P PHYSICAL',
    `AC attackComplexity ${LEVELS}`,
    `PR privilegesRequired ${LEVELS}`,
    'UI userInteraction N NONE R REQUIRED',
    'S scope U UNCHANGED C CHANGED',
    `C confidentialityImpact ${LEVELS}`,
    `I integrityImpact ${LEVELS}`,
    `A availabilityImpact ${LEVELS}`,
  ],
  '4': ['AV', 'AC', 'AT', 'PR', 'UI', 'VC', 'VI', 'VA', 'SC', 'SI', 'SA'],
}

interface Scored {
  vector: string
  score: number
  spelled: Record<string, string>
}

function scoredVectors(kind: Kind): (even: number) => Scored {
  const metrics = METRICS[kind].map((line) => line.split(' '))
  const rows = VECTORS[kind].trim().split(/\s+/)
  return weighted(
    rows.map((row) => {
      const [values, score, count] = row.split(':')
      const vector = metrics.map(([letters], i) => `${letters}:${values![i]}`).join('/')
      const spelled = metrics.map(([, name, ...words], i) => [name, words[words.indexOf(values![i]!) + 1]])
      return [{ vector, score: Number(score), spelled: Object.fromEntries(spelled) }, Number(count)] as const
    }),
  )
}

const SCORED = { '2': scoredVectors('2'), '3': scoredVectors('3'), '4': scoredVectors('4') }

export function severityOf(score: number): string {
  return score === 0 ? 'NONE' : score < 4 ? 'LOW' : score < 7 ? 'MEDIUM' : score < 9 ? 'HIGH' : 'CRITICAL'
}

/** Draws a position among the vectors. Most CVEs in KEV are high or critical. */
export const vectorPosition = ({ kevAddedAt }: Facts, random: Random) =>
  kevAddedAt === null ? random.float() : 0.6 + 0.4 * random.float()

/** Returns a CVSS object of the CVE list. The members of CVSS 3 include the metrics of the vector. */
export function cvss(version: CvssVersion, even: number): Metric {
  const { vector, score, spelled } = SCORED[version[0] as Kind](even)
  const vectorString = version === '2.0' ? vector : `CVSS:${version}/${vector}`
  const rated = version === '2.0' ? {} : { baseSeverity: severityOf(score) }
  return { version, baseScore: score, ...rated, vectorString, ...(version[0] === '3' ? spelled : {}) }
}

const RECORD_KEYS = ['cvssV4_0', 'cvssV3_1', 'cvssV3_0', 'cvssV2_0'] as const

/** Returns the CVSS objects of a container's metrics. */
export function cvssOf(metrics: readonly Metric[] = []): Metric[] {
  return metrics.flatMap((metric) => RECORD_KEYS.flatMap((key) => (metric[key] ? [metric[key] as Metric] : [])))
}
