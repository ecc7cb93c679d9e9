/** Formats reports for terminals and logs. */

import { counted, duration, grouped, megabytes, shortened, table } from '../corpus/command/format.ts'
import { printableLines } from '../corpus/command/printable.ts'
import type { Considered, Explanation } from '../corpus/model/explain/explanation.ts'
import type { PruneReport } from '../corpus/repository/prune.ts'
import { signatureLines } from '../corpus/repository/signature-lines.ts'
import type { SampleReport } from '../corpus/sample/generate.ts'
import type { VerifyReport } from '../corpus/snapshot/derived.ts'
import type { DeriveReport } from './derive.ts'
import type { ExplainReport } from './explain.ts'
import type { KeyReport } from './keys.ts'
import type { PublishReport } from './publish/publish.ts'
import type { RecordsReport } from './publish/records.ts'
import type { SiteReport } from './site/site.ts'
import type { Activation } from './snapshot/activate.ts'
import type { BuildReport } from './snapshot/build.ts'
import type { LeftOut } from './snapshot/shard-task.ts'
import type { RetainedSnapshot, SnapshotsReport } from './snapshots.ts'

export function formatSampleReport({ cves, advisories, nights, files }: SampleReport): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const size = `${grouped(cves)} CVEs, ${grouped(advisories)} package advisories, nights ${nights.join(', ')}`
  return `${size}: ${grouped(files.length)} files (${megabytes(bytes)})`
}

export function formatBuildReport({
  snapshot,
  version,
  changed,
  counts,
  members,
  shards,
  objects,
  seconds,
  leftOut,
  signedBy,
  expiresAt,
}: BuildReport): string {
  return printableLines([
    changed
      ? `snapshot ${snapshot} activated as version ${version}`
      : `snapshot ${snapshot} is already current (version ${version})`,
    ...(signedBy.length > 0 ? [`  ${formatSigners(signedBy, expiresAt)}`] : []),
    `  ${counted(counts.cves!, 'CVE')} in ${counted(shards.total, 'shard')}, ${grouped(shards.unchanged)} unchanged`,
    `  ${counted(members.encoded, 'member')} compressed (${megabytes(members.encodedBytes)}), ${grouped(members.total - members.encoded)} reused`,
    `  ${counted(objects.written, 'file')} written (${megabytes(objects.writtenBytes)}), ${grouped(objects.reused)} reused`,
    ...leftOut.slice(0, LEFT_OUT_SHOWN).map((one) => `  omitted: ${formatLeftOut(one)}`),
    ...(leftOut.length > LEFT_OUT_SHOWN ? [`  ${counted(leftOut.length, 'part')} omitted (--json lists all)`] : []),
    `  ${duration(seconds.total)}`,
  ])
}

const LEFT_OUT_SHOWN = 20

function formatLeftOut({ name, part, bytes, limit }: LeftOut): string {
  const what = part === 'core' ? 'long texts of core' : part
  return `${what} of ${name}: ${bytes === null ? 'too many bytes' : `${grouped(bytes)} bytes`}; the limit is ${grouped(limit)}`
}

const formatSigners = (signedBy: readonly string[], expiresAt: string | null) =>
  `signed by ${signedBy.join(' and ')}, ${expiresAt === null ? 'never expires' : `expires ${expiresAt}`}`

export const formatSignReport = ({ snapshot, version, signedBy, expiresAt }: Activation): string =>
  `pointer to snapshot ${snapshot} activated as version ${version}\n  ${formatSigners(signedBy, expiresAt)}`

export const formatKeyReport = ({ kid, alg, file, keys, trusted }: KeyReport): string =>
  printableLines([
    `${alg} key ${kid}`,
    `  ${file}: the private key; keep it secret, and use it with build --sign-key`,
    `  ${keys}: ${counted(trusted, 'public key')}; distribute it to mirrors, and use it with verify --keys`,
  ])

