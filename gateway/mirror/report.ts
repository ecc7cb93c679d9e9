/** Formats the report of a mirror for terminals and logs. */
import { duration, grouped, megabytes } from '../../corpus/command/format.ts'
import { printableLines } from '../../corpus/command/printable.ts'
import { signatureLines } from '../../corpus/repository/signature-lines.ts'
import type { MirrorReport } from './mirror.ts'

export function mirrorWords(report: MirrorReport): string {
  const { source, snapshot, version, changed, signatures, expiresAt, fetched, made, derived, reused } = report
  const { received, bundle, pruned, seconds } = report
  return printableLines([
    `snapshot ${snapshot} (version ${version}) of ${source} ${changed ? 'is here now' : 'is here already'}`,
    ...signatureLines(signatures, expiresAt).map((line) => `  ${line}`),
    `  ${grouped(fetched.files)} files fetched (${megabytes(fetched.bytes)}, ${megabytes(received)} over the wire), ${grouped(made.files)} made of those before (${megabytes(made.bytes)}), ${grouped(derived.files)} derived (${megabytes(derived.bytes)}), ${grouped(reused.files)} there already (${megabytes(reused.bytes)})`,
    ...(bundle ? [`  ${bundle.file} holds what is new (${megabytes(bundle.bytes)})`] : []),
    ...(pruned ? [`  ${grouped(pruned.objects)} old files removed (${megabytes(pruned.bytes)})`] : []),
    `  ${duration(seconds)}`,
  ])
}
