/**
 * `vulnshelf publish`: uploads objects, then manifests, then record files, then Atom feeds or the files of a site, then
 * the unchanged pointer with its signatures.
 * Until then the target serves its previous snapshot. After a failure, the next run uploads the missing files.
 */
import type { Progress } from '../../corpus/command/progress.ts'
import { readFile } from '../../corpus/repository/read.ts'
import { sha256 } from '../../corpus/runtime/digest.ts'
import { MAX_POINTER_BYTES, POINTER_NAME } from '../../corpus/snapshot/index.ts'
import { TransferError } from '../../corpus/transfer/error.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { transferring } from '../../corpus/transfer/retry.ts'
import type { Content } from './content.ts'
import { type Edition, readEdition } from './edition.ts'
import { assertFresh, judgePublished } from './judge.ts'
import type { AtomSubject } from './options.ts'
import { hasRecords, type RecordsReport, writeRecords } from './records.ts'
import { publishToRegistry } from './registry.ts'
import { openTarget, parseTarget, type Target } from './target.ts'
import { uploadAll } from './uploads.ts'

export interface PublishOptions {
  dist: string
  /** A folder, `s3://bucket/prefix`, or `oci://registry/name:tag`. */
  to: string
  parallel?: number
  /** Allows an unsigned snapshot to replace a signed one. Mirrors that run with `--keys` reject it. */
  unsigned?: boolean
  /** The public URL of the target, for `kev.atom` and `changes.atom`. Null does not write them. */
  site?: URL | null
  /** Writes a file per CVE. A target that has them is kept up to date in any case. */
  records?: boolean
  /** Vendors and products with feeds of their own. Only with `site`. */
  subjects?: readonly AtomSubject[]
}

export interface PublishReport {
  target: string
  snapshot: string
  version: number
  changed: boolean
  uploaded: { files: number; bytes: number }
  reused: { files: number; bytes: number }
  /** Null without record files. */
  records: RecordsReport | null
  /** The digest of the OCI manifest; null if the target is no registry. */
  digest: string | null
  seconds: number
}

const PARALLEL = 6

/** @throws PublishError, SnapshotError, TransferError, BuildError `busy`; then the target is unchanged */
export async function publish(
  { dist, to, parallel = PARALLEL, unsigned = false, site = null, subjects = [], records = false }: PublishOptions,
  effects: NetworkEffects,
  progress: Progress,
): Promise<PublishReport> {
  const address = parseTarget(to, { site, records })
  // First, so that nothing is written to a foreign folder.
  const edition = readEdition(dist, { site, subjects }, effects)
  assertFresh(edition.pointer, dist, effects.now())
  if (address.kind === 'oci') {
    return publishToRegistry(address.location, edition, { dist, parallel, unsigned }, effects, progress)
  }
  const target = await openTarget(address, effects)
  try {
    return await publishEdition(target, edition, { dist, parallel, unsigned, records }, effects, progress)
  } finally {
    await target.close()
  }
}

/** @throws as `publish` */
export async function publishEdition(
  target: Target,
  { pointer, pointerBytes, manifest, objects, manifests, named, latest }: Edition,
  { dist, parallel, unsigned, records }: { dist: string; parallel: number; unsigned: boolean; records: boolean },
  effects: NetworkEffects,
  progress: Progress,
): Promise<PublishReport> {
  const started = effects.now().getTime()
  const judged = async () => {
    const there = await publishedFile(POINTER_NAME, MAX_POINTER_BYTES, target, effects)
    if (there !== null) judgePublished({ pointer, pointerBytes }, there, unsigned, target)
    return there
  }
  await judged()
  const there = await sizesIn(target, effects)
  const isMissing = ({ path, size }: Content) => there.get(path) !== size
  const steps = [objects.filter(isMissing).sort((a, b) => b.size - a.size), manifests.filter(isMissing)]
  const changedNamed = await Promise.all(named.map((contents) => changedContents(contents, target, effects)))
  const missing = [...steps, ...changedNamed].flat()
  const wanted = bytesOf(missing)
  let read = 0
  const onBytes = (bytes: number) => {
    read += bytes
    progress('uploaded', Math.min(read, wanted), wanted, 'bytes')
  }
  const uploads = { target, parallel, effects, onBytes }
  for (const step of steps) await uploadAll(step, uploads)
  // An object store has no lock, and uploads can take days, so another publisher may have finished.
  const now = await judged()
  const changed = !now?.equals(pointerBytes)
  if (changed) assertFresh(pointer, dist, effects.now())
  const recordsReport =
    records || (await hasRecords(target, effects))
      ? await writeRecords(dist, manifest, target, { parallel, effects }, progress)
      : null
  for (const step of changedNamed) await uploadAll(step, uploads)
  if (changed) await uploadAll([latest], { ...uploads, onBytes: () => {} })
  const all = [...objects, ...manifests, ...named.flat()]
  return {
    target: target.name,
    snapshot: pointer.snapshot,
    version: pointer.version,
    changed,
    uploaded: { files: missing.length, bytes: wanted },
    reused: { files: all.length - missing.length, bytes: bytesOf(all) - wanted },
    records: recordsReport,
    digest: null,
    seconds: (effects.now().getTime() - started) / 1000,
  }
}

/** Returns a file of the target, or null. @throws TransferError, also for a longer file */
async function publishedFile(
  path: string,
  most: number,
  source: Target,
  effects: NetworkEffects,
): Promise<Buffer | null> {
  try {
    return await readFile(path, most, { source, effects })
  } catch (error) {
    if (error instanceof TransferError && error.code === 'missing') return null
    throw error
  }
}

/** Their names are fixed and they can change without changing in size, so their bytes are compared. */
async function changedContents(
  contents: readonly Content[],
  target: Target,
  effects: NetworkEffects,
): Promise<Content[]> {
  const changed: Content[] = []
  for (const content of contents) {
    const there = await publishedFile(content.path, content.size, target, effects).catch((error: unknown) => {
      if (error instanceof TransferError && error.code === 'too_large') return null
      throw error
    })
    if (there === null || sha256(there) !== content.sha256) changed.push(content)
  }
  return changed
}

const bytesOf = (contents: readonly Content[]) => contents.reduce((sum, { size }) => sum + size, 0)

async function sizesIn(target: Target, effects: NetworkEffects): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (const folder of ['objects', 'manifests']) {
    for (const [path, size] of await transferring(folder, effects, () => target.list(folder))) sizes.set(path, size)
  }
  return sizes
}