export function formatVerifyReport(report: VerifyReport, dist: string): string {
  const {
    snapshot,
    version,
    files,
    bytes,
    members,
    segments,
    cves,
    signatures,
    expiresAt,
    leftOut,
    derivable,
    faults,
  } = report
  const found = faults.length === 0 ? 'is intact' : `has ${counted(faults.length, 'fault')}`
  return printableLines([
    `snapshot ${snapshot}${version === null ? '' : ` (version ${version})`} ${found}`,
    `  ${grouped(files)} files, ${megabytes(bytes)}, ${grouped(members)} members, ${grouped(segments)} segments, ${grouped(cves)} CVEs`,
    ...(leftOut > 0
      ? [
          `  ${counted(leftOut, 'file')} of other years left out on purpose; each of the others was verified alone, not against the others`,
        ]
      : []),
    ...(derivable > 0
      ? [
          `  ${counted(derivable, 'derived file')} not here; \`vulnshelf derive ${dist} ${snapshot.slice(0, ID_SHOWN)}\` makes ${derivable === 1 ? 'it' : 'them'} again`,
        ]
      : []),
    ...signatureLines(signatures, expiresAt).map((line) => `  ${line}`),
  ])
}

export const formatDeriveReport = ({ snapshot, derived: { files, bytes }, seconds }: DeriveReport): string =>
  printableLines([
    `snapshot ${snapshot} has all files; ${grouped(files)} derived (${megabytes(bytes)})`,
    `  ${duration(seconds)}`,
  ])

export function formatSnapshots({ current, earlier, damaged }: SnapshotsReport): string {
  const { version, signatures, expiresAt } = current
  const signed = signatureLines(signatures, expiresAt, { check: 'verify --keys' }).join('; ')
  const hasFiles = ({ complete, derivable }: RetainedSnapshot) => complete || derivable
  const removed = earlier.filter((snapshot) => !hasFiles(snapshot)).length
  return printableLines([
    `* ${snapshotLine(current)}, version ${version}, ${signed}`,
    ...(current.years ? [`  only the records of the years ${current.years} are here`] : []),
    ...earlier
      .filter(hasFiles)
      .map((snapshot) => `  ${snapshotLine(snapshot)}${snapshot.ancestor ? '' : ', not an ancestor'}`),
    ...(removed > 0 ? [`  and ${counted(removed, 'snapshot')} without files here (--json has all)`] : []),
    ...damaged.map((digest) => `! unreadable manifest ${digest.slice(0, ID_SHOWN)}`),
  ])
}

/** `/changes?since=` accepts this many digits of an id. */
const ID_SHOWN = 12

function snapshotLine({ id, createdAt, cves, bytes, complete, derivable }: RetainedSnapshot): string {
  const size = complete ? megabytes(bytes) : derivable ? `${megabytes(bytes)} without derived files` : 'incomplete'
  return `${id.slice(0, ID_SHOWN)}  ${createdAt}  ${counted(cves, 'CVE')}, ${size}`
}

export function formatPruneReport({ dryRun, kept, snapshots, manifestsWithoutFiles, removed }: PruneReport): string {
  const files = counted(removed.manifests + removed.objects, 'file')
  const summary = `${counted(kept.length, 'snapshot')}; ${dryRun ? 'would remove' : 'removed'} ${counted(removed.snapshots, 'snapshot')} and ${files} (${megabytes(removed.bytes)})`
  if (!dryRun) return `kept ${summary}`
  const rows = snapshots.map(({ id, createdAt, kept, reasons, derived }) => [
    kept ? 'keep' : 'remove',
    id.slice(0, ID_SHOWN),
    createdAt,
    `${reasons.join(', ')}${kept && !derived ? '; without derived files' : ''}`,
  ])
  return printableLines([
    ...table(rows, [0, 1, 2, 3]).map((line) => line.trimEnd()),
    ...(manifestsWithoutFiles > 0
      ? [
          `${counted(manifestsWithoutFiles, 'manifest')} without files would stay, because older snapshots need ${manifestsWithoutFiles === 1 ? 'it' : 'them'}`,
        ]
      : []),
    `would keep ${summary}`,
  ])
}

