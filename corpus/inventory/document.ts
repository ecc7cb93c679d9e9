/** Reads files whose role nobody states: lock files, SBOMs, and files with decisions. Uses no API of Node. */
import { parseUntrustedJson } from '../model/values/json-text.ts'
import { isObject, type JsonObject } from '../model/values/json-value.ts'
import { assertJson } from './bounds.ts'
import { IGNORE_FILE_NAME } from './decisions/ignore-file.ts'
import { isVex, type ReadDecisions, readIgnoreFile, readVex } from './decisions/read.ts'
import { InventoryError } from './error.ts'
import { inventoryOf, type ReadInventory, textOf } from './read.ts'

/** What a file has. An SBOM in CycloneDX can have both. */
export interface ReadDocument {
  inventory: ReadInventory | null
  decisions: (ReadDecisions & { role: 'ignore' | 'vex' }) | null
  /** Messages about what cannot be read. */
  faults: string[]
}

/** Returns what a file has. `file` is what reports call it, `name` its name without folders, empty for a text. */
export function readDocument(file: string, name: string, bytes: Uint8Array): ReadDocument {
  const read: ReadDocument = { inventory: null, decisions: null, faults: [] }
  const attempt = (work: () => Partial<ReadDocument>) => {
    try {
      Object.assign(read, work())
    } catch (error) {
      if (!(error instanceof InventoryError)) throw error
      read.faults.push(error.message)
    }
  }
  attempt(() => {
    const { packages, decisions } = contentOf(name, textOf(file, bytes))
    if (decisions === 'ignore') attempt(() => ({ decisions: { ...readIgnoreFile(file, bytes), role: decisions } }))
    if (decisions === 'vex') attempt(() => ({ decisions: { ...readVex(file, bytes), role: decisions } }))
    return packages ? { inventory: inventoryOf(file, name, bytes) } : {}
  })
  return read
}

interface Content {
  packages: boolean
  decisions: 'ignore' | 'vex' | null
}

const PACKAGES: Content = { packages: true, decisions: null }

/** Text that files with decisions have. Others are not parsed twice. */
const DECISIONS = /"(?:ignore|csaf_version|vulnerabilities)"\s*:|"https:\/\/openvex\.dev\/ns/

function contentOf(name: string, text: string): Content {
  if (name === IGNORE_FILE_NAME) return { packages: false, decisions: 'ignore' }
  const root = /^\s*\{/.test(text) && DECISIONS.test(text) ? rootOf(text) : null
  if (root === null) return PACKAGES
  if (root.bomFormat === 'CycloneDX') {
    if (!Array.isArray(root.vulnerabilities)) return PACKAGES
    return { packages: Array.isArray(root.components) && root.components.length > 0, decisions: 'vex' }
  }
  if (isVex(root)) return { packages: false, decisions: 'vex' }
  const isIgnoreFile = Object.keys(root).every((key) => key === '$schema' || key === 'ignore')
  return isIgnoreFile ? { packages: false, decisions: 'ignore' } : PACKAGES
}

/** Null for no JSON object. */
function rootOf(text: string): JsonObject | null {
  assertJson(text)
  try {
    const root = parseUntrustedJson(text)
    return isObject(root) ? root : null
  } catch {
    // The reader of packages names the fault.
    return null
  }
}
