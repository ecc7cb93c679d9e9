/** CycloneDX 1 in XML: the same document as in JSON. */
import type { JsonObject } from '../../../model/values/json-value.ts'
import { FormatError } from '../../error.ts'
import type { JsonFile } from '../json.ts'
import { childOf, childrenOf, parseXml, textOfChild, type XmlElement } from '../xml.ts'

const NAMESPACE = 'http://cyclonedx.org/schema/bom/'

/**
 * Returns the document in the form of JSON, with the parts that are read.
 * @throws FormatError, BoundError
 */
export function cycloneDxOfXml(content: string): JsonFile {
  const bom = parseXml(content)
  const namespace = [...bom.attributes.values()].find((value) => value.startsWith(NAMESPACE))
  if (bom.name !== 'bom' || namespace === undefined) {
    throw new FormatError(`its root is not <bom> in the namespace ${NAMESPACE}1.x`, bom.line)
  }
  const lines = new Map<object, number>()
  const object = (element: XmlElement, members: JsonObject): JsonObject => {
    lines.set(members, element.line)
    return members
  }
  const component = (element: XmlElement): JsonObject =>
    object(element, {
      'bom-ref': element.attributes.get('bom-ref'),
      type: element.attributes.get('type'),
      ...Object.fromEntries(['name', 'version', 'scope', 'purl'].map((name) => [name, textOfChild(element, name)])),
      properties: membersOf(element, 'properties', 'property').map(({ attributes, text }) => ({
        name: attributes.get('name'),
        value: text,
      })),
      components: componentsOf(element),
    })
  const componentsOf = (parent: XmlElement): JsonObject[] => membersOf(parent, 'components', 'component').map(component)
  const composition = (element: XmlElement): JsonObject => {
    const refsOf = (list: string, member: string) =>
      membersOf(element, list, member).map(({ attributes }) => attributes.get('ref'))
    return object(element, {
      aggregate: textOfChild(element, 'aggregate'),
      assemblies: refsOf('assemblies', 'assembly'),
      dependencies: refsOf('dependencies', 'dependency'),
    })
  }
  const metadata = childOf(bom, 'metadata')
  const subject = metadata && childOf(metadata, 'component')
  const root = object(bom, {
    bomFormat: 'CycloneDX',
    specVersion: namespace.slice(NAMESPACE.length),
    metadata: { component: subject && component(subject) },
    components: componentsOf(bom),
    compositions: membersOf(bom, 'compositions', 'composition').map(composition),
  })
  return { root, lineOf: (object) => lines.get(object) ?? null }
}

/** Returns the elements of a list, such as `<components>`, which occurs at most once. */
const membersOf = (parent: XmlElement, list: string, member: string): XmlElement[] =>
  childrenOf(parent, list).flatMap((one) => childrenOf(one, member))
