/** The reports of the commands in words, for a person at a terminal or in a log. */

import type { Considered, Explanation } from '../corpus/model/explain/explanation.ts'
import type { PruneReport } from '../corpus/repository/prune.ts'
import { signatureLines } from '../corpus/repository/signature-lines.ts'
import type { SampleReport } from '../corpus/sample/generate.ts'
import type { VerifyReport } from '../corpus/snapshot/verify.ts'
import type { BuildReport } from './build/build.ts'
import type { PutUp } from './build/put-up.ts'
import type { ExplainReport } from './explain.ts'
import type { KeyReport } from './keys.ts'
import type { PublishReport } from './publish/publish.ts'
import type { KeptSnapshot, SnapshotsReport } from './snapshots.ts'

const grouped = (value: number) => value.toLocaleString('en-GB')
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
const counted = (count: number, thing: string) => `${grouped(count)} ${thing}${count === 1 ? '' : 's'}`
const duration = (seconds: number) => `${seconds.toFixed(1)} s`

export function sampleWords({ cves, nights, files }: SampleReport): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return `${grouped(cves)} CVEs, nights ${nights.join(', ')}: ${grouped(files.length)} files (${megabytes(bytes)})`
}

export function buildWords({
  snapshot,
  version,
  changed,
  counts,
  members,
  shards,
  objects,
  seconds,
  signedBy,
  expiresAt,
}: BuildReport): string {
  return [
    changed
      ? `snapshot ${snapshot} is put up as version ${version}`
      : `snapshot ${snapshot} is current already (version ${version})`,
    ...(signedBy.length > 0 ? [`  ${signatureWords(signedBy, expiresAt)}`] : []),
    `  ${grouped(counts.cves!)} CVEs in ${grouped(shards.total)} shards, ${grouped(shards.unchanged)} of them as they were`,
    `  ${grouped(members.encoded)} members compressed (${megabytes(members.encodedBytes)}), ${grouped(members.total - members.encoded)} kept`,
    `  ${grouped(objects.written)} files written (${megabytes(objects.writtenBytes)}), ${grouped(objects.reused)} there already`,
    `  ${duration(seconds.total)}`,
  ].join('\n')
}

const signatureWords = (signedBy: readonly string[], expiresAt: string | null) =>
  `signed by ${signedBy.join(' and ')}, good until ${expiresAt ?? 'ever'}`

export const signWords = ({ snapshot, version, signedBy, expiresAt }: PutUp): string =>
  `the pointer to snapshot ${snapshot} is put up as version ${version}\n  ${signatureWords(signedBy, expiresAt)}`

export const keyWords = ({ kid, alg, file, keys, trusted }: KeyReport): string =>
  [
    `${alg} key ${kid}`,
    `  ${file}: the private key; keep it secret, and give it to build --sign-key`,
    `  ${keys}: ${counted(trusted, 'public key')}; give it to mirrors and to verify --keys`,
  ].join('\n')

export function verifyWords({
  snapshot,
  version,
  files,
  bytes,
  members,
  segments,
  cves,
  signatures,
  expiresAt,
  faults,
}: VerifyReport): string {
  const found = faults.length === 0 ? 'is intact' : `has ${counted(faults.length, 'fault')}`
  return [
    `snapshot ${snapshot} (version ${version}) ${found}`,
    `  ${grouped(files)} files, ${megabytes(bytes)}, ${grouped(members)} members, ${grouped(segments)} segments, ${grouped(cves)} CVEs`,
    ...signatureLines(signatures, expiresAt).map((line) => `  ${line}`),
  ].join('\n')
}

export function snapshotsWords({ current, earlier }: SnapshotsReport): string {
  const { version, signatures, expiresAt } = current
  const signed = signatureLines(signatures, expiresAt, { check: 'verify --keys' }).join('; ')
  return [
    `* ${snapshotLine(current)}, version ${version}, ${signed}`,
    ...earlier.map((snapshot) => `  ${snapshotLine(snapshot)}`),
  ].join('\n')
}

/** `/changes?since=` takes as many digits of an id. */
const ID_SHOWN = 12

function snapshotLine({ id, createdAt, cves, bytes, complete }: KeptSnapshot): string {
  const size = complete ? megabytes(bytes) : 'its files are not here'
  return `${id.slice(0, ID_SHOWN)}  ${createdAt}  ${counted(cves, 'CVE')}, ${size}`
}

export function pruneWords({ kept, removed }: PruneReport): string {
  const { manifests, objects, bytes } = removed
  return `kept ${counted(kept.length, 'snapshot')}; removed ${grouped(manifests)} and ${counted(objects, 'file')} (${megabytes(bytes)})`
}

export function publishWords({ target, snapshot, version, changed, uploaded, reused, seconds }: PublishReport): string {
  return [
    `snapshot ${snapshot} (version ${version}) is ${changed ? 'published to' : 'already at'} ${target}`,
    `  ${grouped(uploaded.files)} files uploaded (${megabytes(uploaded.bytes)}), ${grouped(reused.files)} there already (${megabytes(reused.bytes)})`,
    `  ${duration(seconds)}`,
  ].join('\n')
}

/** Claims that a value's lines show; `--json` has them all. */
const CLAIMS_SHOWN = 8
const TEXT_SHOWN = 160

const MARK = { decides: '=', adds: '+', passed: '-' } as const

/** `=` is the claim that decides, `+` one of several that make the value up, `-` one that was passed over, and why. */
export function explainWords({ cveId, version, corpusDate, origins, values }: ExplainReport): string {
  return [
    `${cveId}, version ${version} of its record, corpus of ${corpusDate ?? 'no date'}`,
    '',
    'claims',
    ...origins.map(({ feed, item, statedAt, edition }) => {
      const from = edition.files.length > 3 ? `${edition.files.length} files` : edition.files.join(', ')
      return `  ${feed} ${shortened(item)}${statedAt === null ? '' : ` of ${statedAt}`}, from ${from}`
    }),
    ...values.flatMap(valueLines),
  ].join('\n')
}

function valueLines({ fields, value, rule, says, considered }: Explanation): string[] {
  const shown = considered.slice(0, CLAIMS_SHOWN)
  const hidden = considered.length - shown.length
  return [
    '',
    `${fields.join(', ')}: ${valueText(value)}`,
    `  ${rule === null ? '' : `rule ${rule}: `}${says}`,
    ...(shown.length === 0 ? ['  - no claim says anything of it'] : []),
    ...shown.map(claimLine),
    ...(hidden > 0 ? [`  and ${hidden} more (--json has all)`] : []),
  ]
}

function claimLine({ by, states, outcome, why }: Considered): string {
  const stated = states === '' ? '' : `: ${shortened(states)}`
  return `  ${MARK[outcome]} ${by}${stated}${why === null ? '' : ` (${why})`}`
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(', ')
  if (typeof value === 'string') return shortened(value)
  return JSON.stringify(value)
}

/** On one line, and not longer than a line may be. */
function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > TEXT_SHOWN ? `${line.slice(0, TEXT_SHOWN).toWellFormed()}…` : line
}
