/**
 * Publishes to an OCI registry: one blob per file, then an image manifest that lists them, which sets the tag. Until then
 * the tag names its previous snapshot.
 */
import type { Progress } from '../../corpus/command/progress.ts'
import { EMPTY_CONFIG, encodeArtifact } from '../../corpus/repository/oci-artifact.ts'
import { readArtifact } from '../../corpus/repository/oci-source.ts'
import { digestOf, MAX_MANIFEST_BYTES, openRegistry } from '../../corpus/repository/registry.ts'
import type { RegistryLocation } from '../../corpus/transfer/address.ts'
import { TransferError } from '../../corpus/transfer/error.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { runParallel } from '../../corpus/transfer/parallel.ts'
import { transferring } from '../../corpus/transfer/retry.ts'
import { bytesContent, type Content } from './content.ts'
import type { Edition } from './edition.ts'
import { PublishError } from './error.ts'
import { assertFresh, judgePublished } from './judge.ts'
import type { PublishReport } from './publish.ts'
import { uploadAll } from './uploads.ts'

/** @throws as `publish`; PublishError `too_large` if the snapshot has too many files for one manifest */
export async function publishToRegistry(
  location: RegistryLocation,
  edition: Edition,
  { dist, parallel, unsigned }: { dist: string; parallel: number; unsigned: boolean },
  effects: NetworkEffects,
  progress: Progress,
): Promise<PublishReport> {
  const started = effects.now().getTime()
  const { name } = location
  const { pointer, manifest, objects, manifests, latest } = edition
  const files = [...objects, ...manifests, latest]
  const bytes = encodeArtifact(manifest, files)
  assertSize(bytes, files, name)
  const registry = openRegistry(location, 'pull,push', effects)
  const judged = async () => {
    const there = await transferring(name, effects, () => readArtifact(registry, name, effects)).catch(orMissing)
    if (there !== null) judgePublished(edition, there.pointer, unsigned, { name })
    return there?.digest ?? null
  }
  await judged()
  const missing: Content[] = []
  await runParallel([bytesContent('config', EMPTY_CONFIG), ...files], parallel, async (content, signal) => {
    const has = () => registry.hasBlob(content)
    if (!(await transferring(content.path, effects, has, { signal }))) missing.push(content)
  })
  // The largest come first, so that the slowest upload does not start last.
  missing.sort((a, b) => b.size - a.size)
  const wanted = bytesOf(missing)
  let read = 0
  const onBytes = (count: number) => {
    read += count
    progress('uploaded', Math.min(read, wanted), wanted, 'bytes')
  }
  await uploadAll(missing, { target: { put: registry.putBlob }, parallel, effects, onBytes })
  // A registry has no lock, so another publisher may have set the tag meanwhile.
  const digest = digestOf(bytes)
  const changed = (await judged()) !== digest
  if (changed) {
    assertFresh(pointer, dist, effects.now())
    await transferring(name, effects, () => registry.putManifest(bytes))
  }
  const uploaded = missing.filter(({ path }) => path !== 'config')
  return {
    target: name,
    snapshot: pointer.snapshot,
    version: pointer.version,
    changed,
    uploaded: { files: uploaded.length, bytes: bytesOf(uploaded) },
    reused: { files: files.length - uploaded.length, bytes: bytesOf(files) - bytesOf(uploaded) },
    records: null,
    digest,
    seconds: (effects.now().getTime() - started) / 1000,
  }
}

const bytesOf = (contents: readonly Content[]) => contents.reduce((sum, { size }) => sum + size, 0)

function orMissing(error: unknown): null {
  if (error instanceof TransferError && error.code === 'missing') return null
  throw error
}

/** @throws PublishError `too_large` */
function assertSize({ length }: Buffer, files: readonly Content[], name: string): void {
  if (length <= MAX_MANIFEST_BYTES) return
  throw new PublishError(
    'too_large',
    `the OCI manifest of ${files.length} files has ${length} bytes, and registries accept ${MAX_MANIFEST_BYTES}, so nothing was uploaded to ${name}; publish to a folder or s3://bucket/prefix`,
  )
}
