/**
 * Converts a GitHub advisory (OSV schema with GitHub's `database_specific`) to the record that the API links to a CVE.
 */
import type { AdvisoryClaim, CvssClaim } from '../../model/claim.ts'
import type { Advisory, AdvisoryScore } from '../../model/record.ts'
import { cutAtWord, firstSentence } from '../../model/title.ts'
import { isObject, type JsonObject, objects, text, texts } from '../../model/values/json-value.ts'
import { claimOf, type OsvEntry } from '../osv/entry.ts'
import { readDate } from '../statements.ts'
import { affectedPackages } from './packages.ts'

/** The OSV export has the website's word for `medium`; the API of GitHub and CVSS have `medium`. */
function severityOf(stated: string | null): string {
  const severity = stated?.toLowerCase() ?? 'unknown'
  return severity === 'moderate' ? 'medium' : severity
}

const SUMMARY_LIMIT = 120

/**
 * Returns the claim of an advisory and adds oddities to `entry.notes`. Withdrawn advisories are read too; the merge
 * ignores them.
 */
export function readAdvisory(entry: OsvEntry): AdvisoryClaim {
  const { json, id, published, updatedAt, withdrawn, notes } = entry
  const { claim, packages, references } = claimOf(entry, 'advisory')
  const specific = isObject(json.database_specific) ? json.database_specific : {}
  const advisory: Omit<Advisory, 'cve_id' | 'cwe_names'> = {
    advisory_id: id,
    html_url: `https://github.com/advisories/${id}`,
    // Unreviewed advisories may have only details.
    summary: claim.title ?? cutAtWord(firstSentence(claim.description ?? id), SUMMARY_LIMIT),
    description: claim.description ?? '',
    severity: severityOf(text(specific.severity)),
    cvss_v3: scoreOf(json, claim.metrics, 'CVSS_V3'),
    cvss_v4: scoreOf(json, claim.metrics, 'CVSS_V4'),
    cwe_ids: texts(specific.cwe_ids),
    source_repo_url: references.find(({ types }) => types.includes('PACKAGE'))?.url ?? null,
    published_at: published ?? updatedAt,
    updated_at: updatedAt,
    reviewed_at: readDate(specific.github_reviewed_at, 'github_reviewed_at', notes),
    withdrawn_at: withdrawn,
    references: references.map(({ url }) => url),
    affected_packages: packages.flatMap(affectedPackages),
    credits: objects(json.credits).flatMap(readCredit),
  }
  return { claim, advisory, reviewed: specific.github_reviewed === true }
}

/** Returns the first severity of a type. An unreadable vector is kept, without a score. */
function scoreOf(json: JsonObject, metrics: readonly CvssClaim[], type: 'CVSS_V3' | 'CVSS_V4'): AdvisoryScore {
  const stated = objects(json.severity).find((one) => text(one.type) === type)
  const vector = text(stated?.score)
  return { vector, score: metrics.find((metric) => metric.vector === vector)?.baseScore ?? null }
}

const GITHUB_ACCOUNT = /^https?:\/\/(?:www\.)?github\.com\/([A-Za-z0-9-]+)\/?$/

/** Omits credits without a web page, which cannot be linked. */
function readCredit({ type, name, contact }: JsonObject): Advisory['credits'] {
  const contacts = texts(contact).filter((one) => /^https?:\/\//.test(one))
  const account = contacts.find((one) => GITHUB_ACCOUNT.test(one))
  const html_url = account ?? contacts[0]
  const login = (account && GITHUB_ACCOUNT.exec(account)![1]) ?? text(name)
  return html_url && login ? [{ type: text(type)?.toLowerCase() ?? 'other', login, html_url }] : []
}
