/**
 * in-toto statements, which are attestations around an SBOM. A statement can be inside a DSSE envelope, and this one in a
 * bundle of Sigstore. Signatures are not checked.
 */
import { isObject, type JsonObject, text } from '../../../model/values/json-value.ts'
import { FormatError } from '../../error.ts'
import { type JsonFile, parseJsonFile } from '../json.ts'
import { linesOf } from '../text.ts'

const STATEMENT = 'https://in-toto.io/Statement/'
const PAYLOAD_TYPE = 'application/vnd.in-toto+json'

/** The predicates that are SBOMs, also with a version behind them. */
const SBOM_TYPES = ['https://spdx.dev/Document', 'https://cyclonedx.org/bom', 'https://syft.dev/bom']

export interface Predicate {
  /** A document in JSON, or a text in another form. */
  content: JsonObject | string
  lineOf: JsonFile['lineOf']
}

export const isStatement = (root: JsonObject): boolean =>
  text(root._type)?.startsWith(STATEMENT) === true || root.payloadType === PAYLOAD_TYPE || isObject(root.dsseEnvelope)

/**
 * Returns the SBOM of each statement. Statements about other things are left out.
 * @throws FormatError if there is none; BoundError
 */
export function sbomPredicates(files: readonly JsonFile[]): Predicate[] {
  const types = new Set<string>()
  const found = files.flatMap((file) => {
    const { root, lineOf } = statementOf(file)
    const type = text(root.predicateType) ?? 'none'
    types.add(type)
    const isSbom = SBOM_TYPES.some((one) => type === one || type.startsWith(`${one}/`))
    return isSbom ? [{ content: documentIn(root, lineOf), lineOf }] : []
  })
  if (found.length > 0) return found
  throw new FormatError(`it states no SBOM, but ${[...types].join(', ')}`, files[0]?.lineOf(files[0].root) ?? null)
}

/** cosign puts some documents under the key `Data`, and those that are not JSON in a text. */
function documentIn({ predicate }: JsonObject, lineOf: JsonFile['lineOf']): JsonObject | string {
  const document = isObject(predicate) && predicate.Data !== undefined ? predicate.Data : predicate
  if (isObject(document) || typeof document === 'string') return document
  throw new FormatError("its 'predicate' is not a JSON object", isObject(predicate) ? lineOf(predicate) : null)
}

function statementOf(file: JsonFile): JsonFile {
  const { root, lineOf } = file
  const envelope = isObject(root.dsseEnvelope) ? root.dsseEnvelope : root
  if (envelope.payloadType === undefined) return file
  const line = lineOf(root)
  if (envelope.payloadType !== PAYLOAD_TYPE) throw new FormatError(`its 'payloadType' is not ${PAYLOAD_TYPE}`, line)
  const statement = parsePayload(envelope.payload, line)
  if (!text(statement._type)?.startsWith(STATEMENT)) throw new FormatError('its payload is not a statement', line)
  // Lines of the payload are none of the file.
  return { root: statement, lineOf: () => line }
}

function parsePayload(payload: unknown, line: number | null): JsonObject {
  let bytes: Uint8Array
  try {
    if (typeof payload !== 'string') throw new TypeError('no text')
    bytes = bytesOf(payload)
  } catch (cause) {
    throw new FormatError("its 'payload' is not base64", line, { cause })
  }
  try {
    return parseJsonFile(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).root
  } catch (cause) {
    if (cause instanceof TypeError) throw new FormatError('its payload is not in UTF-8', line, { cause })
    if (!(cause instanceof FormatError)) throw cause
    throw new FormatError(`its payload is not valid: ${cause.message}`, line, { cause })
  }
}

/** The alphabet is the one of URLs, or the other one. @throws DOMException */
function bytesOf(base64: string): Uint8Array {
  const binary = atob(base64.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

/** Returns the only document, or those of each line (JSON Lines). @throws FormatError, BoundError */
export function parseJsonLines(content: string): JsonFile[] {
  const lines = linesOf(content).map((line) => line.trim())
  const documents = lines.flatMap((text, i) => (text === '' ? [] : [{ text, line: i + 1 }]))
  const isList = documents.length > 1 && documents.every(({ text }) => text.startsWith('{') && text.endsWith('}'))
  return isList ? documents.map(({ text, line }) => jsonLine(text, line)) : [parseJsonFile(content)]
}

function jsonLine(content: string, line: number): JsonFile {
  try {
    return { root: parseJsonFile(content).root, lineOf: () => line }
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    throw new FormatError(cause.message, line, { cause })
  }
}
