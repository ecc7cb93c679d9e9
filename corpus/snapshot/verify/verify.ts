/** Verifies a snapshot: each file alone, then all together. Inflates and rederives everything, and trusts nothing. */

import { existsSync, statSync } from 'node:fs'
import { moduleUrl } from '../../runtime/module-url.ts'
import { openPool, runInOrder } from '../../runtime/pool.ts'
import { rowsBound } from '../derive/rows.ts'
import { SnapshotError } from '../error.ts'
import { decodePack } from '../files/delta.ts'
import {
  describePack,
  manifestPath,
  objectPath,
  readCurrent,
  readManifest,
  readStored,
  readSubset,
} from '../files/layout.ts'
import type { Manifest } from '../files/manifest.ts'
import { ageFault } from '../files/pointer.ts'
import { checkSignatures, openSigned, type SignatureVerdict, type TrustedKey } from '../files/signature.ts'
import { isLeftOut } from '../files/subset.ts'
import { type Checked, verifyConsistency } from './consistency.ts'
import { type FileFindings, faultOf } from './file.ts'

export interface VerifyReport {
  snapshot: string
  /** Of the pointer; null for an earlier snapshot. */
  version: number | null
  files: number
  bytes: number
  members: number
  segments: number
  cves: number
  /** The signatures of the pointer: `not_checked` without keys, empty when it is unsigned. */
  signatures: SignatureVerdict[]
  expiresAt: string | null
  /** Number of files that a partial mirror does not have. The others are verified one by one, not together. */
  leftOut: number
  /** Number of missing derived files. They can be derived again. Faults of the current snapshot, not of earlier ones. */
  derivable: number
  /** The faults, one line each; empty when the snapshot is valid. */
  faults: string[]
}

export interface VerifyOptions {
  /**
   * An earlier snapshot to verify instead of the current one, by the digest of its manifest. Its derived files may be
   * missing; then only the existing files are verified. `ancestor`: the current one was built on it, so the signatures of
   * the pointer cover it.
   */
  earlier?: { digest: string; ancestor: boolean }
  /** Number of worker threads; 0, the default, uses this thread. */
  jobs?: number
  /**
   * One of these keys must have signed the pointer, which must not be expired. Without keys, signatures are ignored.
   */
  keys?: readonly TrustedKey[]
  now?: () => Date
  onProgress?: (done: number, total: number) => void
}

/**
 * Verifies a snapshot of `dist`, by default the current one, and collects faults. Checks the files together only when each is valid alone.
 * @throws SnapshotError when pointer or manifest is missing or damaged
 */
export async function verify(dist: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  const { jobs = 0, keys, now = () => new Date(), onProgress = () => {} } = options
  const { pointer, pointerBytes, manifest: current } = readCurrent(dist)
  const earlier = options.earlier?.digest === pointer.manifest.sha256 ? undefined : options.earlier
  const manifest = earlier ? readManifest(dist, earlier.digest) : current
  const missing = manifest.files.filter(({ derived, sha256 }) => derived && !existsSync(objectPath(dist, sha256)))
  const subset = readSubset(dist)
  const leftOut = manifest.files.filter((file) => isLeftOut(subset, file) && !existsSync(objectPath(dist, file.sha256)))
  const absent = new Set(earlier ? [...leftOut, ...missing] : leftOut)
  const files = manifest.files.filter((file) => !absent.has(file))
  const report: VerifyReport = {
    snapshot: manifest.snapshot,
    version: earlier ? null : pointer.version,
    files: files.length,
    bytes: 0,
    members: 0,
    segments: 0,
    cves: 0,
    signatures: await checkSignatures(pointerBytes, keys ?? null, now()),
    expiresAt: pointer.expires_at ?? null,
    leftOut: leftOut.length,
    derivable: missing.length,
    faults: [],
  }
  report.faults.push(...packFaults(dist, manifest))
  if (keys) report.faults.push(...(await distrusted(pointerBytes, keys, now())))
  if (keys && earlier?.ancestor === false) report.faults.push(NOT_COVERED)
  const { size } = statSync(manifestPath(dist, pointer.manifest.sha256))
  if (size !== pointer.manifest.size || pointer.created_at !== current.created_at) {
    report.faults.push('latest.json states a different size or time for its manifest')
  }
  const before = report.faults.length
  const pool = openPool(moduleUrl('./tasks.ts', import.meta.url), jobs)
  try {
    const checked: Checked[] = []
    const bounded = rowsBound()
    const inputs = files.map((file) => ({ dist, file }))
    for await (const findings of runInOrder<FileFindings>(pool, 'file', inputs)) {
      const file = files[checked.length]!
      if (findings.extract) bounded(findings.extract)
      checked.push({ file, findings })
      report.bytes += findings.bytes
      report.members += findings.members
      report.segments += findings.segments
      if (file.role === 'cve') report.cves += findings.members
      if (findings.fault !== null) report.faults.push(findings.fault)
      onProgress(checked.length, files.length)
    }
    // Files can only be compared if all exist.
    if (report.faults.length === before && files.length === manifest.files.length)
      report.faults.push(...(await verifyConsistency({ dist, manifest, pool, checked })))
  } catch (error) {
    report.faults.push(faultOf('the snapshot', error))
  } finally {
    await pool.close()
  }
  return report
}

const NOT_COVERED = 'the current snapshot was not built on this one, so no signature covers it'

/**
 * A pack may be missing, but an existing one must match its digest and decode. Users of a pack check the rebuilt files.
 */
function packFaults(dist: string, { delta }: Manifest): string[] {
  if (!delta) return []
  try {
    decodePack(readStored(dist, delta, describePack(delta)))
    return []
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error
    return error.code === 'missing' ? [] : [error.message]
  }
}

async function distrusted(bytes: Uint8Array, keys: readonly TrustedKey[], now: Date): Promise<string[]> {
  try {
    const { pointer } = await openSigned(bytes, keys, now)
    const fault = ageFault(pointer, now)
    return fault ? [fault.message] : []
  } catch (error) {
    if (error instanceof SnapshotError) return [error.message]
    throw error
  }
}
