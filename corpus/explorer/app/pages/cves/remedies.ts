/** The four facts that decide what to do about a CVE: fix, workaround, deadline, exploit. */
import type { CveDetail } from '../../data/answers.ts'

export interface Fix {
  kind: 'versions' | 'commit' | 'reference' | 'none'
  /** Versions that a source states as fixed, those with the highest confidence first. Of `versions` only. */
  versions: string[]
  /** The products that they belong to. */
  products: string[]
  /** The section of the page with the details; null without any. */
  section: 'affected' | 'evidence' | 'references' | null
}

type Evidence = NonNullable<CveDetail['evidence']>[number]

const CONFIDENCE = ['confirmed', 'high', 'medium', 'low']

const byConfidence = (a: Evidence, b: Evidence) => rankOf(a) - rankOf(b)
const rankOf = ({ confidence }: Evidence) => (confidence === null ? CONFIDENCE.length : CONFIDENCE.indexOf(confidence))

/** Returns the fix that the evidence states (rule 23), else a reference to a patch (rule 22). */
export function fixOf({ evidence, has_patch }: { evidence: readonly Evidence[]; has_patch: boolean }): Fix {
  const stated = evidence.filter(({ evidence_type: type }) => type === 'fixed_version').toSorted(byConfidence)
  const versions = distinct(stated.flatMap(({ fixed_version }) => fixed_version ?? []))
  const products = distinct(
    stated.flatMap(({ product }) => product ?? []),
    (name) => name.toLowerCase(),
  )
  if (versions.length > 0) return { kind: 'versions', versions, products, section: 'affected' }
  const isCommit = evidence.some(({ evidence_type: type }) => type === 'fix_commit')
  if (isCommit) return { kind: 'commit', versions, products, section: 'evidence' }
  return { kind: has_patch ? 'reference' : 'none', versions, products, section: has_patch ? 'references' : null }
}

/** Returns the first text with each key. */
function distinct(texts: readonly string[], keyOf = (text: string) => text): string[] {
  const keys = new Set<string>()
  return texts.filter((text) => keys.size < keys.add(keyOf(text)).size)
}

export interface Exploitation {
  /** The highest maturity: 80 in the wild, 60 weaponized, 40 proof of concept; 0 if there is evidence without one. */
  maturity: number
  items: number
  /** The first observation, other than a catalog or an assessment. */
  firstSeen: string | null
  isRansomware: boolean
}

/** Returns what is known about exploitation. Null without evidence. */
export function exploitationOf({
  evidence,
  kev_detail: { catalogs },
}: {
  evidence: readonly Evidence[]
  kev_detail: Pick<NonNullable<CveDetail['kev_detail']>, 'catalogs'>
}): Exploitation | null {
  const items = evidence.filter(({ type }) => type === 'exploitation')
  const isRansomware = catalogs.some(({ ransomware }) => ransomware === 'known')
  if (items.length === 0) return null
  const seen = items.flatMap(({ first_seen }) => first_seen ?? []).sort()
  return {
    maturity: Math.max(...items.map(({ maturity_rank }) => maturity_rank ?? 0)),
    items: items.length,
    firstSeen: seen[0] ?? null,
    isRansomware,
  }
}
