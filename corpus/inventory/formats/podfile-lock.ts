/** `Podfile.lock` of CocoaPods. No ecosystem of the OSV schema has pods: they have a purl, and are not judged. */
import { isMap, isScalar } from 'yaml'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { entriesOf, itemsOf, parseYamlDocuments, textIn, textOf } from './yaml.ts'

/** The version of a pod, below `PODS`. It is a key if the pod requires others. */
const POD = /^(\S+) \(([^()]+)\)$/

export function parsePodfileLock(text: string): Inventory {
  const { documents, lineAt } = parseYamlDocuments(text)
  const found = new InventoryBuilder()
  const root = documents[0]
  if (!root?.has('PODS')) throw new FormatError("it has no sequence 'PODS'", 1)
  const sources = entriesOf('EXTERNAL SOURCES', root.get('EXTERNAL SOURCES', true), lineAt)
  const local = new Set(sources.flatMap(({ key, value }) => (textIn(value, ':path') === null ? [] : podOf(key))))
  for (const item of itemsOf('PODS', root.get('PODS', true), lineAt)) {
    const key = isMap(item) ? item.items[0]?.key : item
    const [, name, version] = POD.exec(isScalar(key) ? textOf(key) : '') ?? []
    const line = lineAt(key ?? item)
    if (name === undefined) throw new FormatError("an entry in 'PODS' is not a pod with its version", line)
    const pod = podOf(name)
    if (local.has(pod)) found.skip(name, 'local', line)
    else found.addPurl(`pkg:cocoapods/${encodeURIComponent(pod)}@${encodeURIComponent(version!)}`, null, { line })
  }
  return found
}

/** `Pod/Part` is a part of the pod, with the same version. */
const podOf = (name: string): string => name.split('/', 1)[0]!
