/** `conan.lock` of Conan: the graph of Conan 1 (versions 0.1 to 0.4), and the lists of Conan 2 (version 0.5). */
import { isObject, type JsonObject, text } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { type JsonFile, objectEntries, parseJsonFile } from './json.ts'
import { linesOf } from './text.ts'

/** `name/version@user/channel#revision:package#revision%time`. */
const REFERENCE = /^([^/@#:%\s]+)\/([^/@#:%\s]+)(?=[@#:%]|$)/

export function parseConanLock(content: string): Inventory {
  const file = parseJsonFile(content)
  const { graph_lock: graph } = file.root
  if (graph === undefined) return listsOf(content, file)
  if (!isObject(graph)) throw new FormatError("'graph_lock' is not a JSON object", 1)
  return nodesOf(graph.nodes, file)
}

/** A node with a path is the recipe of the project. One without a reference is a command that installs others. */
function nodesOf(nodes: unknown, file: JsonFile): Inventory {
  const found = new InventoryBuilder()
  const entries = [...objectEntries('nodes', nodes, file)]
  const used = usedNodes(entries)
  for (const { key, entry, line } of entries) {
    // Version 0.1 has the package in the reference.
    const reference = text(entry.ref) ?? text(entry.pref)
    if (entry.path !== undefined && entry.path !== null) found.skip(reference ?? String(entry.path), 'local', line)
    else if (reference !== null) addReference(found, reference, line, used && !used.has(key))
  }
  return found
}

type Nodes = ReturnType<typeof objectEntries> extends Iterable<infer Node> ? Node[] : never

/** Returns the nodes that the project requires, but not for the build alone. Null if the project is unknown. */
function usedNodes(entries: Nodes): Set<string> | null {
  const required = new Map(entries.map(({ key, entry }) => [key, requiredBy(entry)]))
  const waiting = entries.flatMap(({ key, entry }) => (isProject(entry) ? [key] : []))
  if (waiting.length === 0) return null
  const used = new Set(waiting)
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    for (const other of required.get(key) ?? []) {
      if (used.has(other)) continue
      used.add(other)
      waiting.push(other)
    }
  }
  return used
}

const isProject = ({ path, ref, pref }: JsonObject) =>
  (path !== undefined && path !== null) || (ref === undefined && pref === undefined)

/** A list of nodes; in version 0.1 an object, from the reference to the node. */
const requiredBy = ({ requires }: JsonObject): string[] =>
  (Array.isArray(requires) ? requires : Object.values(isObject(requires) ? requires : {})).map(String)

/** The lists of Conan 2. Those after the first are for the build. */
const LISTS = ['requires', 'build_requires', 'python_requires', 'config_requires'] as const

function listsOf(content: string, { root, lineOf }: JsonFile): Inventory {
  const lists = LISTS.filter((key) => root[key] !== undefined)
  if (lists.length === 0) throw new FormatError(`it has neither 'graph_lock' nor one of ${LISTS.join(', ')}`, 1)
  const found = new InventoryBuilder()
  const lines = firstLines(content)
  for (const key of lists) {
    const list = root[key]
    if (!Array.isArray(list)) throw new FormatError(`'${key}' is not a list`, isObject(list) ? lineOf(list) : 1)
    for (const item of list as unknown[]) {
      // Those of `--lockfile-packages` follow the reference.
      const reference: unknown = Array.isArray(item) ? item[0] : item
      if (typeof reference !== 'string') throw new FormatError(`an entry in '${key}' is not a text`, lineOf(list))
      addReference(found, reference, lines.get(reference) ?? lineOf(list), key !== 'requires')
    }
  }
  return found
}

/** Returns the first line of each text that begins one. */
function firstLines(content: string): Map<string, number> {
  const lines = new Map<string, number>()
  for (const [i, line] of linesOf(content).entries()) {
    const stated = /^\s*\[?"([^"\\]*)"/.exec(line)?.[1]
    if (stated !== undefined && !lines.has(stated)) lines.set(stated, i + 1)
  }
  return lines
}

function addReference(found: InventoryBuilder, reference: string, line: number | null, dev: boolean | null): void {
  const [, name, version] = REFERENCE.exec(reference) ?? []
  if (name === undefined) found.skip(reference, 'malformed', line)
  else found.add('ConanCenter', name, version, { line, dev })
}