export function formatPublishReport({
  target,
  snapshot,
  version,
  changed,
  uploaded,
  reused,
  records,
  digest,
  seconds,
}: PublishReport): string {
  return printableLines([
    `snapshot ${snapshot} (version ${version}) is ${changed ? 'published to' : 'already at'} ${target}`,
    `  ${grouped(uploaded.files)} files uploaded (${megabytes(uploaded.bytes)}), ${grouped(reused.files)} reused (${megabytes(reused.bytes)})`,
    ...recordsLines(records),
    ...(digest === null ? [] : [`  digest ${digest}`]),
    `  ${duration(seconds)}`,
  ])
}

function recordsLines(records: RecordsReport | null): string[] {
  if (!records) return []
  const { written, removed, files } = records
  return [
    `  ${counted(written.files, 'record file')} written (${megabytes(written.bytes)}) of ${grouped(files)}, ${grouped(removed)} removed`,
  ]
}

export function formatSiteReport(report: SiteReport): string {
  const { target, snapshot, version, changed, snapshots, uploaded, reused, removed, records, seconds } = report
  return printableLines([
    `${target} ${changed ? 'now has' : 'already has'} snapshot ${snapshot} (version ${version}), and ${counted(snapshots - 1, 'earlier one')}`,
    `  ${counted(uploaded.files, 'file')} written (${megabytes(uploaded.bytes)}), ${grouped(reused.files)} unchanged (${megabytes(reused.bytes)}), ${grouped(removed.files)} removed`,
    ...recordsLines(records),
    `  ${duration(seconds)}`,
  ])
}

/** `--json` prints all claims. */
const CLAIMS_SHOWN = 8
const TEXT_SHOWN = 160
/** In characters, because a value may be a list of texts. */
const VALUE_SHOWN = 1000

const MARK = { decides: '=', adds: '+', passed: '-' } as const

/** `=` marks the deciding claim, `+` one of several in the value, `-` an unused claim with its reason. */
export function formatExplanation({ cveId, version, corpusDate, origins, values }: ExplainReport): string {
  return printableLines([
    `${cveId}, ${version === null ? 'rejected' : `version ${version} of its record`}, corpus date ${corpusDate ?? 'unknown'}`,
    '',
    'claims',
    ...origins.map(({ feed, item, statedAt, edition }) => {
      const from = edition.files.length > 3 ? `${edition.files.length} files` : edition.files.join(', ')
      return `  ${feed} ${shortened(item, TEXT_SHOWN)}${statedAt === null ? '' : ` of ${statedAt}`}, from ${from}`
    }),
    ...values.flatMap(valueLines),
  ])
}

function valueLines({ fields, value, rule, says, considered }: Explanation): string[] {
  const shown = considered.slice(0, CLAIMS_SHOWN)
  const hidden = considered.length - shown.length
  return [
    '',
    `${fields.join(', ')}: ${shortened(valueText(value), VALUE_SHOWN)}`,
    `  ${rule === null ? '' : `rule ${rule}: `}${says}`,
    ...(shown.length === 0 ? ['  - no claim states it'] : []),
    ...shown.map(claimLine),
    ...(hidden > 0 ? [`  and ${hidden} more (--json has all)`] : []),
  ]
}

function claimLine({ by, states, outcome, why }: Considered): string {
  const stated = states === '' ? '' : `: ${shortened(states, TEXT_SHOWN)}`
  const reason = why === null ? '' : ` (${shortened(why, TEXT_SHOWN)})`
  return `  ${MARK[outcome]} ${shortened(by, TEXT_SHOWN)}${stated}${reason}`
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(', ')
  if (typeof value === 'string') return shortened(value, TEXT_SHOWN)
  return JSON.stringify(value)
}
