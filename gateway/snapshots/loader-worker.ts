/** The loader thread. Reads, checks and transfers data that would block the answering thread for half a second. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { reportLoaded } from '../../corpus/runtime/threads.ts'
import {
  describe,
  type FileEntry,
  fileOf,
  isLeftOut,
  type Manifest,
  objectPath,
  readCurrent,
  readManifest,
  readSubset,
  SnapshotError,
} from '../../corpus/snapshot/index.ts'
import { readTables } from '../../corpus/snapshot/memory/tables.ts'
import { lowerCpuPriority } from '../process/low-priority.ts'
import { checkFiles, type LoaderReply, type LoaderTask } from './table-loader.ts'

const port = parentPort!
const task = workerData as LoaderTask
/** Per message, because the receiver adds a whole message to a map in one turn. */
const REJECTED_AT_ONCE = 2048
/** Smaller buffers may be in a pool that cannot be transferred, so they are copied. */
const COPIED_UP_TO = Buffer.poolSize * 2

/** Waits until the value is taken, so that no two are deserialized in the same turn. */
async function send(reply: LoaderReply): Promise<void> {
  const taken = once(port, 'message')
  port.postMessage(reply, buffersIn(reply))
  await taken
}

function buffersIn(value: unknown, found = new Set<ArrayBuffer>()): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer && value.buffer.byteLength > COPIED_UP_TO) found.add(value.buffer)
  } else if (typeof value === 'object' && value !== null) {
    for (const one of value instanceof Map ? [] : Object.values(value)) buffersIn(one, found)
  }
  return [...found]
}

async function sendTables(dist: string, manifest: Manifest): Promise<void> {
  const { rejected, ...tables } = readTables(dist, manifest)
  const entries = [...rejected]
  for (let at = 0; at < entries.length; at += REJECTED_AT_ONCE) {
    await send({ kind: 'rejected', entries: entries.slice(at, at + REJECTED_AT_ONCE) })
  }
  const { files, ...about } = tables.manifest
  await send({ kind: 'files', files })
  await send({ kind: 'tables', tables: { ...tables, manifest: { ...about, files: [] } } })
}

const CHUNK_BYTES = 262_144

/** @throws SnapshotError `digest` or `missing` */
function checkFile(dist: string, file: FileEntry, chunk: Buffer): void {
  const hash = createHash('sha256')
  if (isLeftOut(readSubset(dist), file) && !existsSync(objectPath(dist, file.sha256))) return
  try {
    const descriptor = openSync(objectPath(dist, file.sha256), 'r')
    try {
      for (let length = -1; length !== 0; ) {
        length = readSync(descriptor, chunk)
        hash.update(chunk.subarray(0, length))
      }
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    throw new SnapshotError('missing', `cannot read ${describe(file)}: ${(cause as Error).message}`, { cause })
  }
  if (hash.digest('hex') === file.sha256) return
  throw new SnapshotError('digest', `${describe(file)} is damaged: its digest differs from its name`)
}

reportLoaded()
try {
  // Urgent at the start, when the gateway waits for the tables, and for `serve --check`.
  if (!task.urgent) lowerCpuPriority()
  if (task.kind === 'tables') {
    const { dist, digest, urgent } = task
    const manifest = digest === null ? readCurrent(dist).manifest : readManifest(dist, digest)
    // Each row of `query.db` has a digest, but a damaged tree would show only at the first queries. Another thread checks
    // the file while this one reads the tables. After the start, all files were checked before.
    const checking = checkFiles(dist, urgent ? [fileOf(manifest, 'query')] : [], new Set(), urgent)
    try {
      await Promise.all([checking.result, sendTables(dist, manifest)])
    } finally {
      checking.cancel()
    }
  } else {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    for (const file of task.files) {
      checkFile(task.dist, file, chunk)
      port.postMessage({ kind: 'sound', digest: file.sha256 } satisfies LoaderReply)
    }
  }
  port.postMessage({ kind: 'done' } satisfies LoaderReply)
} catch (thrown) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const code = error instanceof SnapshotError ? error.code : null
  port.postMessage({ kind: 'failed', code, error } satisfies LoaderReply)
}
port.close()
