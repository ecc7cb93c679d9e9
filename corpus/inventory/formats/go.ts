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

/** The blocks `require` and `replace`, or their single lines. From Go 1.17 on, they name every module of the build. */
export function parseGoMod(text: string): Inventory {
  const required: GoModule[] = []
  const replaced = new Map<string, GoModule | null>()
  let block = ''
  let isModule = false
  for (const [i, full] of linesOf(text).entries()) {
    const line = i + 1
    const words = full.replace(/\/\/.*$/, '').trim()
    if (words === '') continue
    if (block !== '' && words === ')') {
      block = ''
      continue
    }
    const [, verb = '', rest = ''] = block === '' ? (/^(\S+)\s*(.*)$/.exec(words) ?? []) : ['', block, words]
    if (verb === 'module') isModule = true
    if (rest === '(') block = verb
    else if (verb === 'require') required.push(moduleOf(rest, line))
    else if (verb === 'replace') addReplacement(replaced, rest, line)
  }
  if (!isModule) throw new FormatError("it has no line 'module'", 1)
  if (block !== '') throw new FormatError(`the block '${shortened(block, 60)}' is not closed`)
  return inventoryOf(required, replaced)
}

function moduleOf(words: string, line: number): GoModule {
  const [, name, version] = /^"?([^\s"]+)"?\s+v(\S+)$/.exec(words) ?? []
  if (name === undefined) throw new FormatError(`'${shortened(words, 60)}' is not a module with its version`, line)
  return { name, version: version!, line }
}

/** `old [version] => new version`, or a folder without a version, which is null. */
function addReplacement(replaced: Map<string, GoModule | null>, words: string, line: number): void {
  const [, name, version, by] = /^(\S+)(?:\s+v(\S+))?\s+=>\s+(.+)$/.exec(words) ?? []
  if (name === undefined) throw new FormatError(`'${shortened(words, 60)}' is not a replacement`, line)
  replaced.set(keyOf(name, version), /^\S+$/.test(by!) ? null : moduleOf(by!, line))
}

const keyOf = (name: string, version = '') => `${name} ${version}`

function inventoryOf(required: readonly GoModule[], replaced: ReadonlyMap<string, GoModule | null>): Inventory {
  const found = new InventoryBuilder()
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
