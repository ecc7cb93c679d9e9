/**
 * Checks records against the OSV schema 1.7: keys, types, required keys, and the forms of ids, times and ecosystems. As
 * protobuf's JSON reader, it rejects an unknown key at every depth, except in `…_specific`.
 */

/** The prefixes of the databases that the schema names ("id, modified fields"). */
const PREFIXES = `
  A ALBA ALEA ALPINE ALSA ASB-A AZL BELL BIT CGA CLEANSTART CURL CVE DEBIAN DHI DLA DRUPAL DSA DTSA ECHO EEF ELA FreeBSD
  GHSA GO GSD HSEC JLSEC KUBE LBSEC LSN MAL MGASA MINI OESA OSEC OSV openSUSE-SU PHSA PSF PUB-A PYSEC RHBA RHEA RHSA
  RLSA ROOT RSEC RUSTSEC RXSA SUSE-FU SUSE-OU SUSE-RU SUSE-SU UBUNTU USN V8 VSV`
const ID = new RegExp(`^(?:${PREFIXES.trim().split(/\s+/).join('|')})-\\S+$`)

const ECOSYSTEMS = [
  ...['AlmaLinux', 'Alpaquita', 'Alpine', 'Android', 'Azure Linux', 'BellSoft Hardened Containers', 'Bioconductor'],
  ...['Bitnami', 'Chainguard', 'CleanStart', 'ConanCenter', 'CRAN', 'crates.io', 'Debian', 'Docker Hardened Images'],
  ...['Echo', 'FreeBSD', 'GHC', 'GitHub Actions', 'Go', 'Hackage', 'Hex', 'Julia', 'Kubernetes', 'Linux', 'Mageia'],
  ...['Maven', 'MinimOS', 'npm', 'NuGet', 'opam', 'openEuler', 'openSUSE', 'OSS-Fuzz', 'Packagist', 'Photon OS', 'Pub'],
  ...['PyPI', 'Red Hat', 'Rocky Linux', 'Root', 'RubyGems', 'SUSE', 'SwiftURL', 'Ubuntu', 'VSCode', 'Wolfi'],
]
const ECOSYSTEM = new RegExp(`^(?:${ECOSYSTEMS.join('|').replaceAll('.', '\\.')})(?::.+)?$`)

/** RFC 3339 in UTC. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/

/** Adds the faults of the value at a path. */
type Check = (value: unknown, path: string, faults: string[]) => void

const text =
  (form = /^/, what = 'a string'): Check =>
  (value, path, faults) => {
    if (typeof value !== 'string' || !form.test(value)) faults.push(`${path} is not ${what}`)
  }

const oneOf = (...values: string[]): Check => text(new RegExp(`^(?:${values.join('|')})$`), `one of ${values}`)

const listOf =
  (check: Check): Check =>
  (value, path, faults) => {
    if (!Array.isArray(value)) faults.push(`${path} is not a list`)
    else value.forEach((item, i) => void check(item, `${path}[${i}]`, faults))
  }

const anyObject: Check = (value, path, faults) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) faults.push(`${path} is not an object`)
}

/** Keys that end with `!` are required. */
const objectOf = (checks: Record<string, Check>, more: Check = () => {}): Check => {
  const byKey = new Map(Object.entries(checks).map(([key, check]) => [key.replace('!', ''), check]))
  const required = Object.keys(checks).flatMap((key) => (key.endsWith('!') ? [key.slice(0, -1)] : []))
  return (value, path, faults) => {
    const before = faults.length
    anyObject(value, path, faults)
    if (faults.length > before) return
    for (const [key, inner] of Object.entries(value as object)) {
      const check = byKey.get(key)
      if (check) check(inner, `${path}.${key}`, faults)
      else faults.push(`${path} has the unknown key ${key}`)
    }
    faults.push(...required.flatMap((key) => (Object.hasOwn(value as object, key) ? [] : [`${path} lacks ${key}`])))
    if (faults.length === before) more(value, path, faults)
  }
}

const severity = listOf(objectOf({ 'type!': oneOf('CVSS_V2', 'CVSS_V3', 'CVSS_V4', 'Ubuntu'), 'score!': text() }))

type Events = { introduced?: string; fixed?: string; last_affected?: string; limit?: string }[]

const event = objectOf(
  { introduced: text(), fixed: text(), last_affected: text(), limit: text() },
  (value, path, faults) => {
    if (Object.keys(value as object).length !== 1) faults.push(`${path} is not one event`)
  },
)

const range = objectOf(
  {
    'type!': oneOf('GIT', 'SEMVER', 'ECOSYSTEM'),
    repo: text(),
    'events!': listOf(event),
    database_specific: anyObject,
  },
  (value, path, faults) => {
    const { type, repo, events } = value as { type: string; repo?: string; events: Events }
    if (type === 'GIT' && repo === undefined) faults.push(`${path} lacks repo`)
    if (!events.some(({ introduced }) => introduced !== undefined)) faults.push(`${path} introduces nothing`)
    const has = (kind: 'fixed' | 'last_affected') => events.some((one) => one[kind] !== undefined)
    if (has('fixed') && has('last_affected')) faults.push(`${path} has both fixed and last_affected`)
  },
)

const record = objectOf({
  schema_version: text(/^\d+\.\d+\.\d+$/, 'a version'),
  'id!': text(ID, 'an id of a known database'),
  'modified!': text(TIME, 'a time'),
  published: text(TIME, 'a time'),
  withdrawn: text(TIME, 'a time'),
  aliases: listOf(text()),
  upstream: listOf(text()),
  related: listOf(text()),
  summary: text(),
  details: text(),
  severity,
  affected: listOf(
    objectOf({
      package: objectOf({
        'ecosystem!': text(ECOSYSTEM, 'an ecosystem'),
        'name!': text(),
        purl: text(/^pkg:[a-z]/, 'a purl'),
      }),
      severity,
      ranges: listOf(range),
      versions: listOf(text()),
      ecosystem_specific: anyObject,
      database_specific: anyObject,
    }),
  ),
  references: listOf(
    objectOf({
      'type!': oneOf(
        ...['ADVISORY', 'ARTICLE', 'DETECTION', 'DISCUSSION', 'EVIDENCE', 'FIX', 'GIT', 'INTRODUCED', 'PACKAGE'],
        ...['REPORT', 'WEB'],
      ),
      'url!': text(),
    }),
  ),
  credits: listOf(
    objectOf({
      'name!': text(),
      contact: listOf(text()),
      type: oneOf(
        ...['ANALYST', 'COORDINATOR', 'FINDER', 'OTHER', 'REMEDIATION_DEVELOPER', 'REMEDIATION_REVIEWER'],
        ...['REMEDIATION_VERIFIER', 'REPORTER', 'SPONSOR', 'TOOL'],
      ),
    }),
  ),
  database_specific: anyObject,
})

/** Returns what differs from the schema, such as `.affected[0] has the unknown key note`. */
export function schemaFaults(value: unknown): string[] {
  const faults: string[] = []
  record(value, '', faults)
  return faults
}
