/** Reads and checks in a separate thread, so that no request waits for it. */

import type { Rejection } from '../../corpus/model/claim.ts'
import { moduleUrl } from '../../corpus/runtime/module-url.ts'
import { endThread, startThread } from '../../corpus/runtime/threads.ts'
import { type FileEntry, type Manifest, SnapshotError } from '../../corpus/snapshot/index.ts'
import type { SnapshotTables } from '../../corpus/snapshot/memory/tables.ts'
import { THREAD_YOUNG_MB } from '../process/bounds.ts'

export type LoaderTask = { dist: string; urgent: boolean } & (
  | { kind: 'tables'; digest: string | null }
  | { kind: 'check'; files: readonly FileEntry[] }
)

export type LoaderReply =
  | { kind: 'rejected'; entries: [string, Rejection][] }
  | { kind: 'files'; files: FileEntry[] }
  | { kind: 'tables'; tables: Omit<SnapshotTables, 'rejected'> }
  | { kind: 'sound'; digest: string }
  | { kind: 'done' }
  | { kind: 'failed'; code: SnapshotError['code'] | null; error: Error }

/** `cancel` makes `result` reject. */
export interface Loading<T> {
  result: Promise<T>
  cancel(): void
}

function run<T>(task: LoaderTask, take: (reply: LoaderReply) => void, result: () => T): Loading<T> {
  const options = { workerData: task, resourceLimits: { maxYoungGenerationSizeMb: THREAD_YOUNG_MB } }
  let receive = (_: LoaderReply) => {}
  const worker = startThread<LoaderReply>(moduleUrl('./loader-worker.ts', import.meta.url), options, (reply) =>
    receive(reply),
  )
  // The process can exit without this thread.
  if (!task.urgent) worker.unref()
  const finished = new Promise<T>((resolve, reject) => {
    receive = (reply) => {
      if (reply.kind === 'done') resolve(result())
      else if (reply.kind === 'failed') reject(asThrown(reply))
      else {
        take(reply)
        // One message per turn. Nothing waits for `sound`.
        if (reply.kind !== 'sound') setImmediate(() => worker.postMessage('taken'))
      }
    }
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('loading of the snapshot was cancelled')))
  })
  return { result: finished, cancel: () => void endThread(worker) }
}

/** An error from another thread loses its class. */
function asThrown({ code, error }: { code: SnapshotError['code'] | null; error: Error }): Error {
  if (code === null) return error
  return new SnapshotError(code, error.message, error.cause === undefined ? {} : { cause: error.cause })
}

/** A null digest means the current snapshot. `urgent` if the caller waits. Rejects with a SnapshotError. */
export function loadTables(dist: string, digest: string | null, urgent: boolean): Loading<SnapshotTables> {
  const rejected = new Map<string, Rejection>()
  let files: Manifest['files'] = []
  let tables: Omit<SnapshotTables, 'rejected'> | null = null
  return run(
    { kind: 'tables', dist, digest, urgent },
    (reply) => {
      if (reply.kind === 'rejected') for (const [id, rejection] of reply.entries) rejected.set(id, rejection)
      if (reply.kind === 'files') files = reply.files
      if (reply.kind === 'tables') tables = reply.tables
    },
    () => ({ ...tables!, manifest: { ...tables!.manifest, files }, rejected }),
  )
}

/**
 * Compares each file's digest. Skips the digests in `sound`, and adds verified ones. Rejects with a SnapshotError
 * `digest` or `missing`. `urgent` if the caller waits.
 */
export function checkFiles(dist: string, all: readonly FileEntry[], sound: Set<string>, urgent = false): Loading<void> {
  const files = all.filter(({ sha256 }) => !sound.has(sha256))
  if (files.length === 0) return { result: Promise.resolve(), cancel: () => {} }
  return run(
    { kind: 'check', dist, files, urgent },
    (reply) => {
      if (reply.kind === 'sound') sound.add(reply.digest)
    },
    () => {},
  )
}
