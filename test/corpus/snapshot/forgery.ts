/** An intact snapshot for tests to damage, and forged files with matching digests. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { decodeTable, encodeTable, type Table, tableContent } from '../../../corpus/snapshot/codec/table.ts'
import {
  fileOf,
  manifestPath,
  objectPath,
  pointerPath,
  readCurrent,
  readObject,
} from '../../../corpus/snapshot/files/layout.ts'
import {
  encodeManifest,
  type FileEntry,
  type Manifest,
  type Role,
  snapshotId,
} from '../../../corpus/snapshot/files/manifest.ts'
import { encodePointer, type Pointer } from '../../../corpus/snapshot/files/pointer.ts'
import { contentDigest, membersOf } from '../../../corpus/snapshot/record/shard.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { type SampleName, sharedSample } from '../../support/samples.ts'

export interface TableChange {
  role: Role
  name: string
  change: (table: Table) => void
  /** Matches the fault. */
  line?: RegExp
}

export interface GoodSnapshot {
  dist: string
  folder: string
  pointer: Pointer
  manifest: Manifest
  bytesOf(role: Role, name?: string): Buffer
  copy(): string
  /** Returns the faults that `verify` finds after `change` on a copy. */
  faultsAfter(change: (dist: string) => void): Promise<string[]>
  /** Asserts that `verify` finds one fault of each table if all are changed in one copy. */
  expectTableFaults(...changes: TableChange[]): Promise<void>
  /** Activates a manifest as a build does: id, digest, size and pointer match. */
  activate(dist: string, files: FileEntry[]): void
  putObject(dist: string, bytes: Uint8Array): void
  forge(dist: string, file: FileEntry, bytes: Buffer, content: string, count?: number): void
  remove(): void
}

export async function goodSnapshot(name: string, of: SampleName = 'small'): Promise<GoodSnapshot> {
  const folder = temporaryFolder(name)
  const { dist: good } = await sharedSample(of)
  const { pointer, manifest } = readCurrent(good)
  let copies = 0
  const copy = () => {
    const dist = join(folder.path, `copy-${copies++}`)
    cpSync(good, dist, { recursive: true })
    return dist
  }
  const activate = (dist: string, files: FileEntry[]) => {
    const snapshot = snapshotId(files)
    const bytes = encodeManifest({ ...manifest, files, snapshot })
    const about = { sha256: sha256(bytes), size: bytes.length }
    writeFileSync(manifestPath(dist, about.sha256), bytes)
    writeFileSync(pointerPath(dist), encodePointer({ ...pointer, snapshot, manifest: about }))
  }
  const putObject = (dist: string, bytes: Uint8Array) => {
    const path = objectPath(dist, sha256(bytes))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
  }
  const snapshot: GoodSnapshot = {
    dist: good,
    folder: folder.path,
    pointer,
    manifest,
    bytesOf: (role, name) => Buffer.from(readObject(good, fileOf(manifest, role, name))),
    copy,
    async faultsAfter(change) {
      const dist = copy()
      change(dist)
      return (await verify(dist)).faults
    },
    async expectTableFaults(...changes) {
      const dist = copy()
      const forged = new Map<FileEntry, FileEntry>()
      for (const { role, name, change } of changes) {
        const file = fileOf(manifest, role, name)
        const { about, columns, cuts } = decodeTable(readObject(good, file))
        const copies = Object.entries(columns).map(([column, values]) => [column, values.slice()])
        const changed = { about: structuredClone(about), columns: Object.fromEntries(copies), cuts }
        change(changed)
        const bytes = encodeTable(changed)
        putObject(dist, bytes)
        forged.set(file, { ...file, sha256: sha256(bytes), size: bytes.length, content: tableContent(changed) })
      }
      activate(
        dist,
        manifest.files.map((file) => forged.get(file) ?? file),
      )
      const { faults } = await verify(dist)
      for (const { role, name, line = CONTRADICTS } of changes) {
        const own = faults.filter((fault) => fault.startsWith(`file ${role} ${name} `))
        oneFault(own, role, line)
      }
      assert.is(faults.length, changes.length, faults.join('\n'))
    },
    activate,
    putObject,
    forge(dist, file, bytes, content, count = file.count) {
      const forged = { ...file, sha256: sha256(bytes), size: bytes.length, content, count }
      putObject(dist, bytes)
      activate(
        dist,
        manifest.files.map((one) => (one === file ? forged : one)),
      )
    },
    remove: folder.remove,
  }
  return snapshot
}

/** Returns the content digest of a shard; an arbitrary one if its heads do not decode. */
export function contentOf(shard: Buffer): string {
  const digest = contentDigest()
  try {
    for (const member of membersOf(shard)) digest.add(member)
  } catch {
    return '0'.repeat(64)
  }
  return digest.hex()
}

/** Asserts one fault on a file of this role that matches `line`. */
export function oneFault(faults: string[], role: Role | null, line: RegExp): void {
  assert.is(faults.length, 1, faults.join('\n') || 'nothing was found')
  if (role) assert.match(faults[0]!, new RegExp(`^file ${role} `))
  assert.match(faults[0]!, line)
}

export const CONTRADICTS = /does not match the files it is derived from/

/** Returns a file of a role: the one that is alone in it, else the first. */
export const someFileOf = (manifest: Manifest, role: Role): FileEntry =>
  manifest.files.find((file) => file.role === role && file.name === 'cve') ??
  manifest.files.find((file) => file.role === role)!
