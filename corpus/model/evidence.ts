/** Observed evidence of a CVE: exploitation first, then detection, then mitigation (decisions 22, 23). */
import type { CveClaim, DetectionClaim, KevEntry, PocClaim } from './claim.ts'
import type { CveId } from './cve-id.ts'
import { startOfDay } from './date.ts'
import type { EvidenceItem, ExploitModule, Reference, ReferenceSource } from './record.ts'
import { sourcesTagging } from './references.ts'

/** Higher is more mature (decisions 23). */
const MATURITY = { poc_public: 40, weaponized_exploit: 60, kev_listed: 80, ssvc_active: 80 } as const

/** What a claim's source is called as a source of evidence. */
const EVIDENCE_SOURCE: Record<ReferenceSource, string> = {
  cna: 'cna',
  adp: 'agency_adp',
  nvd: 'nvd',
  advisory: 'advisory',
  osv: 'osv',
}

/** A fix that the CNA or an advisory states is `high`, otherwise `medium`. */
const FIX_CONFIDENCE: Record<ReferenceSource, EvidenceItem['confidence']> = {
  cna: 'high',
  adp: 'medium',
  nvd: 'medium',
  advisory: 'high',
  osv: 'medium',
}

export interface KevListing {
  dateAdded: string | null
  /** The catalogue's entry; null where only an ADP copies the listing. */
  entry: KevEntry | null
}

export interface EvidenceInput {
  cveId: CveId
  /** All claims, in claim order. */
  claims: readonly CveClaim[]
  kev: KevListing | null
  ssvc: CveClaim['ssvc']
  exploits: readonly ExploitModule[]
  references: readonly Reference[]
  detections: readonly DetectionClaim[]
  pocs: readonly PocClaim[]
}

/**
 * In this order: KEV, SSVC, exploit modules as given, references tagged `exploit`, repositories with most stars first;
 * then detections as given; then fixed versions and fix commits claim by claim, then commits among the references tagged
 * `patch`.
 */
export function evidenceOf(input: EvidenceInput): EvidenceItem[] {
  const items: EvidenceItem[] = []
  if (input.kev) items.push(kevEvidence(input.cveId, input.kev))
  if (input.ssvc) addSsvc(input.ssvc, items)
  for (const module of input.exploits) items.push(moduleEvidence(module))
  addExploitReferences(input.claims, items)
  addRepositories(input.pocs, items)
  for (const detection of input.detections) items.push(detectionEvidence(detection))
  addFixes(input, items)
  return items
}

/** The feed decides; the ADP's copy counts only where there is no feed (decisions 23). */
export function kevListing(claims: readonly CveClaim[], entry: KevEntry | null, kevFeed: boolean): KevListing | null {
  if (kevFeed) return entry && { dateAdded: entry.dateAdded, entry }
  const copy = claims.find((claim) => claim.source === 'adp' && claim.kevDateAdded !== null)
  return copy ? { dateAdded: copy.kevDateAdded, entry: null } : null
}

type Given = Pick<EvidenceItem, 'source' | 'evidence_type' | 'confidence'> & Partial<EvidenceItem>

function evidence(type: EvidenceItem['type'], given: Given): EvidenceItem {
  return {
    type,
    source: given.source,
    evidence_type: given.evidence_type,
    confidence: given.confidence,
    evidence_url: given.evidence_url ?? null,
    maturity_rank: given.maturity_rank ?? null,
    fixed_version: given.fixed_version ?? null,
    ecosystem: given.ecosystem ?? null,
    product: given.product ?? null,
    explanation: given.explanation ?? null,
    first_seen: given.first_seen ?? null,
    last_seen: given.last_seen ?? null,
  }
}

function exploitation(given: Given & { evidence_type: keyof typeof MATURITY }): EvidenceItem {
  return evidence('exploitation', { ...given, maturity_rank: MATURITY[given.evidence_type] })
}

