/** Converts CAPEC's XML form to the model. */
import type { CapecEntry } from '../../model/catalog.ts'
import type { ReadCatalog, ReadEntry } from '../catalog/entries.ts'
import {
  blocksIn,
  type CatalogHead,
  newestChange,
  numberOf,
  readHead,
  readTaxonomyMappings,
  required,
  textOf,
  textsOf,
} from '../catalog/head.ts'
import { natureOf } from '../catalog/relations.ts'
import { blocksOf, paragraphsOf, plainText } from '../catalog/structured-text.ts'
import { attributeOf, childrenOf, itemsOf, parseXml, type XmlElement } from '../catalog/xml.ts'
import { FeedError } from '../error.ts'
import { type FeedSkip, skipOf } from '../feed.ts'
import { patternIds, relatedWeaknesses, skillTexts, taxonomyEntryId } from './pattern.ts'

/** @throws FeedError when the file is no CAPEC catalog. A single bad pattern is skipped by name. */
export function readXmlCatalog(text: string, fileName: string): ReadCatalog<CapecEntry> {
  const root = parseXml(text, fileName)
  if (root.name !== 'Attack_Pattern_Catalog') {
    throw new FeedError('file_invalid', `${fileName} is not a CAPEC catalog: its root element is ${root.name}`)
  }
  const head = readHead(root, fileName)
  const entries: ReadEntry<CapecEntry>[] = []
  const skips: FeedSkip[] = []
  for (const [index, element] of itemsOf(root, 'Attack_Patterns', 'Attack_Pattern').entries()) {
    const id = attributeOf(element, 'ID')
    try {
      entries.push(readPattern(element, head))
    } catch (cause) {
      skips.push(skipOf(id === null ? `pattern ${index + 1}` : `CAPEC-${id}`, cause))
    }
  }
  return { entries, skips }
}

function readPattern(element: XmlElement, { version, date }: CatalogHead): ReadEntry<CapecEntry> {
  const weaknesses = itemsOf(element, 'Related_Weaknesses', 'Related_Weakness')
  const related = itemsOf(element, 'Related_Attack_Patterns', 'Related_Attack_Pattern')
  const skills = itemsOf(element, 'Skills_Required', 'Skill')
  return {
    entry: {
      ...patternIds(numberOf(element, 'ID')),
      name: attributeOf(element, 'Name'),
      abstraction: attributeOf(element, 'Abstraction'),
      status: attributeOf(element, 'Status'),
      severity: textOf(element, 'Typical_Severity'),
      likelihood: textOf(element, 'Likelihood_Of_Attack'),
      description: textOf(element, 'Description') ?? '',
      extended_description: paragraphsOf(blocksIn(element, 'Extended_Description')),
      execution_flow: itemsOf(element, 'Execution_Flow', 'Attack_Step').map((step, index) => ({
        step: stepNumber(textOf(step, 'Step')) ?? index + 1,
        phase: textOf(step, 'Phase'),
        description: titled(textOf(step, 'Description')),
        techniques: textsOf(step, 'Technique'),
      })),
      prerequisites: listOf(element, 'Prerequisites', 'Prerequisite'),
      skills: skillTexts(
        skills.map((skill) => ({ level: attributeOf(skill, 'Level'), text: plainText(blocksOf(skill.children)) })),
      ),
      resources: listOf(element, 'Resources_Required', 'Resource'),
      indicators: listOf(element, 'Indicators', 'Indicator'),
      mitigations: listOf(element, 'Mitigations', 'Mitigation'),
      examples: listOf(element, 'Example_Instances', 'Example'),
      alternate_terms: itemsOf(element, 'Alternate_Terms', 'Alternate_Term').map((term) => ({
        term: textOf(term, 'Term') ?? '',
        description: textOf(term, 'Description'),
      })),
      consequences: itemsOf(element, 'Consequences', 'Consequence').map((consequence) => ({
        scopes: textsOf(consequence, 'Scope').map((scope) => scope.replaceAll('_', ' ')),
        impacts: textsOf(consequence, 'Impact'),
        note: textOf(consequence, 'Note'),
      })),
      taxonomy_mappings: readTaxonomyMappings(element).map((mapping) => ({
        ...mapping,
        entry_id: taxonomyEntryId(mapping.taxonomy, mapping.entry_id),
      })),
      related_weaknesses: relatedWeaknesses(weaknesses.map((weakness) => numberOf(weakness, 'CWE_ID'))),
      related_attack_patterns: [],
      catalog_version: version,
      updated_at: newestChange(element) ?? date,
    },
    relations: related.map((pattern) => ({
      to: numberOf(pattern, 'CAPEC_ID'),
      nature: natureOf(required(pattern, 'Nature')),
    })),
  }
}

function listOf(element: XmlElement, list: string, item: string): string[] {
  return childrenOf(element, list).flatMap((found) => textsOf(found, item))
}

function stepNumber(text: string | null): number | null {
  return text !== null && /^\d{1,4}$/.test(text) ? Number(text) : null
}

/** Converts a step's title from XML form `[Survey] The attacker…` to the STIX form `Survey: The attacker…`. */
function titled(description: string | null): string | null {
  return description?.replace(/^\[([^[\]]+)\](?=\s)/, '$1:') ?? null
}
