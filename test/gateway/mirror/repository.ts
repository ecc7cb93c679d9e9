/** A signed repository on a web server of this machine, which misbehaves as a test says. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { renewed } from '../../../builder/snapshot/activate.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import {
  manifestPath,
  objectPath,
  pointerPath,
  readCurrent,
  readPointer,
} from '../../../corpus/snapshot/files/layout.ts'
import { encodeManifest, type FileEntry, snapshotId } from '../../../corpus/snapshot/files/manifest.ts'
import type { Pointer } from '../../../corpus/snapshot/files/pointer.ts'
import {
  makeKeyPair,
  readSigningKey,
  type SigningKey,
  signPointer,
  type TrustedKey,
} from '../../../corpus/snapshot/files/signature.ts'
import { listening } from '../../support/listening.ts'

/** One request for a file. */
export interface Asked {
  /** Within the repository: `objects/ab/ab12…`. */
  path: string
  /** Of the range that is asked for; null without one. */
  from: number | null
  /** How often this path was asked for before. */
  before: number
}

/** What to do instead of answering well. */
export type Fault =
  | { kind: 'status'; code: number; headers?: Record<string, string> }
  /** Hangs up after so many bytes of the body. */
  | { kind: 'cut'; after: number }
  /** Ends the body early, as if it were whole. */
  | { kind: 'truncate'; by: number }
  /** Changes a bit of the file. */
  | { kind: 'corrupt'; at: number }
  /** Sends bytes until somebody hangs up. */
  | { kind: 'endless' }
  /** Sends interim answers (103) until somebody hangs up; for 10 s in a test that fails. */
  | { kind: 'interim' }
  | { kind: 'ignore-range' }
  | { kind: 'delay'; ms: number }
  /** Sends other bytes. */
  | { kind: 'instead'; bytes: Buffer }

const STEP_BYTES = 8 * 1024

export interface Repository {
  url: string
  asked: Asked[]
  /** Body bytes handed out so far. */
  sent(): number
  /** What is wrong with the next requests. */
  fault: (asked: Asked) => Fault | null
  close(): Promise<void>
}

/** Serves the files of a `dist`, as they are at the time; no faster than so many bytes per ms, all together. */
export async function openRepository(dist: string, { bytesPerMs = 0 } = {}): Promise<Repository> {
  const counts = new Map<string, number>()
  let sent = 0
  /** When what was sent so far is paid for. */
  let paidAt = 0
  const write = async (res: ServerResponse, bytes: Uint8Array) => {
    const step = bytesPerMs === 0 ? bytes.length : STEP_BYTES
    for (let at = 0; at < bytes.length && !res.destroyed; at += step) {
      const piece = bytes.subarray(at, at + step)
      sent += piece.length
      // Events in between: that somebody hung up must be heard.
      await new Promise<void>((resolve) => res.write(piece, () => setImmediate(resolve)))
      if (bytesPerMs === 0) continue
      paidAt = Math.max(paidAt, performance.now()) + piece.length / bytesPerMs
      await sleep(Math.max(0, paidAt - performance.now()))
    }
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = req.url!.slice(1)
    const from = /^bytes=(\d+)-$/.exec(req.headers.range ?? '')?.[1]
    const before = counts.get(path) ?? 0
    counts.set(path, before + 1)
    const asked: Asked = { path, from: from === undefined ? null : Number(from), before }
    repository.asked.push(asked)
    const fault = repository.fault(asked)
    if (fault?.kind === 'status')
      return void res.writeHead(fault.code, { 'content-length': '0', ...fault.headers }).end()
    if (fault?.kind === 'delay') await sleep(fault.ms)
    if (fault?.kind === 'endless') {
      res.writeHead(200)
      const block = Buffer.alloc(64 * 1024, 'x')
      while (!res.destroyed) await write(res, block)
      return
    }
    if (fault?.kind === 'interim') {
      for (let i = 0; i < 500 && !res.destroyed; i++) {
        res.writeEarlyHints({ link: '</style.css>; rel=preload' })
        await sleep(20)
      }
      return void res.destroy()
    }
    let bytes: Buffer
    try {
      bytes = fault?.kind === 'instead' ? fault.bytes : readFileSync(join(dist, path))
    } catch {
      return void res.writeHead(404, { 'content-length': '0' }).end()
    }
    if (fault?.kind === 'corrupt') {
      bytes = Buffer.from(bytes)
      bytes[fault.at % bytes.length]! ^= 0x10
    }
    const start = fault?.kind === 'ignore-range' ? 0 : (asked.from ?? 0)
    if (start > 0 && start >= bytes.length) return void res.writeHead(416, { 'content-length': '0' }).end()
    const body = bytes.subarray(
      start,
      fault?.kind === 'truncate' ? Math.max(start, bytes.length - fault.by) : undefined,
    )
    const range = start > 0 ? { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {}
    res.writeHead(start > 0 ? 206 : 200, { ...range, 'content-length': String(body.length) })
    await write(res, fault?.kind === 'cut' ? body.subarray(0, fault.after) : body)
    // The end of the connection comes after all that was written: nothing of it is lost.
    if (fault?.kind === 'cut') res.socket?.end()
    else res.end()
  }

  const server = createServer((req, res) => void answer(req, res))
  const { origin, close } = await listening(server)
  const repository: Repository = {
    url: `${origin}/`,
    asked: [],
    sent: () => sent,
    fault: () => null,
    close,
  }
  return repository
}

export interface Signer {
  signing: SigningKey
  publicKey: TrustedKey
}

export async function makeSigner(): Promise<Signer> {
  const { privateKey, publicKey } = await makeKeyPair('EdDSA')
  return { signing: await readSigningKey(JSON.stringify(privateKey), 'the key of the test'), publicKey }
}

/** Signs the pointer of a `dist`, with whatever else it should say. */
export async function signDist(dist: string, { signing }: Signer, other: Partial<Pointer> = {}): Promise<Pointer> {
  const pointer: Pointer = { ...renewed(readPointer(dist)!), expires_at: '2099-01-01T00:00:00.000Z', ...other }
  writeFileSync(pointerPath(dist), await signPointer(pointer, [signing]))
  return pointer
}

/** A copy of a repository whose manifest says something else of its files, signed by its own key; gives where it lies. */
export async function copyResigned(
  from: string,
  dist: string,
  signer: Signer,
  change: (files: FileEntry[], dist: string) => void,
): Promise<string> {
  cpSync(from, dist, { recursive: true })
  const { manifest } = readCurrent(dist)
  const files = structuredClone(manifest.files)
  change(files, dist)
  const snapshot = snapshotId(files)
  const bytes = encodeManifest({ ...manifest, files, snapshot })
  const digest = sha256(bytes)
  writeFileSync(manifestPath(dist, digest), bytes)
  await signDist(dist, signer, { snapshot, manifest: { sha256: digest, size: bytes.length } })
  return dist
}

/** Puts other bytes where a file of a manifest lies, under their digest. */
export function replaceObject(dist: string, file: FileEntry, bytes: Buffer): void {
  file.sha256 = sha256(bytes)
  file.size = bytes.length
  mkdirSync(dirname(objectPath(dist, file.sha256)), { recursive: true })
  writeFileSync(objectPath(dist, file.sha256), bytes)
}
