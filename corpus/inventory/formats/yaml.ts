/** YAML of lock files and SBOMs, with the lines of its nodes. All scalars are texts. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments, type YAMLMap } from 'yaml'
import { shortened } from '../../command/format.ts'
import type { JsonObject } from '../../model/values/json-value.ts'
import { assertYaml } from '../bounds.ts'
import { FormatError } from '../error.ts'
import type { JsonFile } from './json.ts'

export type Mapping = YAMLMap<unknown, unknown>

export interface YamlFile {
  documents: Mapping[]
  /** Returns the line where a node begins, from 1. */
  lineAt(node: unknown): number | null
}

/**
 * Returns the mappings of a stream of documents. Aliases stay as they are, so none expands.
 * @throws FormatError, BoundError
 */
export function parseYamlDocuments(text: string): YamlFile {
  assertYaml(text)
  const lineCounter = new LineCounter()
  const lineOf = (offset: number) => lineCounter.linePos(offset).line
  // The search for equal keys takes quadratic time.
  const options = { schema: 'failsafe', lineCounter, uniqueKeys: false, prettyErrors: false } as const
  let parsed: ReturnType<typeof parseAllDocuments>
  try {
    parsed = parseAllDocuments(text, options)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new FormatError('it is nested too deep', null, { cause })
  }
  const documents = ('empty' in parsed ? [] : parsed).map(({ contents, errors: [error] }) => {
    if (error) {
      const what = error.code === 'RESOURCE_EXHAUSTION' ? 'it is nested too deep' : `it is not YAML: ${error.message}`
      throw new FormatError(what, lineOf(error.pos[0]), { cause: error })
    }
    if (!isMap(contents))
      throw new FormatError('it is not a YAML mapping', contents?.range ? lineOf(contents.range[0]) : 1)
    return contents as Mapping
  })
  const lineAt = (node: unknown) => {
    const { range } = node as { range?: readonly [number, ...unknown[]] | null }
    return range ? lineOf(range[0]) : null
  }
  return { documents, lineAt }
}

const MAX_LEVELS = 1000

/**
 * Returns the only document, in the form of JSON: mappings are objects, sequences are lists, scalars are texts. Of equal
 * keys, the last counts.
 * @throws FormatError, BoundError
 */
export function parseYamlFile(text: string): JsonFile {
  const { documents, lineAt } = parseYamlDocuments(text)
  const [root, second] = documents
  if (root === undefined) throw new FormatError('it is empty', 1)
  if (second !== undefined) throw new FormatError('it has more than one document', lineAt(second))
  const lines = new Map<object, number | null>()
  const convert = (node: unknown, level: number): unknown => {
    if (level > MAX_LEVELS) throw new FormatError('it is nested too deep', lineAt(node))
    if (isScalar(node)) return node.value
    if (isAlias(node)) throw new FormatError(`it has an alias, *${node.source}, which is not read`, lineAt(node))
    let value: unknown = null
    if (isMap(node)) {
      value = Object.fromEntries(
        node.items.map(({ key, value }) => [isScalar(key) ? String(key.value) : '', convert(value, level + 1)]),
      )
    } else if (isSeq(node)) value = node.items.map((item) => convert(item, level + 1))
    if (typeof value === 'object' && value !== null) lines.set(value, lineAt(node))
    return value
  }
  return { root: convert(root, 1) as JsonObject, lineOf: (object) => lines.get(object) ?? null }
}

/** A key without a value: in this schema, `null` and `~` are texts. So is an absent one. */
export const isEmpty = (node: unknown): boolean =>
  node === undefined ||
  node === null ||
  (isScalar(node) && (node.value === null || ['', 'null', '~'].includes(node.value as string)))

export interface YamlEntry {
  key: string
  value: unknown
  /** Number of the line with the key, from 1. Null if unknown. */
  line: number | null
}

/**
 * Returns the entries of a mapping; none if it is empty or absent.
 * @throws FormatError if it is no mapping, or a key is no text
 */
export function entriesOf(name: string, node: unknown, lineAt: YamlFile['lineAt']): YamlEntry[] {
  if (isEmpty(node)) return []
  if (!isMap(node)) throw new FormatError(`'${shortened(name, 100)}' is not a mapping`, lineAt(node))
  return node.items.map(({ key, value }) => {
    const line = lineAt(key)
    if (!isScalar(key) || typeof key.value !== 'string' || key.value === '') {
      throw new FormatError(`a key in '${shortened(name, 100)}' is not a text`, line)
    }
    return { key: key.value, value, line }
  })
}

/** Returns the items of a sequence; none if it is empty or absent. @throws FormatError if it is no sequence */
export function itemsOf(name: string, node: unknown, lineAt: YamlFile['lineAt']): unknown[] {
  if (isEmpty(node)) return []
  if (!isSeq(node)) throw new FormatError(`'${shortened(name, 100)}' is not a sequence`, lineAt(node))
  return node.items
}

/** Returns the text of a scalar of a mapping. Null if it has none. */
export function textIn(mapping: unknown, key: string): string | null {
  const value = isMap(mapping) ? mapping.get(key) : null
  return typeof value === 'string' && value !== '' ? value : null
}

export const textOf = (node: unknown): string => String(isScalar(node) ? node.value : '')
