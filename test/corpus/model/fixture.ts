/** Claims and records with defaults for all fields that a test does not set. */
import type { AdvisoryClaim, CveClaim, CveListRecord, CvssClaim, KevEntry } from '../../../corpus/model/claim.ts'
import { type MergeInput, mergeCve, NO_OTHER_CLAIMS } from '../../../corpus/model/merge.ts'
import type { AffectedEntry, ExploitModule } from '../../../corpus/model/record.ts'

export const UPDATED = '2024-05-06T07:08:09.000Z'

export function claim(given: Partial<CveClaim> & Pick<CveClaim, 'source'>): CveClaim {
  return {
    sourceName: given.source === 'adp' ? 'CISA-ADP' : given.source === 'cna' ? 'acme' : given.source,
    updatedAt: '2024-05-01T00:00:00.000Z',
    title: null,
    description: null,
    metrics: [],
    weaknesses: [],
    affected: [],
    references: [],
    ssvc: null,
    kevDateAdded: null,
    ...given,
  }
}

export function record(claims: CveClaim[], given: Partial<CveListRecord> = {}): CveListRecord {
  return {
    cveId: 'CVE-2024-1234',
    state: 'PUBLISHED',
    datePublished: '2024-04-01T00:00:00.000Z',
    dateUpdated: UPDATED,
    dateRejected: null,
    assigner: 'acme',
    claims,
    notes: [],
    ...given,
  }
}

export function merged(claims: CveClaim[], given: Partial<MergeInput> = {}) {
  return mergeCve(inputOf(claims, given))
}

/** Returns the input of a merge. Claims of CNA and ADP belong to the record; the others come from other feeds. */
export function inputOf(claims: CveClaim[], given: Partial<MergeInput> = {}): MergeInput {
  const own = claims.filter(({ source }) => source === 'cna' || source === 'adp')
  const others = claims.filter((one) => !own.includes(one))
  return {
    record: record(own),
    kev: null,
    kevFeed: true,
    ...NO_OTHER_CLAIMS,
    claims: others,
    catalog: null,
    mission: 'medium',
    ...given,
  }
}

/** Returns a reviewed, effective advisory that claims only the given fields. */
export function advisory(
  given: Partial<AdvisoryClaim['advisory']> & { advisory_id: string },
  { reviewed = true, ...stated }: { reviewed?: boolean } & Partial<CveClaim> = {},
): AdvisoryClaim {
  const published = '2024-04-20T00:00:00.000Z'
  const whole = {
    html_url: `https://advisories.example/${given.advisory_id}`,
    summary: 'A flaw',
    description: 'A flaw in a part.',
    severity: 'high',
    cvss_v3: { vector: null, score: null },
    cvss_v4: { vector: null, score: null },
    cwe_ids: [],
    source_repo_url: null,
    published_at: published,
    updated_at: published,
    reviewed_at: reviewed ? published : null,
    withdrawn_at: null,
    references: [],
    affected_packages: [],
    credits: [],
    ...given,
  }
  const { advisory_id: sourceName, updated_at: updatedAt } = whole
  return { claim: claim({ source: 'advisory', sourceName, updatedAt, ...stated }), advisory: whole, reviewed }
}

export function cvss(version: CvssClaim['version'], baseScore: number, given: Partial<CvssClaim> = {}): CvssClaim {
  return {
    version,
    baseScore,
    baseSeverity: 'HIGH',
    vector: `CVSS:${version}/${baseScore}`,
    statedAt: null,
    scoredBy: null,
    ...given,
  }
}

export function affected(given: Partial<AffectedEntry> = {}): AffectedEntry {
  return {
    source: 'cna',
    vendor: null,
    product: null,
    package_name: null,
    ecosystem: null,
    platforms: null,
    default_status: null,
    affected_versions: null,
    affected_ranges: null,
    patched_versions: null,
    cpes: null,
    repo_url: null,
    collection_url: null,
    package_url: null,
    vulnerable_functions: null,
    advisory_severity: null,
    advisory_urgency: null,
    advisory_description: null,
    updated_at: UPDATED,
    ...given,
  }
}

export function kevEntry(given: Partial<KevEntry> = {}): KevEntry {
  return {
    cveId: 'CVE-2024-1234',
    catalog: 'cisa',
    dateAdded: '2024-04-09',
    dueDate: '2024-04-30',
    requiredAction: 'Apply updates.',
    vendor: 'Acme',
    product: 'Widget',
    name: 'Acme Widget flaw',
    description: 'Acme Widget has a flaw.',
    ransomware: 'unknown',
    notes: null,
    ...given,
  }
}

export function exploit(given: Pick<ExploitModule, 'source' | 'source_id'> & Partial<ExploitModule>): ExploitModule {
  return {
    name: null,
    description: null,
    authors: null,
    platform: null,
    date_published: null,
    source_url: null,
    module_type: null,
    module_class: null,
    verified: null,
    exploit_rank: null,
    ...given,
  }
}
