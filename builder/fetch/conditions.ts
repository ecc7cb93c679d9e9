/**
 * Conditional and partial requests (RFC 9110 13 and 14): request headers, and the meaning of the answer. Makes no
 * requests.
 */

import { TransferError } from '../../corpus/transfer/error.ts'
import type { Answer } from '../../corpus/transfer/network.ts'
import { statusError } from '../../corpus/transfer/retry.ts'
import type { Validators } from './state.ts'

export interface LocalFile {
  /** The last complete file, if it still exists. */
  whole: Validators | null
  /** The first bytes of a version that the server can complete. */
  part: (Validators & { bytes: number }) | null
}

/** Returns a strong ETag, else the date (RFC 9110 13.1.5). Null means that the download cannot resume. */
export function resumeValidator({ etag, lastModified }: Validators): string | null {
  return etag !== null && !etag.startsWith('W/') ? etag : lastModified
}

export function requestHeaders({ whole, part }: LocalFile): Record<string, string> {
  const headers: Record<string, string> = {}
  if (whole?.etag) headers['if-none-match'] = whole.etag
  else if (whole?.lastModified) headers['if-modified-since'] = whole.lastModified
  const condition = part ? resumeValidator(part) : null
  if (part && condition !== null) {
    headers.range = `bytes=${part.bytes}-`
    headers['if-range'] = condition
  }
  return headers
}

/** `bytes` begin at `offset`; `complete` means that all bytes exist locally. */
export type AnswerMeaning =
  | { kind: 'unchanged' }
  | { kind: 'complete' }
  | { kind: 'bytes'; offset: number; total: number | null; validators: Validators }

/** Interprets an answer. @throws TransferError for an unexpected answer; `restart` if the partial file is useless */
export function readAnswer(
  answer: Pick<Answer, 'status' | 'headers'>,
  { whole, part }: LocalFile,
  now: Date,
): AnswerMeaning {
  const { status, headers } = answer
  const validators = validatorsOf(headers)
  if (status === 200) return { kind: 'bytes', offset: 0, total: lengthIn(headers['content-length']), validators }
  if (status === 304 && whole) return { kind: 'unchanged' }
  if (part && status === 206) return readRest(headers, part, validators)
  // 416 for a range that begins at the end: the partial file is complete, or longer than the file.
  if (part && status === 416) {
    const total = /^bytes \*\/(\d{1,15})$/.exec(headers['content-range'] ?? '')?.[1]
    if (Number(total) === part.bytes) return { kind: 'complete' }
    throw new TransferError('restart', 'the server cannot resume the download; starting again')
  }
  throw statusError(answer, now)
}

function readRest(
  headers: Answer['headers'],
  part: NonNullable<LocalFile['part']>,
  validators: Validators,
): AnswerMeaning {
  const range = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(headers['content-range'] ?? '')
  if (!range || Number(range[1]) !== part.bytes) {
    throw new TransferError('restart', `the server returned another range: '${headers['content-range'] ?? ''}'`)
  }
  // A server that ignores If-Range would mix two versions.
  const name = validators.etag !== null && part.etag !== null ? 'etag' : 'lastModified'
  if (validators[name] !== null && part[name] !== null && validators[name] !== part[name]) {
    throw new TransferError('restart', 'the file changed on the server; starting again')
  }
  const total = range[3] === '*' ? null : Number(range[3])
  return { kind: 'bytes', offset: part.bytes, total, validators: { etag: part.etag, lastModified: part.lastModified } }
}

function validatorsOf(headers: Answer['headers']): Validators {
  return { etag: headers.etag ?? null, lastModified: headers['last-modified'] ?? null }
}

function lengthIn(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : null
}
