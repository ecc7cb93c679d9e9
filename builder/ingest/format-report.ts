/** Formats the report of an ingest. */

import { counted, duration, grouped, plural, shortened, table } from '../../corpus/command/format.ts'
import { printableLines } from '../../corpus/command/printable.ts'
import { dayOf } from '../../corpus/model/values/date.ts'
import { type FeedRemark, type FeedReport, type HistoryReport, type IngestReport, isUnchanged } from './report.ts'

interface Finding {
  count: number
  what: string
  examples?: Example[]
}

interface Example {
  name: string
  detail?: string
}

const WARNING_EXAMPLES = 3
const CHANGE_EXAMPLES = 5
const MAX_VERSION_LENGTH = 16
const MAX_NAME_LENGTH = 80
const MAX_DETAIL_LENGTH = 160

/** Returns one line if nothing changed. `verbose` lists all examples, and the files of each feed. */
export function formatIngestReport(report: IngestReport, { verbose = false } = {}): string {
  if (isUnchanged(report) && !verbose) return `Nothing changed since the last ingest: ${formatCorpus(report)}`
  const { feeds, advisories, previousCorpusDate, epssHistory, seconds } = report
  const since = previousCorpusDate === null ? '' : ` since the last ingest (corpus date ${dayOf(previousCorpusDate)})`
  const hint = verbose ? '' : ' (--verbose or --json lists all)'
  const changes = changesOf(report)
  return printableLines([
    ...feedTable(feeds),
    ...(verbose ? ['', 'Files:', ...fileLines(feeds)] : []),
    ...section(`Warnings${hint}:`, warningsOf(report), verbose ? withAll : withFirst),
    ...section(`New${since}:`, changes, verbose ? withAll : withNames),
    ...(changes.length === 0 ? ['', `No CVE changed${since}.`] : []),
    '',
    `${formatCorpus(report)}, ${grouped(report.rejected)} rejected`,
    ...(advisories.total === 0
      ? []
      : [`${counted(advisories.total, 'advisory record')}, ${grouped(advisories.withoutCve)} without a CVE`]),
    ...historyLine(epssHistory),
    `${duration(seconds.total)} (read ${duration(seconds.stage)}, merge ${duration(seconds.merge)})`,
  ])
}

function historyLine({ read, editions, first, last, points }: HistoryReport): string[] {
  if (editions === 0) return []
  const dates = editions === 1 ? `of ${first}` : `from ${first} to ${last}`
  return [`EPSS history: ${counted(editions, 'edition')} ${dates} (${grouped(read)} read), ${counted(points, 'point')}`]
}

/** Returns `12,256 CVEs, corpus date 2024-10-24`. */
export function formatCorpus({ records, corpusDate, asOf }: IngestReport): string {
  const date = corpusDate === null ? 'no corpus date' : `corpus date ${dayOf(corpusDate)}`
  return `${counted(records.total, 'CVE')}, ${date}${asOf === null ? '' : ` (feeds as of ${asOf})`}`
}

const HEAD = ['feed', 'read', 'kept', 'skipped', 'new', 'changed', 'removed', 'version', 'age (days)']
const [NAME_COLUMN, VERSION_COLUMN] = [0, 7]

function feedTable(feeds: readonly FeedReport[]): string[] {
  const rows = feeds
    .filter(isPresent)
    .map(({ name, read, kept, added, changed, removed, ageDays, ...feed }) => [
      name,
      ...[read, kept, read - kept, added, changed, removed].map(grouped),
      shortened(versionOf(feed), MAX_VERSION_LENGTH),
      ageDays === null ? '-' : grouped(ageDays),
    ])
  const namesOf = (status: FeedReport['status'], what: string) => {
    const names = feeds.filter((feed) => feed.status === status).map(({ name }) => name)
    return names.length === 0 ? [] : [`${what}: ${names.join(', ')}`]
  }
  return [
    ...table([HEAD, ...rows], [NAME_COLUMN, VERSION_COLUMN]),
    ...namesOf('unchanged', 'same files as at the last ingest'),
    ...namesOf('kept', 'not taken'),
    ...namesOf('absent', 'not present'),
  ]
}

const isPresent = ({ status }: FeedReport) => status !== 'absent' && status !== 'kept'
const versionOf = ({ version, date }: Pick<FeedReport, 'version' | 'date'>) => version ?? (date && dayOf(date)) ?? '-'

function fileLines(feeds: readonly FeedReport[]): string[] {
  return feeds.filter(isPresent).map(({ name, files }) => `  ${name}: ${files.map(({ path }) => path).join(', ')}`)
}

const REMARKS: Record<FeedRemark['code'], string> = {
  'edition-older': 'accepted although older than the corpus',
  'edition-kept': 'older than the corpus, which keeps its edition',
  'edition-ahead': 'dated in the future, which is not taken',
  'file-unusable': 'with a file that cannot be used, whose records stay',
  'file-missing': 'without a file of the last ingest, whose records stay',
  'edition-unusable': 'with a past edition that is not in its history',
  'edition-lines': 'with a past edition of which lines were skipped',
  'edition-undated': 'without a date',
  'date-differs-from-name': 'with another date in the file than in its name',
  'days-apart': 'of another day than the CVE list',
}

/** Returns `older than the corpus, which keeps its edition: <detail>`. */
export const formatRemark = ({ code, detail }: FeedRemark): string => `${REMARKS[code]}: ${detail}`

