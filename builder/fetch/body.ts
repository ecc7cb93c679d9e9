/**
 * Checks a downloaded file before it replaces the previous one. It rejects error pages with status 200, truncated
 * archives and empty lists.
 */

import { createHash } from 'node:crypto'
import { createGunzip } from 'node:zlib'
import { parseUntrustedJson } from '../../corpus/model/values/json-text.ts'
import { openRegularFileHandle, readRegularFile, streamRegularFile } from '../../corpus/runtime/regular-file.ts'
import { TransferError } from '../../corpus/transfer/error.ts'
import { type Form, formOf } from './wanted.ts'

export interface CheckedBody {
  /** The beginning of the plain text; empty for a zip. */
  head: string
  /** SHA-256 (hex) and length of the plain text of a gzip file; null for other forms. */
  plain: { sha256: string; bytes: number } | null
}

const HEAD_BYTES = 64 << 10
const MAX_JSON_BYTES = 512 << 20
/** Deflate reaches at most 1032 to 1; real feeds stay below 30. */
const MAX_RATIO = 200

/** PKWARE APPNOTE 4.3.7 and 4.3.16: the end record has 22 bytes and a comment of at most 65,535. */
const LOCAL_HEADER = 0x04034b50
const END_RECORD = 0x06054b50
const END_BYTES = 22
const MAX_COMMENT = 0xffff
/** Means "see the zip64 record". */
const ZIP64 = 0xffffffff

/**
 * Checks the downloaded file at `path`; its final name `name` decides the form.
 * @throws TransferError `wrong_body`, with what the file is instead
 */
export async function checkBody(path: string, name: string, head: RegExp): Promise<CheckedBody> {
  const start = await readPart(path, 0, HEAD_BYTES)
  if (start.length === 0) throw wrong('it is empty')
  // The usual failure: a login portal or a maintenance page.
  if (/^\s*<(?:!doctype html|html)/i.test(start.toString('latin1', 0, 256))) throw wrong('it is an HTML page')
  const form = formOf(name)
  const body = await CHECKS[form](path, start)
  if (form !== 'zip' && !head.test(body.head))
    throw wrong(`it does not look like ${name}: ${JSON.stringify(body.head.slice(0, 60))}…`)
  return body
}

const wrong = (message: string, cause?: unknown) => new TransferError('wrong_body', message, { cause })

const CHECKS: Readonly<Record<Form, (path: string, start: Buffer) => Promise<CheckedBody>>> = {
  zip: checkZip,
  gzip: checkGzip,
  json: checkJson,
  'json-lines': checkJsonLines,
  text: async (_path, start) => plainText(start),
  xml: checkXml,
}

const plainText = (start: Buffer): CheckedBody => ({ head: start.toString('utf8').replace(/^\ufeff/, ''), plain: null })

/** Checks that the directory precedes an end record at the very end. */
async function checkZip(path: string, start: Buffer): Promise<CheckedBody> {
  if (start.length < 4 || start.readUInt32LE(0) !== LOCAL_HEADER) throw wrong('it is not a zip file, or an empty one')
  const size = await sizeOf(path)
  const from = Math.max(0, size - END_BYTES - MAX_COMMENT)
  const tail = await readPart(path, from, size - from)
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END_RECORD || at + END_BYTES + tail.readUInt16LE(at + 20) !== tail.length) continue
    const [directoryBytes, directoryStart] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
    const isZip64 = directoryBytes === ZIP64 || directoryStart === ZIP64
    if (isZip64 || directoryStart + directoryBytes <= from + at) return { head: '', plain: null }
  }
  throw wrong('it is truncated: its zip directory is missing')
}

/** Inflates everything: CRC and length cover every byte. */
async function checkGzip(path: string, start: Buffer): Promise<CheckedBody> {
  if (start[0] !== 0x1f || start[1] !== 0x8b) throw wrong('it is not a gzip file')
  const most = (await sizeOf(path)) * MAX_RATIO + HEAD_BYTES
  const sha256 = createHash('sha256')
  const head: Buffer[] = []
  let bytes = 0
  const source = streamRegularFile(path)
  const inflater = createGunzip()
  source.on('error', (error) => inflater.destroy(error))
  try {
    for await (const chunk of source.pipe(inflater) as AsyncIterable<Buffer>) {
      if (bytes < HEAD_BYTES) head.push(chunk)
      sha256.update(chunk)
      bytes += chunk.length
      if (bytes > most) throw wrong('it is too large when decompressed')
    }
  } catch (cause) {
    throw cause instanceof TransferError
      ? cause
      : wrong(`it cannot be decompressed: ${(cause as Error).message}`, cause)
  } finally {
    source.destroy()
  }
  const text = plainText(Buffer.concat(head).subarray(0, HEAD_BYTES)).head
  return { head: text, plain: { sha256: sha256.digest('hex'), bytes } }
}

async function checkJson(path: string, start: Buffer): Promise<CheckedBody> {
  const { head } = plainText(start)
  parsed(await readWhole(path), 'it')
  return { head, plain: null }
}

async function checkJsonLines(path: string, start: Buffer): Promise<CheckedBody> {
  const lines = (await readWhole(path)).split('\n')
  for (const [index, line] of lines.entries()) {
    if (line.trim() !== '') parsed(line, `line ${index + 1}`)
  }
  return plainText(start)
}

/** Checks only the final end tag, which comments can follow; the adapter parses it later. */
async function checkXml(path: string, start: Buffer): Promise<CheckedBody> {
  const size = await sizeOf(path)
  let end = (await readPart(path, Math.max(0, size - 1024), 1024)).toString('latin1').trimEnd()
  while (end.endsWith('-->')) end = end.slice(0, Math.max(0, end.lastIndexOf('<!--'))).trimEnd()
  if (!/<\/[\w:.-]+>$/.test(end)) throw wrong('it is truncated: its end is missing')
  return plainText(start)
}

function parsed(text: string, what: string): void {
  try {
    parseUntrustedJson(text)
  } catch (cause) {
    throw wrong(`${what} is not JSON: ${(cause as Error).message}`, cause)
  }
}

async function readWhole(path: string): Promise<string> {
  const size = await sizeOf(path)
  if (size > MAX_JSON_BYTES) throw wrong(`the file has ${size} bytes; the limit is ${MAX_JSON_BYTES}`)
  return readRegularFile(path, MAX_JSON_BYTES)
    .toString()
    .replace(/^\ufeff/, '')
}

async function sizeOf(path: string): Promise<number> {
  const file = await openRegularFileHandle(path)
  try {
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}

async function readPart(path: string, position: number, length: number): Promise<Buffer> {
  const file = await openRegularFileHandle(path)
  try {
    const bytes = Buffer.alloc(length)
    let read = 0
    for (let got = 1; got > 0 && read < length; read += got) {
      got = (await file.read(bytes, read, length - read, position + read)).bytesRead
    }
    return bytes.subarray(0, read)
  } finally {
    await file.close()
  }
}
