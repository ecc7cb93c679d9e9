/** Software bills of materials: each function reads one format of the table. */
import { isObject, type JsonObject } from '../../../model/values/json-value.ts'
import { FormatError } from '../../error.ts'
import { type Inventory, InventoryBuilder } from '../../inventory.ts'
import { type JsonFile, parseJsonFile } from '../json.ts'
import { parseYamlFile } from '../yaml.ts'
import { addCycloneDx } from './cyclonedx.ts'
import { cycloneDxOfXml } from './cyclonedx-xml.ts'
import { isStatement, parseJsonLines, sbomPredicates } from './in-toto.ts'
import { addSpdx } from './spdx.ts'
import { parseTagValue } from './spdx-tag-value.ts'
import { addSpdx3 } from './spdx3.ts'
import { addSyft } from './syft.ts'

type AddDocument = (file: JsonFile, found: InventoryBuilder) => void

/** Reads a document that is not inside a statement. */
const reading =
  (parse: (content: string) => JsonFile, add: AddDocument) =>
  (content: string): Inventory => {
    const found = new InventoryBuilder()
    add(parse(content), found)
    return found
  }

/** Files of these formats can be statements around their document. */
const readingJson = (add: AddDocument) =>
  reading(parseJsonFile, (file, found) => (isStatement(file.root) ? addStatements([file], found) : add(file, found)))

export const parseCycloneDx = readingJson(addCycloneDx)
export const parseSpdx = readingJson((file, found) => (isSpdx3(file.root) ? addSpdx3 : addSpdx)(file, found))
export const parseSyft = readingJson(addSyft)
export const parseCycloneDxXml = reading(cycloneDxOfXml, addCycloneDx)
export const parseSpdxYaml = reading(parseYamlFile, addSpdx)
export const parseSpdxTagValue = reading(parseTagValue, addSpdx)

export function parseStatements(content: string): Inventory {
  const found = new InventoryBuilder()
  addStatements(parseJsonLines(content), found)
  return found
}

function addStatements(files: readonly JsonFile[], found: InventoryBuilder): void {
  for (const { content, lineOf } of sbomPredicates(files)) {
    if (typeof content === 'string') addText(content, found)
    else documentReader(content)({ root: content, lineOf }, found)
  }
}

/** A text has lines of its own, which are none of the file. */
function addText(content: string, found: InventoryBuilder): void {
  const lineOf = () => null
  try {
    if (/^\s*\{/.test(content)) {
      const { root } = parseJsonFile(content)
      documentReader(root)({ root, lineOf }, found)
    } else if (/^\s*</.test(content)) addCycloneDx({ root: cycloneDxOfXml(content).root, lineOf }, found)
    else addSpdx({ root: parseTagValue(content).root, lineOf }, found)
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    throw new FormatError(`the text in its predicate is not valid: ${cause.message}`, null, { cause })
  }
}

function documentReader(root: JsonObject): AddDocument {
  if (root.bomFormat !== undefined) return addCycloneDx
  if (isSpdx3(root)) return addSpdx3
  return root.artifacts === undefined ? addSpdx : addSyft
}

const isSpdx3 = (root: JsonObject): boolean =>
  root['@context'] !== undefined && root.spdxVersion === undefined && !isObject(root.sbom)
