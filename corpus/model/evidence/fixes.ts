/** Fixes of a CVE as evidence: versions and commits in claims and references (rules 22, 23). */
import type { AnalysisClaim, CveClaim } from '../claim.ts'
import type { AffectedSource, EvidenceItem, Reference } from '../record.ts'
import { claimsTagging, hasReferences } from '../references.ts'
import { evidenceItem, evidenceSource } from './evidence-item.ts'

/** A fix stated by the CNA or an advisory is `high`, others are `medium`. */
const FIX_CONFIDENCE: Record<AffectedSource, EvidenceItem['confidence']> = {
  cna: 'high',
  adp: 'medium',
  nvd: 'medium',
  advisory: 'high',
  osv: 'medium',
  svc_analysis: 'medium',
}

/**
 * Commit URLs of hosts: `/commit/…` (GitHub, GitLab), `/c/…`, `/linus/…`, `?id=…` (kernel.org), `/commitdiff/…` and
 * `;h=…` (gitweb, its `;` may be `%3B`), `/+/…` (Gitiles, without a file path).
 */
const COMMIT_URL =
  /\/(?:commits?|commitdiff|c|linus)\/(?:\?id=)?([0-9a-f]{7,40})\b|(?:[?&;]|%3B)(?:id|h)=([0-9a-f]{7,40})\b|\/\+\/([0-9a-f]{40})(?![\w/])/i

/** Returns fixed versions and fix commits: of claims, then of analyses, then those in references tagged `patch`. */
export function fixEvidence(
  claims: readonly CveClaim[],
  analyses: readonly AnalysisClaim[],
  references: readonly Reference[],
): EvidenceItem[] {
  const items: EvidenceItem[] = []
  const seen = new Set<string>()
  const known: KnownFixes = { versions: new Set(), urls: new Set() }
  let commitUrls: Map<string, string> | undefined
  const affectedByCna = affectedVersions(claims.filter(({ source }) => source === 'cna'))
  const stated = claims
    .filter(hasReferences)
    .map((claim) => ({ from: evidenceSource(claim), affected: claim.affected }))
  for (const { from, affected } of [...stated, ...analyses.map((one) => ({ from: 'svc_analysis', ...one }))]) {
    for (const entry of affected) {
      const product = entry.product ?? entry.package_name
      const add = (version: string, commit: boolean) => {
        const source = commit ? 'git_ref' : from
        const key = `${source}\n${entry.ecosystem}\n${product}\n${version}`
        // An ADP that restates `lessThanOrEqual` as `lessThan` does not fix the last affected version.
        const isAffected = entry.source !== 'cna' && affectedByCna.has(versionKey(product, version))
        if (isAffected || seen.has(key)) return
        seen.add(key)
        if (commit) commitUrls ??= urlsByCommit(references)
        const url = commit ? (commitUrls?.get(version.slice(0, 12)) ?? null) : null
        known.versions.add(version)
        if (url !== null) known.urls.add(url)
        items.push(
          evidenceItem('mitigation', {
            source,
            evidence_type: commit ? 'fix_commit' : 'fixed_version',
            confidence: FIX_CONFIDENCE[entry.source],
            evidence_url: url,
            fixed_version: version,
            ecosystem: entry.ecosystem,
            product,
          }),
        )
      }
      for (const { fixed, version_type } of entry.affected_ranges ?? []) {
        if (fixed !== null) add(fixed, version_type?.toLowerCase() === 'git')
      }
      for (const version of entry.patched_versions ?? []) add(version, false)
    }
  }
  addPatchCommits(claims, known, items)
  return items
}

const versionKey = (product: string | null, version: string) => `${product?.toLowerCase()}\n${version}`

/** Returns the versions that claims state as affected, with their products. */
function affectedVersions(claims: readonly CveClaim[]): Set<string> {
  const keys = new Set<string>()
  for (const { product, package_name, affected_versions, affected_ranges } of claims.flatMap(
    ({ affected }) => affected,
  )) {
    const add = (version: string) => keys.add(versionKey(product ?? package_name, version))
    for (const version of affected_versions ?? []) add(version)
    for (const { last_affected } of affected_ranges ?? []) if (last_affected !== undefined) add(last_affected)
  }
  return keys
}

/** Versions and URLs that claims already state as fixes. References to them are not repeated. */
interface KnownFixes {
  versions: Set<string>
  urls: Set<string>
}

/** Maps the first 12 digits of a commit to the reference that shows it. Records state commits in full or cut to 12. */
function urlsByCommit(references: readonly Reference[]): Map<string, string> {
  const urls = new Map<string, string>()
  for (const { url } of references) {
    const commit = commitOf(url)?.slice(0, 12)
    if (commit && !urls.has(commit)) urls.set(commit, url)
  }
  return urls
}

function addPatchCommits(claims: readonly CveClaim[], known: KnownFixes, items: EvidenceItem[]): void {
  for (const [url, { source }] of claimsTagging(claims, 'patch')) {
    const commit = commitOf(url)
    if (commit === null || known.urls.has(url) || known.versions.has(commit)) continue
    items.push(
      evidenceItem('mitigation', {
        source: 'git_ref',
        evidence_type: 'fix_commit',
        confidence: FIX_CONFIDENCE[source],
        evidence_url: url,
        fixed_version: commit,
      }),
    )
  }
}

function commitOf(url: string): string | null {
  const match = COMMIT_URL.exec(url)
  return match ? (match[1] ?? match[2] ?? match[3]!).toLowerCase() : null
}