function warningsOf({ feeds, withoutRecord, scores, disagreements }: IngestReport): Finding[] {
  const remarks = feeds.flatMap(({ name, remarks }) => remarks.map((remark) => ({ name, ...remark })))
  return atLeastOne([
    ...feeds.filter(({ status }) => status === 'absent').map(keptOfAbsent),
    ...feeds.flatMap(itemWarnings),
    ...[...Map.groupBy(remarks, ({ code }) => code)].map(([code, examples]) => ({
      count: examples.length,
      what: `${plural(examples.length, 'feed')} ${REMARKS[code]}`,
      examples,
    })),
    ...withoutRecord.map(({ feed, cveIds }) => ({
      count: cveIds.length,
      what: `${feed} ${plural(cveIds.length, 'id')} without a record in the CVE list`,
      examples: cveIds.map((name) => ({ name })),
    })),
    {
      count: scores.mismatches.length,
      what: `of ${counted(scores.compared, 'CVSS score')} differ from their vector`,
      examples: scores.mismatches.map(({ cveId, by, version, stated, computed }) => ({
        name: cveId,
        detail: `${by} states ${version} ${stated}, the vector gives ${computed}`,
      })),
    },
    { count: scores.unreadable, what: `CVSS ${plural(scores.unreadable, 'vector')} without all base metrics` },
    ...disagreements.map(({ about, items }) => ({
      count: items.length,
      what: `${plural(items.length, 'contradiction')} between sources on ${about}`,
      examples: items.map(({ cveId, claims }) => ({ name: cveId, detail: formatClaims(claims) })),
    })),
  ])
}

function keptOfAbsent({ name, kept }: FeedReport): Finding {
  return { count: kept, what: `${name} ${plural(kept, 'record')} kept from an earlier ingest: the feed is not present` }
}

function itemWarnings({ name: feed, skipped, notes, held, lostFacets }: FeedReport): Finding[] {
  const finding = (what: string, { reason, items }: FeedReport['skipped'][number]) => ({
    count: items.length,
    what: `${plural(items.length, what)} (${reason})`,
    examples: items.map(({ key: name, detail }) => ({ name, detail })),
  })
  return [
    ...skipped.map((one) => finding(`skipped ${feed} record`, one)),
    { count: held, what: `of the skipped ${feed} records kept from the last ingest` },
    ...notes.map((one) => finding(`${feed} defect`, one)),
    ...lostFacets.map(({ facet, lost, had, example }) => ({
      count: lost,
      what: `of ${counted(had, `${feed} record`)} with ${facet} lost it`,
      examples: [{ name: example }],
    })),
  ]
}

function changesOf({ changes }: IngestReport): Finding[] {
  const cves = (what: string, examples: Example[]) => ({
    count: examples.length,
    what: `${plural(examples.length, 'CVE')} ${what}`,
    examples,
  })
  const named = (cveIds: readonly string[]) => cveIds.map((name) => ({ name }))
  return atLeastOne([
    cves('added', named(changes.added)),
    cves('changed', named(changes.changed)),
    cves('removed', named(changes.removed)),
    cves('rejected', named(changes.rejected)),
    cves('added to KEV', named(changes.kevAdded)),
    cves('removed from KEV', named(changes.kevRemoved)),
    cves(
      'with another severity',
      changes.severity.map(({ cveId, from, to }) => ({ name: `${cveId} ${from ?? 'unscored'} → ${to ?? 'unscored'}` })),
    ),
    {
      count: changes.disagreements.length,
      what: `${plural(changes.disagreements.length, 'contradiction')} between sources`,
      examples: changes.disagreements.map(({ cveId, about, claims }) => ({
        name: `${cveId} ${about}`,
        detail: formatClaims(claims),
      })),
    },
  ])
}

const formatClaims = (claims: IngestReport['changes']['disagreements'][number]['claims']) =>
  claims.map(({ by, states }) => `${by}: ${states}`).join(', ')

const atLeastOne = (findings: readonly Finding[]) => findings.filter(({ count }) => count > 0)

/** The first line of `linesOf` is the finding's; the others are its examples'. */
function section(title: string, findings: readonly Finding[], linesOf: (finding: Finding) => string[]): string[] {
  if (findings.length === 0) return []
  const width = Math.max(...findings.map(({ count }) => grouped(count).length))
  const lines = findings.flatMap((finding) => {
    const [line, ...examples] = linesOf(finding)
    return [
      `  ${grouped(finding.count).padStart(width)} ${line}`,
      ...examples.map((one) => ' '.repeat(width + 5) + one),
    ]
  })
  return ['', title, ...lines]
}

const withAll = ({ what, examples = [] }: Finding) => [what, ...examples.map(exampleText)]

/** Only the first example has its detail. */
const withFirst = ({ what, examples = [] }: Finding) => {
  const [first, ...others] = examples.slice(0, WARNING_EXAMPLES)
  return [inOneLine(what, first ? [exampleText(first), ...others.map(nameText)] : [], examples.length)]
}

const withNames = ({ what, examples = [] }: Finding) => [
  inOneLine(what, examples.slice(0, CHANGE_EXAMPLES).map(nameText), examples.length),
]

function inOneLine(what: string, shown: readonly string[], total: number): string {
  return total === 0 ? what : `${what}: ${shown.join(', ')}${total > shown.length ? ', …' : ''}`
}

const nameText = ({ name }: Example) => shortened(name, MAX_NAME_LENGTH)
const exampleText = ({ name, detail }: Example) =>
  `${nameText({ name })}${detail === undefined ? '' : ` (${shortened(detail, MAX_DETAIL_LENGTH)})`}`
