/** The CVSS metrics of an NVD record: its own, and those of others that it carries. */
import type { CvssClaim, RecordNote } from '../../model/claim.ts'
import { isObject, objects, text } from '../json.ts'
import { readCvss } from '../statements.ts'

/** Other keys (`ssvcV203`) are no CVSS and are passed over. */
const CVSS_KEYS = [
  ['cvssMetricV40', '4.0'],
  ['cvssMetricV31', '3.1'],
  ['cvssMetricV30', '3.0'],
  ['cvssMetricV2', '2.0'],
] as const

export function readNvdMetrics(metrics: unknown, notes: RecordNote[]): CvssClaim[] {
  const claims: CvssClaim[] = []
  for (const [key, version] of CVSS_KEYS) {
    for (const { source, cvssData, baseSeverity } of objects(isObject(metrics) ? metrics[key] : null)) {
      // Of 2.0 the severity stands beside the data, not in it.
      const cvss = readCvss(isObject(cvssData) ? { baseSeverity, ...cvssData } : cvssData, version, notes)
      if (cvss) claims.push({ ...cvss, scoredBy: scoredBy(text(source)) })
    }
  }
  return claims
}

/** Only its own metrics can back the headline; whether they are Primary or not says nothing of that (rule 29). */
const NVD = 'nvd@nist.gov'

/** Sources that NVD knows by the UUID of their organisation, and that score or are scored often. */
const ORGANISATIONS: Record<string, string> = {
  '134c704f-9b21-4f2e-91b3-4a467353bcc0': 'CISA-ADP',
  '416baaa9-dc9f-4396-8d5f-8c081fb06d67': 'Linux',
  'af854a3a-2127-422b-91ae-364da2661108': 'CVE',
}

/** What stands below a country in place of a name: `jpcert.or.jp`, `example.co.uk`. */
const SECOND_LEVEL = /^(?:ac|co|com|edu|go|gov|ne|net|or|org)$/

/**
 * A short name of who scored, null for NVD itself. NVD names others by address; the name is that of its domain
 * (`psirt@us.ibm.com` is `ibm`), as far as it has one, else the source as stated.
 */
export function scoredBy(source: string | null): string | null {
  if (source === null) return 'unknown'
  if (source === NVD) return null
  const known = ORGANISATIONS[source.toLowerCase()]
  if (known) return known
  const labels = /@([\w-]+(?:\.[\w-]+)+)$/.exec(source)?.[1]?.toLowerCase().split('.').slice(0, -1)
  if (!labels) return source
  if (labels.length > 1 && SECOND_LEVEL.test(labels.at(-1)!)) labels.pop()
  return labels.at(-1)!
}
