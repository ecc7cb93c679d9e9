/** Reads the packages that a lock file or SBOM names. Uses no API of Node. */
import { BoundError, FormatError, InventoryError } from './error.ts'
import { binaryFile, FORMATS, formatOf, unreadFile } from './formats/table.ts'
import { lineAt } from './formats/text.ts'
import { type Component, componentKey, type Group, type Inventory, joinedGroups } from './inventory.ts'

export interface ReadInventory extends Inventory {
  /** What reports call the file. */
  file: string
  format: string
}

/**
 * Returns the packages of a file, each version once, with the line where it occurs first. `file` is its path as far as it
 * is known, `name` its name without folders, `shown` what messages call it.
 * @throws InventoryError
 */
export function inventoryOf(file: string, name: string, bytes: Uint8Array, shown = file): ReadInventory {
  const binary = binaryFile(name)
  if (binary !== null) throw new InventoryError('unknown-format', `${shown} is ${binary}`)
  const text = textOf(shown, bytes)
  const format = formatOf(name, text, file)
  if (format === null) {
    const known = FORMATS.map((one) => one.name).join('; ')
    const what = unreadFile(name) ?? 'in no known format'
    throw new InventoryError('unknown-format', `${shown} is ${what}. Known formats: ${known}`)
  }
  try {
    const { components, skipped } = format.parse(text)
    return { file, format: format.name, components: unique(components), skipped }
  } catch (cause) {
    if (cause instanceof BoundError)
      throw new InventoryError('too-large', boundMessage(shown, format.name, cause), { cause })
    if (!(cause instanceof FormatError)) throw cause
    const position = cause.line === null ? shown : `${shown}:${cause.line}`
    const remedy = 'Write the file again with its tool, or rename it if it has another format'
    throw new InventoryError('malformed', `${position}: not a valid ${format.name}: ${cause.message}. ${remedy}`, {
      cause,
    })
  }
}

const boundMessage = (shown: string, format: string, { message }: BoundError) =>
  `${shown} is too large for a ${format}: ${message}. Write the file again with its tool, or split it and check each part`

/** Files of PowerShell are in UTF-16. A byte order mark is removed. */
export function textOf(shown: string, bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  const text = utf8(shown, bytes)
  const nul = text.indexOf('\0')
  if (nul === -1) return text
  throw new InventoryError(
    'unreadable',
    `${shown}:${lineAt(text, nul)}: it has a NUL byte, so it is no text. Choose another file`,
  )
}

function utf8(shown: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    const text = inStatedEncoding(bytes)
    if (text !== null) return text
    throw new InventoryError('unreadable', `${shown} is not a text in UTF-8. Choose another file`, { cause })
  }
}

/** XML states its encoding in the first line. Null without one, or for one that is not known. */
function inStatedEncoding(bytes: Uint8Array): string | null {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200))
  const encoding = /^<\?xml\s[^<>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1]
  if (encoding === undefined || /^utf-?(?:8|16)/i.test(encoding)) return null
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** The groups of all occurrences need a package. */
function unique(components: readonly Component[]): Component[] {
  const found = new Map<string, Component>()
  for (const component of components) {
    const key = componentKey(component)
    const first = found.get(key)
    if (first === undefined) found.set(key, { ...component })
    else if (first.groups === null || component.groups === null) first.groups = null
    else first.groups = joinedGroups([...first.groups, ...component.groups])
  }
  return [...found.values()]
}

/** Returns the inventory without packages that only groups in `omit` need, and how many these are. */
export function withoutGroups<Read extends Inventory>(
  inventory: Read,
  omit: readonly Group[],
): { inventory: Read; omitted: number } {
  const components = inventory.components.filter(
    ({ groups }) => groups === null || groups.some((group) => !omit.includes(group)),
  )
  return { inventory: { ...inventory, components }, omitted: inventory.components.length - components.length }
}
