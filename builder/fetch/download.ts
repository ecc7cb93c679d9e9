/**
 * Downloads one file: conditional request, partial file in the same folder, checks, then rename. After any failure,
 * the previous file stays.
 */
import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { cannotWrite, isDiskError, isSystemError } from '../../corpus/command/system-error.ts'
import type { PublishedFeed } from '../../corpus/feeds/table.ts'
import { daysBetween } from '../../corpus/model/values/date.ts'
import { decodedAnswer } from '../../corpus/transfer/content-encoding.ts'
import { TransferError, type TransferErrorCode } from '../../corpus/transfer/error.ts'
import type { Answer, NetworkEffects } from '../../corpus/transfer/network.ts'
import { receive } from '../../corpus/transfer/receive.ts'
import { type Credentials, get, type LocatedAnswer } from '../../corpus/transfer/request.ts'
import { logWait, watchGain, withRetries } from '../../corpus/transfer/retry.ts'
import { type AnswerMeaning, type LocalFile, readAnswer, requestHeaders, resumeValidator } from './conditions.ts'
import { addMeta, installFile } from './install.ts'
import type { FetchState, StateFile } from './state.ts'
import { metaPath, type WantedFile } from './wanted.ts'

export interface DownloadContext {
  feeds: string
  effects: NetworkEffects
  state: StateFile
  credentials: Credentials
  /** Origins that all attempts for a file failed to reach. Each further file has one attempt, so that a night ends. */
  unreachable: Set<string>
  /** `total` is null if the server does not state it. */
  onBytes(path: string, done: number, total: number | null): void
}

export interface FileReport {
  /** Path in the feeds folder, with `/`. */
  path: string
  url: string
  /** `older`: the server's file is older than the one here, which stays. */
  status: 'fetched' | 'unchanged' | 'missing' | 'older' | 'failed'
  /** Null if there is no file. */
  bytes: number | null
  /** Bytes over the network in this run, including failed attempts. */
  received: number
  attempts: number
  seconds: number
  error?: { code: string; message: string }
  /** The file here that stays after an error: its date, and its age in days. Absent if there is none. */
  stays?: { date: string; ageDays: number }
}

/** Failures of the publisher never throw; the report contains them. */
export async function download(feed: PublishedFeed, wanted: WantedFile, context: DownloadContext): Promise<FileReport> {
  const { effects, state, unreachable } = context
  const { origin } = wanted.url
  const started = effects.now().getTime()
  const gain = watchGain()
  const work: Work = { ...context, feed, wanted, received: 0, reached: gain.reached }
  let attempts = 0
  const report = (status: FileReport['status'], error?: TransferError): FileReport => {
    const kept = state.state.files[wanted.path]
    return {
      path: kept?.path ?? wanted.path,
      url: wanted.url.href,
      status,
      bytes: kept?.bytes ?? null,
      received: work.received,
      attempts,
      seconds: (effects.now().getTime() - started) / 1000,
      ...(error ? { error: { code: error.code, message: error.message } } : {}),
      ...(error && kept ? { stays: ageOf(kept, effects.now()) } : {}),
    }
  }
  try {
    if (await isThere(work)) return report('unchanged')
    const status = await withRetries(effects, () => attemptOnce(work), {
      onAttempt: (attempt) => {
        attempts = attempt
      },
      gained: gain.gained,
      unreachable: unreachable.has(origin),
      onWait: logWait(wanted.path, effects),
    })
    unreachable.delete(origin)
    return report(status)
  } catch (cause) {
    const error = reported(cause, context.feeds)
    if (error.code === 'network') unreachable.add(origin)
    else unreachable.delete(origin)
    if (error.code === 'older') return report('older', error)
    // A file that was there before is not late.
    const isLate = error.code === 'missing' && wanted.mayBeMissing && !(wanted.path in state.state.files)
    return isLate ? report('missing') : report('failed', error)
  }
}

/** The date is that of the publisher, or of the download. */
function ageOf({ lastModified, fetchedAt }: FetchState['files'][string], now: Date): NonNullable<FileReport['stays']> {
  const modified = Date.parse(lastModified ?? '')
  const date = new Date(modified <= now.getTime() ? modified : fetchedAt).toISOString()
  return { date, ageDays: daysBetween(date, now.toISOString()) }
}

/** Disk errors become part of the report. Others are bugs and rethrown. */
function reported(cause: unknown, feeds: string): TransferError {
  if (cause instanceof TransferError) return cause
  if (!isSystemError(cause)) throw cause
  const message = isDiskError(cause) ? cannotWrite(feeds, cause) : cause.message
  return new TransferError('unusable', message, { cause })
}

