/** Reads files with decisions: ignore files, and VEX documents in three formats. Uses no API of Node. */
import type { JsonObject } from '../../model/values/json-value.ts'
import { assertCount, MAX_ENTRIES } from '../bounds.ts'
import { BoundError, FormatError, InventoryError } from '../error.ts'
import { type JsonFile, parseJsonFile } from '../formats/json.ts'
import { textOf } from '../read.ts'
import { csafStatements } from './csaf.ts'
import { cycloneDxStatements } from './cyclonedx-vex.ts'
import { type StatedFacts, statementOf } from './fields.ts'
import { IGNORE_FILE_NAME, ignoreEntries } from './ignore-file.ts'
import { openVexStatements } from './openvex.ts'
import type { Statement } from './statement.ts'

export interface ReadDecisions {
  /** What reports call the file. */
  file: string
  format: string
  /** In the order of the file. */
  statements: Statement[]
}

interface VexFormat {
  name: string
  isFormat(root: JsonObject): boolean
  statements(json: JsonFile): StatedFacts[]
}

const VEX_FORMATS: readonly VexFormat[] = [
  {
    name: 'OpenVEX',
    isFormat: (root) => String(root['@context']).startsWith('https://openvex.dev/ns'),
    statements: openVexStatements,
  },
  { name: 'CycloneDX VEX', isFormat: ({ bomFormat }) => bomFormat === 'CycloneDX', statements: cycloneDxStatements },
  {
    name: 'CSAF VEX',
    isFormat: ({ document }) => typeof document === 'object' && document !== null && 'csaf_version' in document,
    statements: csafStatements,
  },
]

/** Whether it is a VEX document by its form. */
export const isVex = (root: JsonObject): boolean => VEX_FORMATS.some(({ isFormat }) => isFormat(root))

/**
 * Returns the entries of an ignore file.
 * @throws InventoryError
 */
export const readIgnoreFile = (file: string, bytes: Uint8Array): ReadDecisions =>
  reading(file, bytes, (json) => ({ format: IGNORE_FILE_NAME, stated: ignoreEntries(json) }))

/**
 * Returns the statements of a VEX document.
 * @throws InventoryError
 */
export const readVex = (file: string, bytes: Uint8Array): ReadDecisions =>
  reading(file, bytes, (json) => {
    const format = VEX_FORMATS.find(({ isFormat }) => isFormat(json.root))
    if (format) return { format: format.name, stated: format.statements(json) }
    const known = VEX_FORMATS.map(({ name }) => name).join(', ')
    throw new InventoryError('unknown-format', `${file} is no VEX document in a known format. Known formats: ${known}`)
  })

function reading(
  file: string,
  bytes: Uint8Array,
  read: (json: JsonFile) => { format: string; stated: StatedFacts[] },
): ReadDecisions {
  const text = textOf(file, bytes)
  try {
    const { format, stated } = read(parseJsonFile(text))
    assertCount(stated.length, MAX_ENTRIES, 'statements')
    return { file, format, statements: stated.map((one) => statementOf(file, one)) }
  } catch (cause) {
    if (cause instanceof BoundError)
      throw new InventoryError('too-large', `${file} is too large: ${cause.message}`, { cause })
    if (!(cause instanceof FormatError)) throw cause
    const position = cause.line === null ? file : `${file}:${cause.line}`
    throw new InventoryError('malformed', `${position}: ${cause.message}. Correct the file`, { cause })
  }
}
