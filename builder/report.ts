/** The reports of the commands in words, for a person at a terminal or in a log. */
import type { SampleReport } from '../corpus/sample/generate.ts'
import type { VerifyReport } from '../corpus/snapshot/verify.ts'
import type { BuildReport } from './build/build.ts'
import type { PruneReport } from './prune.ts'

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
}: BuildReport): string {
  return [
    changed
      ? `snapshot ${snapshot} is put up as version ${version}`
      : `snapshot ${snapshot} is current already (version ${version})`,
    `  ${grouped(counts.cves!)} CVEs in ${grouped(shards.total)} shards, ${grouped(shards.unchanged)} of them as they were`,
    `  ${grouped(members.encoded)} members compressed (${megabytes(members.encodedBytes)}), ${grouped(members.total - members.encoded)} kept`,
    `  ${grouped(objects.written)} files written (${megabytes(objects.writtenBytes)}), ${grouped(objects.reused)} there already`,
    `  ${duration(seconds.total)}`,
  ].join('\n')
}

export function verifyWords({
  snapshot,
  version,
  files,
  bytes,
  members,
  segments,
  cves,
  faults,
}: VerifyReport): string {
  const found = faults.length === 0 ? 'is intact' : `has ${counted(faults.length, 'fault')}`
  return [
    `snapshot ${snapshot} (version ${version}) ${found}`,
    `  ${grouped(files)} files, ${megabytes(bytes)}, ${grouped(members)} members, ${grouped(segments)} segments, ${grouped(cves)} CVEs`,
  ].join('\n')
}

export function pruneWords({ kept, removed }: PruneReport): string {
  const { manifests, objects, bytes } = removed
  return `kept ${counted(kept.length, 'snapshot')}; removed ${grouped(manifests)} and ${counted(objects, 'file')} (${megabytes(bytes)})`
}
