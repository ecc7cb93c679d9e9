/** Compares digests of downloaded files with those in listings, headers and `.meta` files. */
import { createHash } from 'node:crypto'
import { streamRegularFile } from '../../corpus/runtime/regular-file.ts'
import { TransferError } from '../../corpus/transfer/error.ts'
import type { Answer } from '../../corpus/transfer/network.ts'

export interface FileDigests {
  bytes: number
  /** Hexadecimal. */
  sha256: string
  md5: string
}

export async function digestsOf(path: string): Promise<FileDigests> {
  const [sha256, md5] = [createHash('sha256'), createHash('md5')]
  let bytes = 0
  for await (const chunk of streamRegularFile(path) as AsyncIterable<Buffer>) {
    sha256.update(chunk)
    md5.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: sha256.digest('hex'), md5: md5.digest('hex') }
}

/** Returns the stated digests in hex: `Repr-Digest` (RFC 9530), `x-goog-hash` (OSV). */
export function statedDigests(headers: Answer['headers']): Partial<Pick<FileDigests, 'sha256' | 'md5'>> {
  const sha256 = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(headers['repr-digest'] ?? '')?.[1]
  const md5 = /(?:^|,)\s*md5=([A-Za-z0-9+/]{22}==)/.exec(headers['x-goog-hash'] ?? '')?.[1]
  const hex = (base64: string) => Buffer.from(base64, 'base64').toString('hex')
  return { ...(sha256 ? { sha256: hex(sha256) } : {}), ...(md5 ? { md5: hex(md5) } : {}) }
}

/** @throws TransferError `digest` if a stated digest differs */
export function compareDigests(found: FileDigests, stated: Partial<FileDigests>, by: string): void {
  for (const name of ['bytes', 'sha256', 'md5'] as const) {
    if (stated[name] !== undefined && stated[name] !== found[name]) {
      throw new TransferError('digest', `its ${name} is ${found[name]}, but ${by} states ${stated[name]}`)
    }
  }
}

/** The line that readers of NVD's feeds need, and no other page has. */
export const META_HEAD = /^lastModifiedDate:\d{4}-/m

/** Parses NVD's `.meta`: `gzSize:19873` and `sha256:…` (of the plain JSON). */
export function readMeta(text: string): { gzipBytes?: number; plainSha256?: string } {
  const gzSize = /^gzSize:(\d{1,15})\s*$/m.exec(text)?.[1]
  const sha256 = /^sha256:([0-9a-f]{64})\s*$/im.exec(text)?.[1]
  return {
    ...(gzSize ? { gzipBytes: Number(gzSize) } : {}),
    ...(sha256 ? { plainSha256: sha256.toLowerCase() } : {}),
  }
}
