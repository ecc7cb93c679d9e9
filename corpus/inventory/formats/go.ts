/** `go.sum` and `go.mod` of Go. */
import { shortened } from '../../command/format.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { linesOf } from './text.ts'

/** Lines of modules whose code the build may use. Those with `/go.mod` only take part in the choice of versions. */
export function parseGoSum(text: string): Inventory {
  const found = new InventoryBuilder()
  for (const [i, line] of linesOf(text).entries()) {
    if (line.trim() === '') continue
    const [, name, version] = /^(\S+) (v\S+) h1:\S+$/.exec(line.trim()) ?? []
    if (name === undefined) throw new FormatError(`'${shortened(line, 60)}' is not a module with its hash`, i + 1)
    if (!version!.endsWith('/go.mod')) found.add('Go', name, withoutPrefix(version!), { line: i + 1 })
  }
  return found
}

/** Advisories state versions without the prefix. */
const withoutPrefix = (version: string) => version.replace(/^v/, '')

interface GoModule {
  name: string
  version: string
  line: number
}

/** From this version on, `require` names every module of the build (Go Modules Reference, "Graph pruning"). */
const NAMES_INDIRECT = [1, 17] as const

/** The blocks `require` and `replace`, or their single lines, and the standard library. */
export function parseGoMod(text: string): Inventory {
  const required: GoModule[] = []
  /** The lines `go` and `toolchain`. */
  const stated = new Map<string, GoModule>()
  const replaced = new Map<string, GoModule | null>()
  let block = ''
  let isModule = false
  for (const [i, full] of linesOf(text).entries()) {
    const line = i + 1
    // Paths and versions can be quoted.
    const words = full.replace(/\/\/.*$|["`]/gs, '').trim()
    if (words === '') continue
    if (block !== '' && words === ')') {
      block = ''
      continue
    }
    const [, verb = '', rest = ''] = block === '' ? (/^([^\s(]+)\s*(.*)$/s.exec(words) ?? []) : ['', block, words]
    if (verb === 'module') isModule = true
    if (rest === '(') block = verb
    else if (verb === 'require') required.push(moduleOf(rest, line))
    else if (verb === 'replace') addReplacement(replaced, rest, line)
    else if (verb === 'go' || verb === 'toolchain') stated.set(verb, { name: 'stdlib', version: rest, line })
  }
  if (!isModule) throw new FormatError("it has no line 'module'", 1)
  if (block !== '') throw new FormatError(`the block '${shortened(block, 60)}' is not closed`)
  return inventoryOf(required, replaced, stated)
}

function moduleOf(words: string, line: number): GoModule {
  const [, name, version] = /^(\S+)\s+v(\S+)$/.exec(words) ?? []
  if (name === undefined) throw new FormatError(`'${shortened(words, 60)}' is not a module with its version`, line)
  return { name, version: version!, line }
}

/** `old [version] => new version`, or a folder without a version, which is null. */
function addReplacement(replaced: Map<string, GoModule | null>, words: string, line: number): void {
  const [, name, version, by] = /^(\S+)(?:\s+v(\S+))?\s+=>\s+(.+)$/s.exec(words) ?? []
  if (name === undefined) throw new FormatError(`'${shortened(words, 60)}' is not a replacement`, line)
  replaced.set(keyOf(name, version), /^\S+$/.test(by!) ? null : moduleOf(by!, line))
}

const keyOf = (name: string, version = '') => `${name} ${version}`

function inventoryOf(
  required: readonly GoModule[],
  replaced: ReadonlyMap<string, GoModule | null>,
  stated: ReadonlyMap<string, GoModule>,
): Inventory {
  const found = new InventoryBuilder()
  const go = stated.get('go')
  const toolchain = stated.get('toolchain')
  const library = toolchain && /^go\d/.test(toolchain.version) ? toolchain : go
  if (library) found.add('Go', library.name, library.version.replace(/^go|-.*$/gs, ''), { line: library.line })
  // A version can be a pre-release: `1.22rc1`.
  const [major = 1, minor = 0] = go?.version.match(/\d+/g)?.map(Number) ?? []
  const hasIndirect = major > NAMES_INDIRECT[0] || (major === NAMES_INDIRECT[0] && minor >= NAMES_INDIRECT[1])
  if (required.length > 0 && !hasIndirect) found.skip('indirect modules', 'not-listed', go?.line ?? null)
  for (const module of required) {
    // A replacement of one version precedes that of all versions.
    const exact = replaced.get(keyOf(module.name, module.version))
    const used = exact === undefined ? replaced.get(keyOf(module.name)) : exact
    if (used === null) found.skip(module.name, 'local', module.line)
    else {
      const { name, version, line } = used ?? module
      found.add('Go', name, version, { line })
    }
  }
  return found
}
