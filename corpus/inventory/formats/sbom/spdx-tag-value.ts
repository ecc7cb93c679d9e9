/** SPDX 2 in lines of the form `Tag: value`. A value can be a text of several lines, between `<text>` and `</text>`. */
import { shortened } from '../../../command/format.ts'
import type { JsonObject } from '../../../model/values/json-value.ts'
import { FormatError } from '../../error.ts'
import type { JsonFile } from '../json.ts'
import { linesOf } from '../text.ts'

interface Package {
  [key: string]: unknown
  externalRefs: JsonObject[]
}

/** Tags of a package, and the keys that JSON has for them. */
const PACKAGE_TAGS: Readonly<Record<string, string>> = {
  PackageVersion: 'versionInfo',
  PackageSourceInfo: 'sourceInfo',
  PrimaryPackagePurpose: 'primaryPackagePurpose',
}

/** Tags that begin another element than a package. */
const OTHER_ELEMENTS: ReadonlySet<string> = new Set(['FileName', 'SnippetSPDXID', 'LicenseID'])

/**
 * Returns the document in the form of JSON, with the parts that are read.
 * @throws FormatError, BoundError
 */
export function parseTagValue(content: string): JsonFile {
  const packages: Package[] = []
  const relationships: JsonObject[] = []
  const externalDocumentRefs: JsonObject[] = []
  const lines = new Map<object, number>()
  let spdxVersion: string | undefined
  let isInPackage = false
  for (const { tag, value, line } of tagsOf(content)) {
    const current = packages.at(-1)
    const currentOr = () => {
      if (current) return current
      throw new FormatError(`'${tag}' precedes the first 'PackageName'`, line)
    }
    const add = (list: JsonObject[], entry: JsonObject) => {
      list.push(entry)
      lines.set(entry, line)
    }
    if (tag === 'SPDXVersion') spdxVersion = value
    else if (tag === 'PackageName') {
      add(packages, { name: value, externalRefs: [] })
      isInPackage = true
    } else if (OTHER_ELEMENTS.has(tag)) isInPackage = false
    else if (tag === 'SPDXID' && isInPackage) current!.SPDXID = value
    else if (Object.hasOwn(PACKAGE_TAGS, tag)) currentOr()[PACKAGE_TAGS[tag]!] = value
    else if (tag === 'ExternalRef') {
      const [, referenceType, referenceLocator] = value.split(/\s+/, 3)
      currentOr().externalRefs.push({ referenceType, referenceLocator })
    } else if (tag === 'Relationship') {
      const [spdxElementId, relationshipType, relatedSpdxElement] = value.split(/\s+/, 3)
      relationships.push({ spdxElementId, relationshipType, relatedSpdxElement })
    } else if (tag === 'ExternalDocumentRef') {
      const [externalDocumentId, spdxDocument] = value.split(/\s+/, 2)
      add(externalDocumentRefs, { externalDocumentId, spdxDocument })
    }
  }
  const root = { spdxVersion, packages, relationships, externalDocumentRefs }
  return { root, lineOf: (object) => (object === root ? 1 : (lines.get(object) ?? null)) }
}

const [TEXT, TEXT_END] = ['<text>', '</text>']

/** Lines that are empty or begin with `#` do not count. */
function* tagsOf(content: string): Generator<{ tag: string; value: string; line: number }> {
  const lines = linesOf(content)
  for (let i = 0; i < lines.length; i++) {
    const line = i + 1
    const trimmed = lines[i]!.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const colon = trimmed.indexOf(':')
    const tag = trimmed.slice(0, Math.max(colon, 0)).trimEnd()
    if (!/^[A-Za-z]+$/.test(tag)) throw new FormatError(`'${shortened(trimmed, 60)}' is not a tag with its value`, line)
    let value = trimmed.slice(colon + 1).trimStart()
    if (value.startsWith(TEXT)) {
      const parts = [value.slice(TEXT.length)]
      while (!parts.at(-1)!.includes(TEXT_END)) {
        if (++i === lines.length) throw new FormatError(`the text of '${tag}' has no end`, line)
        parts.push(lines[i]!)
      }
      value = parts.join('\n')
      value = value.slice(0, value.lastIndexOf(TEXT_END))
    }
    yield { tag, value, line }
  }
}
