/** `yarn.lock`: version 1, and the YAML of yarn 2 and later, which has the same lines with colons. */
import { shortened } from '../../command/format.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { linesOf } from './text.ts'

/** An entry: the line of its keys, and its fields, without nested ones. */
interface Entry {
  keys: string
  line: number
  fields: Map<string, string>
}

export function parseYarnLock(text: string): Inventory {
  const found = new InventoryBuilder()
  for (const { keys, line, fields } of entriesOf(text)) {
    if (keys === '__metadata') continue
    const stated = fields.get('resolution') ?? decidingKey(keys)
    const [name, range] = splitLocator(stated)
    if (name === '') throw new FormatError(`'${shortened(stated, 100)}' does not name a package`, line)
    if (isFolder(range)) found.skip(name, 'local', line)
    else found.add('npm', name, fields.get('version'), { line })
  }
  return found
}

/** Returns the name and the range of `@scope/name@npm:^1.0.0`; the range can be absent. That of an alias has the real name. */
function splitLocator(text: string): [name: string, range: string] {
  const at = text.indexOf('@', 1)
  if (at === -1) return [text, '']
  const range = text.slice(at + 1)
  return [ALIAS.exec(range)?.[1] ?? text.slice(0, at), range]
}

const ALIAS = /^npm:((?:@[^/@]+\/)?[^/@]+)@/

/** A folder beside the project. An archive there is a package with a version. */
const isFolder = (range: string) =>
  /^(?:workspace|link|portal):/.test(range) ||
  (/^(?:file:|[.~]?\.?\/)/.test(range) && !/\.(?:tgz|tar\.gz)(?:$|[#:])/.test(range))

/**
 * Yarn 1 states no resolution: its keys are `"@scope/name@^1.0.0", "@scope/name@~1.2.0"`, later ones
 * `"name@npm:^1.0.0, name@npm:~1.2.0"`. Of keys with and without an alias, which `resolutions` join, the alias has the
 * name of what is installed.
 */
function decidingKey(keys: string): string {
  const all = keys.replaceAll('"', '').split(', ')
  return all.find((key) => ALIAS.test(splitLocator(key)[1])) ?? all[0]!
}

function* entriesOf(text: string): Generator<Entry> {
  let entry: Entry | null = null
  let isKnown = false
  for (const [i, line] of linesOf(text).entries()) {
    if (/^# yarn lockfile v1$|^__metadata:$/.test(line)) isKnown = true
    if (/^\s*(?:#.*)?$/.test(line)) continue
    if (!/^\s/.test(line)) {
      // A key of more than 1,024 characters follows a question mark; its colon is on the next line.
      if (line === ':' && entry) continue
      const keys = /^(?:\? (.+)|(.+):)$/.exec(line)
      if (!keys) throw new FormatError(`'${shortened(line, 60)}' is not the key of an entry`, i + 1)
      if (entry) yield entry
      entry = { keys: keys[1] ?? keys[2]!, line: i + 1, fields: new Map() }
    } else {
      if (entry === null) throw new FormatError('a field precedes the first entry', i + 1)
      // npm writes the names of fields in quotes.
      const [, , name, value] = /^ {2}("?)([^\s":]+)\1:? (.+)$/.exec(line) ?? []
      if (name !== undefined) entry.fields.set(name, unquoted(value!))
    }
  }
  if (!isKnown) throw new FormatError("it has neither the line '# yarn lockfile v1' nor the entry '__metadata'", 1)
  if (entry) yield entry
}

const unquoted = (text: string) => /^"(.*)"$/.exec(text)?.[1] ?? text
