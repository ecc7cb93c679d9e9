/**
 * CVSS: the vectors of the sample, and scores in the forms of the CVE list and of NVD. The vectors are the most frequent
 * ones by CNAs in the records of 2023 and 2024 of the CVE list of 2024-10-24. Rarer vectors are included for low scores,
 * which spread over many vectors. Sampling from them reproduces the real distributions of scores and of vectors.
 */
import { weighted } from './distribution.ts'

/** `values:score:count`, ascending by score. The values are those of the metrics below, in their order. */
const VECTORS: Record<Kind, string> = {
  '2': `
  AHSNNP:1.4:1 LLSNNP:1.7:2 LLNPNN:2.1:1 NHNPNN:2.6:3 NHNNPN:2.6:1 ALSPNN:2.7:3 ALSNNP:2.7:1 NLMNPN:3.3:4 NLSNPN:4:43
  NLSPNN:4:3 NLSNNP:4:1 LLSPPP:4.3:1 LLNPPP:4.6:1 NLNNPN:5:13 NLNPNN:5:6 NHNPPP:5.1:1 ALSPPP:5.2:5 NLSNPP:5.5:1
  NLMPPP:5.8:14 ALNPPP:5.8:1 ALNNNC:6.1:1 LMNCNC:6.3:1 NLSPPP:6.5:93 LLSCCC:6.8:1 NLNPPP:7.5:23 NHNCCC:7.6:1
  NLMCCC:8.3:1 NLSCCC:9:25 NLNCCN:9.4:1 NLNCCC:10:2`,
  '3': `
  NLNNUNNN:0:2 NHHRULNN:2:2 LLHNULNN:2.3:2 NLHRUNLN:2.4:4 PLNNULNN:2.4:2 NHLRULNN:2.6:2 NHLNUNNL:3.1:3 NHLNULNN:3.1:3
  NHNRULNN:3.1:2 LLLNUNNL:3.3:5 LLNRULNN:3.3:2 NLLRUNLN:3.5:44 ALLNULNN:3.5:3 ALNRULNN:3.5:2 NLLRUNNL:3.5:2
  NHNNULNN:3.7:13 NHNNUNLN:3.7:6 NHNNUNNL:3.7:2 NLHNULLN:3.8:2 LLNNULNN:4:4 LLNNUNNL:4:4 NHLNULLN:4.2:5
  NLNRUNLN:4.3:72 NLLNULNN:4.3:41 NLLNUNLN:4.3:34 NLLNUNNL:4.3:8 NLNRULNN:4.3:3 NHHNCLLN:4.4:10 LLHNUNNH:4.4:4
  NHHNUNNH:4.4:3 NLLRULLN:4.6:5 NLHNULLL:4.7:14 NLNRCLNN:4.7:4 NLHRCLLN:4.8:9 NHNNULLN:4.8:6 NLHNUNNH:4.9:15
  NLHNUHNN:4.9:7 NLNNULNN:5.3:48 NLNNUNLN:5.3:29 NLNNUNNL:5.3:20 LLLNULLL:5.3:4 NLLRCLLN:5.4:47 NLNRUNLL:5.4:22
  NLLNULLN:5.4:12 NLLNUNLL:5.4:11 NLNRULLN:5.4:7 LLNRUHNN:5.5:12 LLLNUHNN:5.5:9 LLLNUNNH:5.5:8 ALLNULLL:5.5:6
  NLNNCNLN:5.8:5 NLNNCLNN:5.8:4 NLHRCLLL:5.9:53 NHNNUHNN:5.9:10 NHNNUNNH:5.9:4 NHNNUNHN:5.9:3 NLNRCLLN:6.1:44
  LLNNUNNH:6.2:5 LLNNUHNN:6.2:4 NLLNULLL:6.3:100 NLNRULLL:6.3:5 NLLNCLLN:6.4:97 NLLRCLLL:6.5:68 NLLNUNNH:6.5:21
  NLLNUHNN:6.5:18 NLLNUNHN:6.5:8 NLHNUHHN:6.5:8 NLNNULLN:6.5:7 NLNNUNLL:6.5:6 ALNNUNNH:6.5:5 NLNNULNL:6.5:5
  NLHNUNHH:6.5:4 LLLNCHNN:6.5:4 LHLRUHHH:6.7:13 LLHNUHHH:6.7:10 NLLRCHNN:6.8:4 NLHRUHHH:6.8:4 NLNRCLLL:7.1:77
  NLLNUHLN:7.1:4 NLHNUHHH:7.2:33 NLNNCLLN:7.2:6 NLNNULLL:7.3:27 NLLNCLLL:7.4:3 NLNNUNNH:7.5:44 NLNNUHNN:7.5:43
  NLNNUNHN:7.5:10 NHNRUHHH:7.5:6 NHLNUHHH:7.5:4 NLHNCHNL:7.6:5 NLLRUHHL:7.6:3 NLLNCHNN:7.7:4 LLNRUHHH:7.8:42
  LLLNUHHH:7.8:30 LHLNCHHH:7.8:4 NHNNUHHH:8.1:10 NLLNUHHN:8.1:7 NLLNUNHH:8.1:4 NLNNUHLN:8.2:5 NLLNUHHL:8.3:4
  LLNNUHHH:8.4:10 NLLNCHNL:8.5:8 NHLNCHHH:8.5:4 NLNNCHNN:8.6:7 NLNNCNNH:8.6:5 NLLNUHHH:8.8:80 NLNRUHHH:8.8:19
  LLLNCHHH:8.8:10 ALNNUHHH:8.8:5 NHNNCHHH:9:5 NLLRCHHH:9:4 NLHNCHHH:9.1:11 NLNNUHHN:9.1:5 NLNNCHNL:9.3:5
  NLNRCHHH:9.6:4 NLNNUHHH:9.8:102 NLLNCHHH:9.9:13 NLNNCHHH:10:21 NLNNCHHN:10:4`,
  '4': `
  AHNLNNNLNNN:2.1:1 LLNLNLLNNNN:4.8:1 NLNHNLLLNNN:5.1:7 NLNHNNLNNNN:5.1:2 NLNLNLLLNNN:5.3:58 NLNLNNLNNNN:5.3:23
  NLNLNLNNNNN:5.3:3 PHNLNHHNNNN:5.3:1 AHNHAHHHLLL:5.4:1 NHNHNNNHNNN:5.9:1 NLNLALLLHHH:6.3:1 LLNHNNNHNNN:6.7:2
  LLNLNNNHNNN:6.8:2 NLNNNLLLNNN:6.9:14 NLNNNNLNNNN:6.9:6 NLNNNLNNNNN:6.9:4 NLNNNLLNNNN:6.9:2 NLNHNNNHNNN:6.9:1
  LHPHNHNHHNH:7:1 NLNLNHNNNNN:7.1:2 ALNNNNNHNNL:7.1:2 LHNNPHHHNNN:7.3:5 LHPLNHHHNNN:7.3:1 LLNNAHHHNNN:8.4:2
  LLNLNHHHNNN:8.5:5 NLNLNHHHNNN:8.7:14 NLNNNNNHNNL:8.7:5 NLNNNHNNNNN:8.7:4 NLNNNNNHNNN:8.7:3 NLNNNHLLNNN:8.8:2
  NLPNNNHHNHH:9.1:1 NLPNNHHHNNN:9.2:2 NLNNNHHHNNN:9.3:6 LLNLNHHHHHH:9.3:1 NLNNNHHHHHH:10:2 NLNNNHHHHHL:10:1`,
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

const NVD_KEYS: Record<string, string> = { '4.0': 'V40', '3.1': 'V31', '3.0': 'V30', '2.0': 'V2' }

/** Returns the key of a CVSS object in NVD's `metrics`, and its member there. */
export function nvdMetric(
  cvssData: Metric,
  source: string,
  type: 'Primary' | 'Secondary',
): [key: string, metric: object] {
  const { version, baseScore } = cvssData as { version: string; baseScore: number }
  const metric = { source, type, cvssData }
  const baseSeverity = baseScore < 4 ? 'LOW' : baseScore < 7 ? 'MEDIUM' : 'HIGH'
  return [`cvssMetric${NVD_KEYS[version]}`, version === '2.0' ? { ...metric, baseSeverity } : metric]
}
