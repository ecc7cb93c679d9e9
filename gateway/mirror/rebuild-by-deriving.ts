/** Derives files locally instead of fetching them. Files that would differ from the published ones are fetched. */
import { isDiskError, isSystemError } from '../../corpus/command/system-error.ts'
import { type Derived, deriveMissing } from '../../corpus/repository/derive.ts'
import type { FileEntry, Manifest } from '../../corpus/snapshot/index.ts'
import type { Transfers } from './missing.ts'

/**
 * Keeps missing files with the expected digests and returns these. Non-derived files must be local. After an error,
 * other files are left to be fetched.
 */
export async function rebuiltByDeriving(
  manifest: Manifest,
  missing: readonly FileEntry[],
  jobs: number,
  { dist, effects, signal }: Pick<Transfers, 'dist' | 'effects' | 'signal'>,
): Promise<Set<string>> {
  const found: Derived = { made: new Set(), others: 0 }
  try {
    await deriveMissing(manifest, missing, { dist, effects, jobs, signal }, found)
  } catch (error) {
    // Fetching does not help against errors of this machine.
    if (signal?.aborted || isSystemError(error) || isDiskError(error) || !(error instanceof Error)) throw error
    effects.log(`cannot derive files locally, downloading them: ${error.message}`)
  }
  if (found.others > 0)
    effects.log(`${found.others} locally derived files differ from the published ones, downloading them`)
  return found.made
}
