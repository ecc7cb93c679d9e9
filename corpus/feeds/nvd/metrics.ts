/** Reads the CVSS metrics of an NVD record: NVD's own, and those of other sources. */
import type { CvssClaim, RecordNote } from '../../model/claim.ts'
import { isObject, objects, text } from '../../model/values/json-value.ts'
import { readCvss } from '../statements.ts'

/** Other keys (`ssvcV203`) are no CVSS and are ignored. */
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
      // In 2.0 the severity is next to the data, not in it.
      const cvss = readCvss(isObject(cvssData) ? { baseSeverity, ...cvssData } : cvssData, version, notes)
      if (cvss) claims.push({ ...cvss, scoredBy: scoredBy(text(source)) })
    }
  }
  return claims
}

/** Only NVD's own metrics can decide the headline score, whether Primary or not (rule 29). */
const NVD = 'nvd@nist.gov'

/** Frequent sources that NVD names by the UUID of their organization. */
const ORGANISATIONS: Record<string, string> = {
  '134c704f-9b21-4f2e-91b3-4a467353bcc0': 'CISA-ADP',
  '416baaa9-dc9f-4396-8d5f-8c081fb06d67': 'Linux',
  'af854a3a-2127-422b-91ae-364da2661108': 'CVE',
}

/** Second-level labels below a country domain: `jpcert.or.jp`, `example.co.uk`. */
const SECOND_LEVEL = /^(?:ac|co|com|edu|go|gov|ne|net|or|org)$/

/**
 * Returns a short name of the scorer; null for NVD itself. An e-mail address gives the name of its domain
 * (`psirt@us.ibm.com` is `ibm`). Other sources are returned unchanged.
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
