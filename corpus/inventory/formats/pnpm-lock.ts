/** `pnpm-lock.yaml`, lockfileVersion 5, 6 and 9. */
import { isMap, isScalar, isSeq, YAMLMap } from 'yaml'
import { FormatError } from '../error.ts'
import { type Group, type Inventory, InventoryBuilder } from '../inventory.ts'
import { isEmpty, type Mapping, parseYamlDocuments, textOf } from './yaml.ts'

export function parsePnpmLock(text: string): Inventory {
  const { documents, lineAt } = parseYamlDocuments(text)
  const found = new InventoryBuilder()
  let versions = 0
  for (const root of documents) {
    const version = root.get('lockfileVersion')
    if (typeof version !== 'string') continue
    versions++
    const packages = root.get('packages', true)
    // Without dependencies, the key is absent or empty.
    if (isEmpty(packages)) continue
    if (!isMap(packages)) throw new FormatError("'packages' is not a mapping", lineAt(packages))
    const pattern = Number.parseFloat(version) < 6 ? SLASH_KEY : AT_KEY
    const snapshots = snapshotsOf(root)
    for (const { key, value } of packages.items) {
      const line = lineAt(key)
      if (!isScalar(key) || typeof key.value !== 'string') {
        throw new FormatError("a key in 'packages' is not a text", line)
      }
      const entry = isEmpty(value) ? new YAMLMap() : value
      if (!isMap(entry)) throw new FormatError("an entry in 'packages' is not a mapping", line)
      addEntry(found, key.value, entry, pattern, { line, isOptional: snapshots.get(key.value)?.isOptional })
      skipBundled(found, key.value, entry, snapshots.get(key.value)?.dependencies, line)
    }
  }
  if (versions === 0) throw new FormatError("it has no 'lockfileVersion'", 1)
  return found
}

/** Version 5: `/@scope/name/1.0.0_peers`, at first `/name/1.0.0/peers`, after the host of another registry than the default one. */
const SLASH_KEY = /^[^/]*\/((?:@[^/]+\/)?[^/]+)\/(\d[^/_]*)(?:[_/].*)?$/
/** Version 6: `/@scope/name@1.0.0(peers)`; version 9: `@scope/name@1.0.0`. */
const AT_KEY = /^(?:[^/@]*\/)?((?:@[^/@]+\/)?[^/@]+)@([^(]+)(?:\(.*)?$/

/** An entry of another source than a registry states name and version; the key has an address instead. */
function addEntry(
  found: InventoryBuilder,
  key: string,
  entry: Mapping,
  pattern: RegExp,
  { line, isOptional = entry.get('optional') === 'true' }: { line: number | null; isOptional: boolean | undefined },
): void {
  const [, name = key, inKey = ''] = pattern.exec(key) ?? []
  const dev = entry.get('dev')
  const facts = { line, groups: groupsOf(dev, isOptional) }
  const version = textOr(entry.get('version'), /[:/]/.test(inKey) ? null : inKey)
  if (entry.getIn(['resolution', 'type']) === 'directory') found.skip(key, 'local', line)
  else found.add('npm', textOr(entry.get('name'), name), version, facts)
}

/** Version 9 does not state what development needs. */
function groupsOf(dev: unknown, isOptional: boolean): Group[] | null {
  if (dev === 'true') return ['dev']
  if (isOptional) return ['optional']
  return dev === undefined ? null : ['main']
}

/** A package can contain others. The file names them only, or states `true` for all. */
function skipBundled(
  found: InventoryBuilder,
  key: string,
  entry: Mapping,
  inSnapshots: ReadonlySet<string> | undefined,
  line: number | null,
): void {
  const bundled = entry.get('bundledDependencies')
  if (bundled === 'true') found.skip(`bundled dependencies of ${key}`, 'bundled', line)
  if (!isSeq(bundled)) return
  const listed = new Set(dependenciesOf(entry))
  for (const { value } of bundled.items.filter(isScalar)) {
    const name = String(value)
    if (!listed.has(name) && !inSnapshots?.has(name)) found.skip(name, 'bundled', line)
  }
}

interface Snapshot {
  dependencies: Set<string>
  /** Whether only optional dependencies need it. */
  isOptional: boolean
}

/** Version 9 states the dependencies of a package here, once for each choice of peers, which follows the key. */
function snapshotsOf(root: Mapping): Map<string, Snapshot> {
  const snapshots = root.get('snapshots')
  const found = new Map<string, Snapshot>()
  for (const { key, value } of isMap(snapshots) ? snapshots.items : []) {
    const [name] = textOf(key).split('(', 1)
    const known = found.get(name!) ?? { dependencies: new Set(), isOptional: true }
    found.set(name!, known)
    for (const dependency of dependenciesOf(value)) known.dependencies.add(dependency)
    if (!isMap(value) || value.get('optional') !== 'true') known.isOptional = false
  }
  return found
}

function dependenciesOf(entry: unknown): string[] {
  const dependencies = isMap(entry) ? entry.get('dependencies') : null
  return isMap(dependencies) ? dependencies.items.map(({ key }) => textOf(key)) : []
}

const textOr = <T>(value: unknown, other: T) => (typeof value === 'string' ? value : other)