/** If the listed digest is here already, no request is needed. */
async function isThere({ feeds, state: { state }, wanted }: Work): Promise<boolean> {
  const kept = state.files[wanted.path]
  if (!kept || wanted.sha256 === undefined || wanted.sha256 !== kept.sha256) return false
  return (await sizeOf(join(feeds, kept.path))) === kept.bytes
}

interface Work extends DownloadContext {
  feed: PublishedFeed
  wanted: WantedFile
  received: number
  reached(length: number): void
}

/** No adapter accepts this name. */
export const partialName = (path: string) => join(dirname(path), `.${basename(path)}.partial`)

/** Errors after which the partial file is useless. */
const SPOILING: readonly TransferErrorCode[] = ['restart', 'too_large', 'wrong_body', 'digest', 'older']

async function attemptOnce(work: Work): Promise<'fetched' | 'unchanged'> {
  const partial = join(work.feeds, partialName(work.wanted.path))
  try {
    const present = await findPresent(work, partial)
    const sent = await get(work.effects, work.wanted.url, requestHeaders(present), work.credentials)
    const answer = await decodedAnswer(sent, work.wanted.path)
    const given = await judged(answer, present, work.effects.now())
    if (given.kind === 'unchanged') {
      await dropPartial(work, partial)
      if (work.wanted.meta && !(await hasMeta(work))) await addMeta(work, work.wanted.meta)
      return 'unchanged'
    }
    if (given.kind === 'bytes') await receiveInto(work, partial, answer, given)
    await installFile(work, partial, answer)
    return 'fetched'
  } catch (error) {
    if (error instanceof TransferError && SPOILING.includes(error.code)) await dropPartial(work, partial)
    throw error
  }
}

/** Discards the body unless it is needed. */
async function judged(answer: Answer, present: LocalFile, now: Date): Promise<AnswerMeaning> {
  try {
    const given = readAnswer(answer, present, now)
    if (given.kind !== 'bytes') await answer.discard()
    return given
  } catch (error) {
    await answer.discard()
    throw error
  }
}

async function findPresent({ feeds, state: { state }, wanted }: Work, partial: string): Promise<LocalFile> {
  const kept = state.files[wanted.path]
  const url = wanted.url.href
  const isWhole = kept?.url === url && (await sizeOf(join(feeds, kept.path))) === kept.bytes
  // Another listed digest means another file, whatever the server answers.
  const isWanted = wanted.sha256 === undefined || wanted.sha256 === kept?.sha256
  const part = state.partials[wanted.path]
  const bytes = part?.url === url && resumeValidator(part) !== null ? await sizeOf(partial) : null
  return {
    whole: kept && isWhole && isWanted ? kept : null,
    part: part && bytes ? { ...part, bytes } : null,
  }
}

async function receiveInto(
  work: Work,
  partial: string,
  answer: LocatedAnswer,
  { offset, total, validators }: Extract<AnswerMeaning, { kind: 'bytes' }>,
): Promise<void> {
  const { effects, state, wanted } = work
  try {
    const most = wanted.bytes ?? wanted.maxBytes
    if (total !== null && wanted.bytes !== undefined && total !== wanted.bytes) {
      throw new TransferError('digest', `its server announces ${total} bytes, but the list states ${wanted.bytes}`)
    }
    if (total !== null && total > wanted.maxBytes) {
      throw new TransferError('too_large', `the file has ${total} bytes; the limit is ${wanted.maxBytes}`)
    }
    await effects.mkdir(dirname(partial))
    const file = await effects.grow(partial, offset)
    try {
      // `grow` has truncated the file. A kill before this update leaves no old bytes under new validators.
      if (offset === 0) {
        await state.update(({ partials }) => {
          partials[wanted.path] = { url: wanted.url.href, ...validators }
        })
      }
      await receive(answer.body, file, {
        offset,
        total,
        most,
        now: effects.now,
        onBytes: (position, bytes) => {
          work.received += bytes
          work.reached(position)
          work.onBytes(wanted.path, position, total)
        },
      })
    } finally {
      await file.close()
    }
  } catch (error) {
    await answer.discard()
    throw error
  }
}

async function hasMeta({ feeds, state: { state }, wanted }: Work): Promise<boolean> {
  const kept = state.files[metaPath(wanted.path)]
  return kept !== undefined && (await sizeOf(join(feeds, kept.path))) === kept.bytes
}

async function dropPartial({ effects, state, wanted }: Work, partial: string): Promise<void> {
  await effects.remove(partial)
  if (!(wanted.path in state.state.partials)) return
  await state.update(({ partials }) => {
    delete partials[wanted.path]
  })
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
