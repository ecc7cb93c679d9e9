/** Formats the report of a mirror for terminals and logs. */
import { duration, grouped, megabytes } from '../../corpus/command/format.ts'
import { printableLines } from '../../corpus/command/printable.ts'
import { signatureLines } from '../../corpus/repository/signature-lines.ts'
import type { MirrorReport } from './mirror.ts'

export function formatMirrorReport(report: MirrorReport): string {
  const { source, snapshot, version, changed, signatures, expiresAt, fetched, made, derived, reused } = report
  const { received, bundle, years, pruned, seconds } = report
  return printableLines([
    `snapshot ${snapshot} (version ${version}) of ${source} ${changed ? 'activated' : 'is already current'}`,
    ...signatureLines(signatures, expiresAt).map((line) => `  ${line}`),
    `  ${grouped(fetched.files)} files downloaded (${megabytes(fetched.bytes)}, ${megabytes(received)} transferred), ${grouped(made.files)} rebuilt from delta packs (${megabytes(made.bytes)}), ${grouped(derived.files)} derived locally (${megabytes(derived.bytes)}), ${grouped(reused.files)} reused (${megabytes(reused.bytes)})`,
    ...(years === null ? [] : [`  records of the years ${years} only; answers that need others get status 503`]),
    ...(bundle ? [`  bundle ${bundle.file} written (${megabytes(bundle.bytes)})`] : []),
    ...(pruned ? [`  ${grouped(pruned.objects)} old files removed (${megabytes(pruned.bytes)})`] : []),
    `  ${duration(seconds)}`,
  ])
}
