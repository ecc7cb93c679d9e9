/**
 * Whether a snapshot is what it says it is: every file by itself, then what the files say of one another. It reads
 * everything, inflates everything, derives again what is derived, and trusts nothing.
 */
import { statSync } from 'node:fs'
import { decodePack } from './delta.ts'
import { rowsBound } from './derive/rows.ts'
import { SnapshotError } from './error.ts'
import { describePack, manifestPath, readCurrent, readStored } from './layout.ts'
import type { Manifest } from './manifest.ts'
import { ageFault } from './pointer.ts'
import { openPool, runInOrder } from './pool.ts'
import { checkSignatures, openSigned, type SignatureVerdict, type TrustedKey } from './signature.ts'
import { type FileFindings, faultOf } from './verify/file.ts'
import { type Checked, verifyTogether } from './verify/together.ts'

export interface VerifyReport {
  snapshot: string
  version: number
  files: number
  bytes: number
  members: number
  segments: number
  cves: number
  /** The signatures of the pointer: `not_checked` without keys, empty when it is unsigned. */
  signatures: SignatureVerdict[]
  expiresAt: string | null
  /** What is wrong, one line each; empty where all is well. */
  faults: string[]
}

export interface VerifyOptions {
  /** Worker threads; 0, the default, does everything in this one. */
  jobs?: number
  /** Keys of which one must have signed the pointer, which must not have expired; without them signatures do not matter. */
  keys?: readonly TrustedKey[]
  now?: () => Date
  onProgress?: (done: number, total: number) => void
}

/**
 * Looks through the current snapshot of `dist`. Faults are collected; the files are held against one another only where
 * each is sound by itself.
 * @throws SnapshotError when pointer or manifest is missing or damaged: then there is no snapshot to look through
 */
export async function verify(dist: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  const { jobs = 0, keys, now = () => new Date(), onProgress = () => {} } = options
  const { pointer, pointerBytes, manifest } = readCurrent(dist)
  const { files } = manifest
  const report: VerifyReport = {
    snapshot: manifest.snapshot,
    version: pointer.version,
    files: files.length,
    bytes: 0,
    members: 0,
    segments: 0,
    cves: 0,
    signatures: await checkSignatures(pointerBytes, keys ?? null, now()),
    expiresAt: pointer.expires_at ?? null,
    faults: [],
  }
  report.faults.push(...packFaults(dist, manifest))
  if (keys) report.faults.push(...(await distrusted(pointerBytes, keys, now())))
  const { size } = statSync(manifestPath(dist, pointer.manifest.sha256))
  if (size !== pointer.manifest.size || pointer.created_at !== manifest.created_at) {
    report.faults.push('latest.json gives another size or time of its manifest')
  }
  const before = report.faults.length
  const pool = openPool(new URL('./verify/tasks.ts', import.meta.url), jobs)
  try {
    const checked: Checked[] = []
    const bounded = rowsBound()
    const inputs = files.map((file) => ({ dist, file }))
    for await (const findings of runInOrder<FileFindings>(pool, 'file', inputs)) {
      const file = files[checked.length]!
      if (findings.gathered) bounded(findings.gathered)
      checked.push({ file, findings })
      report.bytes += findings.bytes
      report.members += findings.members
      report.segments += findings.segments
      if (file.role === 'cve') report.cves += findings.members
      if (findings.fault !== null) report.faults.push(findings.fault)
      onProgress(checked.length, files.length)
    }
    if (report.faults.length === before)
      report.faults.push(...(await verifyTogether({ dist, manifest, pool, checked })))
  } catch (error) {
    report.faults.push(faultOf('the snapshot', error))
  } finally {
    await pool.close()
  }
  return report
}

/** A pack need not be here; one that is must be the one that was built. What it makes is judged by whoever uses it. */
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

/** Why the pointer is not to be believed. */
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
