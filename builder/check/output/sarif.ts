/**
 * The report of `vulnshelf check` as SARIF 2.1.0: a rule for each advisory, a result for each finding and each undecided
 * package, a notification for each package that was not checked.
 */
import { relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Location, Log, Notification, PhysicalLocation, ReportingDescriptor, Result, Suppression } from 'sarif'
import { VERSION } from '../../../corpus/command/version.ts'
import { isSettled } from '../../../corpus/inventory/decisions/apply.ts'
import type { Decision } from '../../../corpus/inventory/decisions/decide.ts'
import {
  type Finding,
  type NotChecked,
  type UndecidedPackage,
  worstSeverity,
} from '../../../corpus/inventory/findings.ts'
import { packageName } from '../../../corpus/inventory/inventory.ts'
import { newsText } from '../../../corpus/inventory/news.ts'
import { UNDECIDED_REASONS } from '../../../corpus/inventory/reasons.ts'
import type { AffectedRow } from '../../../corpus/model/packages/affected-row.ts'
import type { CheckReport, ReportedFinding } from '../check.ts'
import { STDIN, type UnreadableFile } from '../read.ts'
import { decisionText } from './decision-lines.ts'
import { safeVersionText } from './words.ts'

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'

export function sarifOf({ findings, undecided, notChecked, unreadable, decisions }: CheckReport): Log {
  // SARIF 3.27.23: all results have suppressions, or none.
  const hasDecisions = decisions.files.length > 0
  const rules = new Map<string, { index: number; rule: ReportingDescriptor }>()
  const results = findings.map((finding): Result => {
    const { advisory } = finding
    const known = rules.get(advisory.advisory_id) ?? { index: rules.size, rule: ruleOf(advisory) }
    rules.set(advisory.advisory_id, known)
    const suppressions = hasDecisions && { suppressions: suppressionsOf([finding.decision]) }
    return { ...resultOf(finding), ...suppressions, ruleId: known.rule.id, ruleIndex: known.index }
  })
  if (undecided.length > 0) {
    const of = { ruleId: UNDECIDED.id, ruleIndex: rules.size }
    rules.set(UNDECIDED.id, { index: of.ruleIndex, rule: UNDECIDED })
    for (const one of undecided) {
      const suppressions = hasDecisions && { suppressions: isSettled(one) ? suppressionsOf(one.decisions) : [] }
      results.push({ ...undecidedResult(one), ...suppressions, ...of })
    }
  }
  const invocation = {
    executionSuccessful: unreadable.length === 0,
    toolExecutionNotifications: [...unreadable.map(unreadableNotification), ...notChecked.map(notificationOf)],
  }
  const driver = { name: 'vulnshelf', version: VERSION, rules: Array.from(rules.values(), ({ rule }) => rule) }
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [{ tool: { driver }, invocations: [invocation], columnKind: 'utf16CodeUnits', results }],
  }
}

const UNDECIDED: ReportingDescriptor = {
  id: 'undecided-package',
  shortDescription: { text: 'Advisories name the package, but its version cannot be judged' },
  helpUri: 'https://ossf.github.io/osv-schema/#evaluation',
  properties: { tags: ['security'] },
}

/** SARIF 3.35. Empty: not suppressed. */
function suppressionsOf(decisions: readonly (Decision | null)[]): Suppression[] {
  return decisions.flatMap((decision) => {
    if (!decision?.suppresses) return []
    return [{ kind: 'external', status: 'accepted', justification: decisionText(decision) }]
  })
}

function undecidedResult(one: UndecidedPackage): Omit<Result, 'ruleId'> {
  const { ecosystem, name, version, groups, reasons, advisories } = one
  const full = `${packageName(one)}@${version}`
  const ids = advisories.map(({ advisory_id }) => advisory_id)
  const why = reasons.map((reason) => UNDECIDED_REASONS[reason]).join('; ')
  return {
    // SARIF 3.27.9, 3.27.10: not enough information, so no level.
    ...{ kind: 'open', level: 'none' },
    message: message`${packageName(one)} ${version} may be affected by ${ids.join(', ')}: ${why}.`,
    locations: [locationOf(full, one)],
    partialFingerprints: { 'packageAdvisory/v1': `${full} ${UNDECIDED.id}` },
    properties: { ecosystem, package: name, version, groups, reasons, advisories: ids },
  }
}

const unreadableNotification = ({ file, message: text }: UnreadableFile): Notification => ({
  level: 'error',
  message: message`${text}`,
  ...(file === STDIN ? {} : { locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(file) } } }] }),
})

const notificationOf = ({ name, version, reason, ...position }: NotChecked): Notification => ({
  level: 'note',
  message: message`${version === null ? name : `${name} ${version}`} was not checked: ${reason}.`,
  locations: [locationOf(name, position)],
})

function ruleOf({ advisory_id, aliases, cve_ids, summary, cvss_score }: AffectedRow): ReportingDescriptor {
  return {
    id: advisory_id,
    shortDescription: message`${summary ?? advisory_id}`,
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

function resultOf(finding: ReportedFinding): Result {
  const { ecosystem, name, version, groups, safeVersion, advisory, decision, news } = finding
  const full = `${packageName(finding)}@${version}`
  const { advisory_id, severity, stated_severity, urgency, kev, epss, fixed_versions } = advisory
  return {
    ...{ kind: 'fail', level: levelOf(worstSeverity(advisory)) },
    message: messageOf(finding),
    locations: [locationOf(full, finding)],
    partialFingerprints: { 'packageAdvisory/v1': `${full} ${advisory_id}` },
    properties: {
      ecosystem,
      package: name,
      version,
      groups,
      safe_version: safeVersion,
      severity,
      stated_severity,
      urgency,
      kev,
      epss,
      fixed_versions,
      ...(decision && { decision: { status: decision.status, reason: decision.reason } }),
      ...(news && { news: news.map(newsText) }),
    },
  }
}

/** Returns a plain text message. In its values, nothing is a placeholder or a link (SARIF 2.1.0, 3.11.5 and 3.11.6). */
const message = (parts: TemplateStringsArray, ...values: string[]): { text: string } => ({
  text: String.raw(
    { raw: parts },
    ...values.map((value) => value.replace(/[\\[\]]/g, '\\$&').replace(/[{}]/g, '$&$&')),
  ),
})

function levelOf(severity: AffectedRow['severity']): 'error' | 'warning' | 'note' {
  // Nobody has rated it, so it can be severe.
  if (severity === null || severity === 'critical' || severity === 'high') return 'error'
  return severity === 'medium' ? 'warning' : 'note'
}

function messageOf(finding: Finding): { text: string } {
  const { advisory_id, severity, kev, fixed_versions } = finding.advisory
  const facts = [
    severity === null ? 'no severity' : `severity ${severity}`,
    ...(kev ? ['known to be exploited'] : []),
    fixed_versions[0] === undefined ? 'no fixed version' : `fixed in ${fixed_versions[0]}`,
    safeVersionText(finding),
  ]
  return message`${packageName(finding)} ${finding.version} is affected by ${advisory_id}: ${facts.join(', ')}.`
}

function locationOf(fullyQualifiedName: string, { file, line }: { file: string; line: number | null }): Location {
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
