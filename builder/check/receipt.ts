/**
 * The receipt of a check: an in-toto statement (v1) about the digests of its files and of its report. `check --replay`
 * repeats it.
 */
import { dirname } from 'node:path'
import { realEffects } from '../../corpus/command/effects.ts'
import { printableJson } from '../../corpus/command/printable.ts'
import { writingTo } from '../../corpus/command/system-error.ts'
import { VERSION } from '../../corpus/command/version.ts'
import type { NotChecked } from '../../corpus/inventory/findings.ts'
import type { OptionalGroup } from '../../corpus/inventory/inventory.ts'
import { parseUntrustedJson } from '../../corpus/model/values/json-text.ts'
import { isObject, type JsonObject } from '../../corpus/model/values/json-value.ts'
import { sha256 } from '../../corpus/runtime/digest.ts'
import type { CheckReport, FailRule } from './check.ts'
import type { CheckResult } from './command.ts'
import { CheckError } from './error.ts'
import { reportJson } from './output/json.ts'
import { readFile } from './read.ts'
import type { DecisionRole } from './read-decisions.ts'

const TYPE = 'https://in-toto.io/Statement/v1'
const PREDICATE_TYPE = 'urn:vulnshelf:check:v1'

/** What the report is called among the subjects. */
const RESULT = 'report.json'

export interface Receipt {
  _type: typeof TYPE
  /** The files and the report, each name once. */
  subject: { name: string; digest: { sha256: string } }[]
  predicateType: typeof PREDICATE_TYPE
  predicate: ReceiptPredicate
}

export interface ReceiptPredicate {
  /** Version of the program. */
  vulnshelf: string
  /** The day by which decisions expire, `YYYY-MM-DD`. */
  date: string
  snapshot: { id: string; createdAt: string }
  /** The snapshot of `--since`. */
  since: { id: string; createdAt: string } | null
  pointer: {
    /** `latest.json` as the repository had it. */
    text: string
    /** Ids of the keys of its signatures, stated or null. Empty if it is not signed. */
    keyIds: (string | null)[]
    /** Whether `--keys` required a valid signature. */
    verified: boolean
  }
  options: { failOn: FailRule; omit: readonly OptionalGroup[] }
  files: { role: 'input' | DecisionRole; file: string; sha256: string }[]
  /** Files that were found and are not read, as the report has them. */
  notRead: NotChecked[]
  result: { sha256: string; outcome: CheckReport['outcome'] }
}

/** What a check knows besides its report. */
export interface CheckFacts extends Pick<ReceiptPredicate, 'date' | 'notRead'> {
  /** `latest.json`. */
  pointer: string
  /** Whether `--keys` required a valid signature. */
  verified: boolean
}

/** @param json the report as `--output json` prints it */
export function receiptOf(report: CheckReport, json: string, facts: CheckFacts): Receipt {
  const files = [
    ...report.files.map(({ file, sha256 }) => ({ role: 'input' as const, file, sha256 })),
    ...report.decisions.files.map(({ role, file, sha256 }) => ({ role, file, sha256 })),
  ]
  const result = { sha256: sha256(json), outcome: report.outcome }
  // An SBOM can be checked, and state decisions.
  const digests = new Map(files.map(({ file, sha256 }) => [file, sha256]))
  const resultName = digests.has(RESULT) ? `${RESULT} (result)` : RESULT
  return {
    _type: TYPE,
    subject: Array.from([...digests, [resultName, result.sha256]] as const, ([name, sha256]) => ({
      name,
      digest: { sha256 },
    })),
    predicateType: PREDICATE_TYPE,
    predicate: {
      vulnshelf: VERSION,
      date: facts.date,
      snapshot: report.snapshot,
      since: report.since && { id: report.since.id, createdAt: report.since.createdAt },
      pointer: { text: facts.pointer, keyIds: keyIdsOf(facts.pointer), verified: facts.verified },
      options: { failOn: report.failOn, omit: report.omit },
      files,
      notRead: facts.notRead,
      result,
    },
  }
}

/** @throws CheckError `receipt` if a file could not be read */
export async function writeReceipt(path: string, { report, facts }: CheckResult): Promise<void> {
  const [unread] = report.unreadable
  if (unread) {
    throw new CheckError('receipt', `no receipt: a file cannot be read: ${unread.message}. Correct it, or exclude it`)
  }
  const { mkdir, write, rename } = realEffects()
  const temporary = `${path}.${process.pid}.part`
  await writingTo(path, async () => {
    await mkdir(dirname(path))
    await write(temporary, Buffer.from(`${printableJson(receiptOf(report, reportJson(report), facts), 1)}\n`))
    await rename(temporary, path)
  })
}

/** RFC 7515: each signature states the id of its key in its protected header. */
function keyIdsOf(pointer: string): (string | null)[] {
  const { signatures } = JSON.parse(pointer) as { signatures?: { protected: string }[] }
  return (signatures ?? []).map(({ protected: header }) => {
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid?: unknown }
    return typeof kid === 'string' ? kid : null
  })
}

/**
 * Reads a receipt.
 * @throws CheckError `receipt`, InventoryError
 */
export function readReceipt(file: string): ReceiptPredicate {
  const faulty = (fault: string, cause?: unknown) =>
    new CheckError('receipt', `${file} is not a receipt of vulnshelf check: ${fault}`, { cause })
  let value: unknown
  try {
    value = parseUntrustedJson(new TextDecoder('utf-8', { fatal: true }).decode(readFile(file)))
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof TypeError)) throw cause
    throw faulty('it is not JSON', cause)
  }
  if (!isObject(value) || value._type !== TYPE) throw faulty(`its '_type' is not ${TYPE}`)
  if (value.predicateType !== PREDICATE_TYPE) throw faulty(`its 'predicateType' is not ${PREDICATE_TYPE}`)
  const { predicate } = value
  const fault = isObject(predicate) ? faultOf(predicate) : "'predicate' is not an object"
  if (fault !== null) throw faulty(fault)
  return predicate as unknown as ReceiptPredicate
}

const ROLES: readonly unknown[] = [
  'input',
  'ignore',
  'beside',
  'vex',
] satisfies ReceiptPredicate['files'][number]['role'][]

/** Returns what a replay could not use. */
function faultOf(predicate: JsonObject): string | null {
  const { vulnshelf, date, snapshot, since, options, files, notRead, result } = predicate
  const isId = (one: unknown) => isObject(one) && isDigest(one.id)
  const isFile = (one: unknown) =>
    isObject(one) && ROLES.includes(one.role) && typeof one.file === 'string' && isDigest(one.sha256)
  if (typeof vulnshelf !== 'string') return "'vulnshelf' is not a version"
  if (typeof date !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(date)) return "'date' is not a day"
  if (!isId(snapshot)) return "'snapshot' names no snapshot"
  if (since !== null && !isId(since)) return "'since' names no snapshot"
  if (!isObject(options) || !isObject(options.failOn) || !Array.isArray(options.omit)) return "'options' are missing"
  if (!Array.isArray(files) || !files.every(isFile)) return "'files' are no files with digests"
  if (!Array.isArray(notRead) || !notRead.every(isObject)) return "'notRead' is no list"
  return isObject(result) && isDigest(result.sha256) ? null : "'result' has no digest"
}

const isDigest = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