function kevEvidence(cveId: CveId, { dateAdded, entry }: KevListing): EvidenceItem {
  const ransomware = entry?.ransomware === 'Known' ? '; known to be used in ransomware campaigns' : ''
  return exploitation({
    source: 'agency_kev',
    evidence_type: 'kev_listed',
    confidence: 'confirmed',
    evidence_url: `https://www.cisa.gov/known-exploited-vulnerabilities-catalog?field_cve=${cveId}`,
    explanation: entry ? entry.name + ransomware : null,
    first_seen: dateAdded === null ? null : startOfDay(dateAdded),
  })
}

function addSsvc(ssvc: NonNullable<CveClaim['ssvc']>, items: EvidenceItem[]): void {
  if (ssvc.exploitation !== 'active' && ssvc.exploitation !== 'poc') return
  const active = ssvc.exploitation === 'active'
  items.push(
    exploitation({
      source: 'agency_adp',
      evidence_type: active ? 'ssvc_active' : 'poc_public',
      confidence: active ? 'confirmed' : 'high',
      explanation: `SSVC exploitation: ${ssvc.exploitation}`,
      first_seen: ssvc.assessedAt,
      last_seen: ssvc.assessedAt,
    }),
  )
}

function moduleEvidence(module: ExploitModule): EvidenceItem {
  const framework = module.source === 'exploit_framework'
  // The framework's full name begins with its type (decisions 27): auxiliary and others prove no more than a PoC.
  const weaponized = framework && module.source_id.startsWith('exploit/')
  return exploitation({
    source: module.source,
    evidence_type: weaponized ? 'weaponized_exploit' : 'poc_public',
    confidence: framework || module.verified ? 'high' : 'medium',
    evidence_url: module.source_url,
    explanation: module.name,
    first_seen: module.date_published === null ? null : startOfDay(module.date_published),
  })
}

function addExploitReferences(claims: readonly CveClaim[], items: EvidenceItem[]): void {
  for (const [url, source] of sourcesTagging(claims, 'exploit')) {
    items.push(
      exploitation({
        source: EVIDENCE_SOURCE[source],
        evidence_type: 'poc_public',
        confidence: 'medium',
        evidence_url: url,
      }),
    )
  }
}

function addRepositories(pocs: readonly PocClaim[], items: EvidenceItem[]): void {
  const repositories = pocs.flatMap((poc) => poc.repositories)
  for (const { url, name, createdAt, pushedAt } of repositories.sort((a, b) => b.stars - a.stars)) {
    items.push(
      exploitation({
        source: 'code_host_poc_search',
        evidence_type: 'poc_public',
        confidence: 'low',
        evidence_url: url,
        explanation: name,
        first_seen: createdAt,
        last_seen: later(createdAt, pushedAt),
      }),
    )
  }
}

/** A repository that came with its history was pushed to before it was created: it is seen from its creation on. */
function later(createdAt: string | null, pushedAt: string | null): string | null {
  return createdAt !== null && pushedAt !== null && createdAt > pushedAt ? createdAt : pushedAt
}

function detectionEvidence(claim: DetectionClaim): EvidenceItem {
  return evidence('detection', {
    source: claim.source,
    evidence_type: claim.evidenceType,
    confidence: claim.confidence,
    evidence_url: claim.url,
    explanation: claim.name,
    first_seen: claim.firstSeen,
    last_seen: claim.lastSeen,
  })
}

/**
 * How hosts link a commit: `/commit/…` (GitHub, GitLab), `/c/…`, `/linus/…`, `?id=…` (kernel.org), `/commitdiff/…` and
 * `;h=…` (gitweb, its `;` maybe as `%3B`), `/+/…` (Gitiles, where a further part is a file in it).
 */
const COMMIT_URL =
  /\/(?:commits?|commitdiff|c|linus)\/(?:\?id=)?([0-9a-f]{7,40})\b|(?:[?&;]|%3B)(?:id|h)=([0-9a-f]{7,40})\b|\/\+\/([0-9a-f]{40})(?![\w/])/i

function addFixes({ claims, references }: EvidenceInput, items: EvidenceItem[]): void {
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
          evidence('mitigation', {
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
      evidence('mitigation', {
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
