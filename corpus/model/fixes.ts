/** What mends a CVE, as evidence: the versions and commits that claims and references name (rules 22, 23). */
import type { CveClaim } from './claim.ts'
import { EVIDENCE_SOURCE, evidenceItem } from './evidence-item.ts'
import type { EvidenceItem, Reference, ReferenceSource } from './record.ts'
import { sourcesTagging } from './references.ts'

/** A fix that the CNA or an advisory states is `high`, otherwise `medium`. */
const FIX_CONFIDENCE: Record<ReferenceSource, EvidenceItem['confidence']> = {
  cna: 'high',
  adp: 'medium',
  nvd: 'medium',
  advisory: 'high',
  osv: 'medium',
}

/**
 * How hosts link a commit: `/commit/…` (GitHub, GitLab), `/c/…`, `/linus/…`, `?id=…` (kernel.org), `/commitdiff/…` and
 * `;h=…` (gitweb, its `;` maybe as `%3B`), `/+/…` (Gitiles, where a further part is a file in it).
 */
const COMMIT_URL =
  /\/(?:commits?|commitdiff|c|linus)\/(?:\?id=)?([0-9a-f]{7,40})\b|(?:[?&;]|%3B)(?:id|h)=([0-9a-f]{7,40})\b|\/\+\/([0-9a-f]{40})(?![\w/])/i

/** Fixed versions and fix commits claim by claim, then commits among the references tagged `patch`. */
export function fixEvidence(claims: readonly CveClaim[], references: readonly Reference[]): EvidenceItem[] {
  const items: EvidenceItem[] = []
  const seen = new Set<string>()
  const known: KnownFixes = { versions: new Set(), urls: new Set() }
  let commitUrls: Map<string, string> | undefined
  for (const { source, affected } of claims) {
    if (source === 'svc') continue
    for (const entry of affected) {
      const product = entry.product ?? entry.package_name
      const add = (version: string, commit: boolean) => {
        const key = `${commit ? 'git_ref' : source}\n${entry.ecosystem}\n${product}\n${version}`
        if (seen.has(key)) return
        seen.add(key)
        if (commit) commitUrls ??= urlsByCommit(references)
        const url = commit ? (commitUrls?.get(version.slice(0, 12)) ?? null) : null
        known.versions.add(version)
        if (url !== null) known.urls.add(url)
        items.push(
          evidenceItem('mitigation', {
            source: commit ? 'git_ref' : EVIDENCE_SOURCE[source],
            evidence_type: commit ? 'fix_commit' : 'fixed_version',
            confidence: FIX_CONFIDENCE[source],
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

/** What the claims' own fixes name and link to, so that a reference does not state them once more. */
interface KnownFixes {
  versions: Set<string>
  urls: Set<string>
}

/** References by the first twelve digits of the commit they show: records name commits in full or cut to that. */
function urlsByCommit(references: readonly Reference[]): Map<string, string> {
  const urls = new Map<string, string>()
  for (const { url } of references) {
    const commit = commitOf(url)?.slice(0, 12)
    if (commit && !urls.has(commit)) urls.set(commit, url)
  }
  return urls
}

function addPatchCommits(claims: readonly CveClaim[], known: KnownFixes, items: EvidenceItem[]): void {
  for (const [url, source] of sourcesTagging(claims, 'patch')) {
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
