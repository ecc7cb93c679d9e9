/** The report of `vulnshelf check` as SARIF 2.1.0: a rule for each advisory, a result for each finding. */
import { relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Location, Log, PhysicalLocation, ReportingDescriptor, Result } from 'sarif'
import { VERSION } from '../../corpus/command/version.ts'
import { type Finding, isUndecided } from '../../corpus/inventory/findings.ts'
import { packageName } from '../../corpus/inventory/inventory.ts'
import type { AffectedRow } from '../../corpus/model/packages/match.ts'
import type { CheckReport } from './check.ts'
import { STDIN } from './read.ts'

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'

export function sarifOf({ file, findings }: CheckReport): Log {
  const rules = new Map<string, { index: number; rule: ReportingDescriptor }>()
  const results = findings.map((finding): Result => {
    const { advisory } = finding
    const known = rules.get(advisory.advisory_id) ?? { index: rules.size, rule: ruleOf(advisory) }
    rules.set(advisory.advisory_id, known)
    return { ...resultOf(finding, file), ruleId: known.rule.id, ruleIndex: known.index }
  })
  const driver = { name: 'vulnshelf', version: VERSION, rules: Array.from(rules.values(), ({ rule }) => rule) }
  return { $schema: SCHEMA, version: '2.1.0', runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }] }
}

function ruleOf({ advisory_id, aliases, cve_ids, summary, cvss_score }: AffectedRow): ReportingDescriptor {
  return {
    id: advisory_id,
    shortDescription: { text: summary ?? advisory_id },
    helpUri: `https://osv.dev/vulnerability/${encodeURIComponent(advisory_id)}`,
    properties: {
      tags: ['security'],
      aliases,
      cve_ids,
      // As code scanning of GitHub expects it.
      ...(cvss_score === null ? {} : { 'security-severity': cvss_score.toFixed(1) }),
    },
  }
}

function resultOf(finding: Finding, file: string): Result {
  const { ecosystem, name, version, line, dev, advisory } = finding
  const full = `${packageName(finding)}@${version}`
  const { advisory_id, severity, kev, epss, fixed_versions } = advisory
  return {
    // SARIF 3.27.10: the level of a result that is no failure is none.
    ...(isUndecided(finding) ? { kind: 'review', level: 'none' } : { kind: 'fail', level: levelOf(severity) }),
    message: { text: messageOf(finding) },
    locations: [locationOf(full, file, line)],
    partialFingerprints: { 'packageAdvisory/v1': `${full} ${advisory_id}` },
    properties: { ecosystem, package: name, version, dev, severity, kev, epss, fixed_versions },
  }
}

function levelOf(severity: AffectedRow['severity']): 'error' | 'warning' | 'note' {
  if (severity === 'critical' || severity === 'high') return 'error'
  return severity === 'medium' ? 'warning' : 'note'
}

function messageOf(finding: Finding): string {
  const { advisory_id, severity, kev, fixed_versions } = finding.advisory
  const verb = isUndecided(finding) ? 'may be affected' : 'is affected'
  const facts = [
    severity === null ? 'no severity' : `severity ${severity}`,
    ...(kev ? ['known to be exploited'] : []),
    fixed_versions[0] === undefined ? 'no fixed version' : `fixed in ${fixed_versions[0]}`,
  ]
  return `${packageName(finding)} ${finding.version} ${verb} by ${advisory_id}: ${facts.join(', ')}.`
}

function locationOf(fullyQualifiedName: string, file: string, line: number | null): Location {
  const location: Location = { logicalLocations: [{ fullyQualifiedName, kind: 'package' }] }
  if (file === STDIN) return location
  const physicalLocation: PhysicalLocation = { artifactLocation: { uri: uriOf(file) } }
  if (line !== null) physicalLocation.region = { startLine: line }
  return { physicalLocation, ...location }
}

/** Relative to the working folder if the file is below it: code scanning takes it as relative to the repository. */
function uriOf(file: string): string {
  const path = relative('', resolve(file))
  if (path.startsWith('..') || resolve(path) !== resolve(file)) return pathToFileURL(file).href
  return path.split(sep).map(encodeURIComponent).join('/')
}
