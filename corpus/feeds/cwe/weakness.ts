/** A weakness of the CWE catalogue, read from its XML element into the words of the model. */
import type { CweEntry } from '../../model/catalogue.ts'
import { utcTimestamp } from '../../model/date.ts'
import { natureOf, type Relation } from '../catalogue-relations.ts'
import { FeedError } from '../error.ts'
import { blocksOf, codeOf, paragraphsAndBullets, paragraphsOf, plainText } from '../structured-text.ts'
import { attributeOf, childOf, childrenOf, itemsOf, type XmlElement } from '../xml.ts'

/** View 1000, "Research Concepts": the one that relates every weakness. */
const RESEARCH_VIEW = '1000'

/** What the catalogue says of itself. */
export interface CatalogueHead {
  version: string
  /** ISO 8601 in UTC. */
  date: string
}

/** A weakness before the names of others are filled in. */
export interface ReadWeakness {
  entry: CweEntry
  relations: Relation[]
}

/** @throws FeedError for an element without what every weakness has */
export function readWeakness(element: XmlElement, { version, date }: CatalogueHead): ReadWeakness {
  const id = numberOf(element, 'ID')
  const patterns = itemsOf(element, 'Related_Attack_Patterns', 'Related_Attack_Pattern')
  const capecs = [...new Set(patterns.map((pattern) => numberOf(pattern, 'CAPEC_ID')))].sort((a, b) => a - b)
  const entry: CweEntry = {
    cwe_id: `CWE-${id}`,
    slug: `cwe-${id}`,
    numeric_id: id,
    name: required(element, 'Name'),
    abstraction: required(element, 'Abstraction'),
    structure: attributeOf(element, 'Structure'),
    status: required(element, 'Status'),
    likelihood: textOf(element, 'Likelihood_Of_Exploit'),
    description: textOf(element, 'Description') ?? '',
    extended_description: paragraphsOf(blocksIn(element, 'Extended_Description')),
    background: itemsOf(element, 'Background_Details', 'Background_Detail').flatMap(({ children }) =>
      paragraphsOf(blocksOf(children)),
    ),
    alternate_terms: itemsOf(element, 'Alternate_Terms', 'Alternate_Term').map((term) => ({
      term: textOf(term, 'Term') ?? '',
      description: textOf(term, 'Description'),
    })),
    consequences: itemsOf(element, 'Common_Consequences', 'Consequence').map((consequence) => ({
      scopes: textsOf(consequence, 'Scope'),
      impacts: textsOf(consequence, 'Impact'),
      note: textOf(consequence, 'Note'),
    })),
    mitigations: itemsOf(element, 'Potential_Mitigations', 'Mitigation').map((mitigation) => ({
      phases: textsOf(mitigation, 'Phase'),
      strategy: textOf(mitigation, 'Strategy'),
      ...paragraphsAndBullets(blocksIn(mitigation, 'Description')),
      effectiveness: textOf(mitigation, 'Effectiveness'),
      effectiveness_notes: textOf(mitigation, 'Effectiveness_Notes'),
    })),
    detection_methods: itemsOf(element, 'Detection_Methods', 'Detection_Method').map((method) => ({
      method: textOf(method, 'Method') ?? '',
      ...paragraphsAndBullets(blocksIn(method, 'Description')),
      effectiveness: textOf(method, 'Effectiveness'),
      effectiveness_notes: textOf(method, 'Effectiveness_Notes'),
    })),
    demonstrative_examples: itemsOf(element, 'Demonstrative_Examples', 'Demonstrative_Example').map((example) => ({
      intro: paragraphsOf(blocksIn(example, 'Intro_Text')),
      body: childrenOf(example, 'Body_Text').flatMap(({ children }) => paragraphsOf(blocksOf(children))),
      snippets: childrenOf(example, 'Example_Code').map((code) => ({
        code: codeOf(code.children),
        language: attributeOf(code, 'Language'),
        nature: attributeOf(code, 'Nature'),
      })),
    })),
    observed_examples: itemsOf(element, 'Observed_Examples', 'Observed_Example').map((example) => ({
      cve_id: textOf(example, 'Reference') ?? '',
      description: textOf(example, 'Description'),
      link: textOf(example, 'Link'),
    })),
    modes_of_introduction: itemsOf(element, 'Modes_Of_Introduction', 'Introduction').map((introduction) => ({
      phase: textOf(introduction, 'Phase') ?? '',
      note: textOf(introduction, 'Note'),
    })),
    platforms: readPlatforms(element),
    taxonomy_mappings: readTaxonomyMappings(element),
    attack_patterns: capecs.map((number) => `CAPEC-${number}`),
    attack_patterns_detailed: capecs.map((number) => ({
      capec_id: `CAPEC-${number}`,
      slug: `capec-${number}`,
      name: null,
    })),
    relationships: [],
    catalog_version: version,
    updated_at: newestChange(element) ?? date,
  }
  return { entry, relations: readRelations(element) }
}

/** The number that an attribute must hold. */
export function numberOf(element: XmlElement, name: string): number {
  const value = attributeOf(element, name)
  if (value === null || !/^[1-9]\d{0,6}$/.test(value)) {
    throw new FeedError('item_invalid', `${name} of ${element.name} is no number from 1: ${value ?? 'it is missing'}`)
  }
  return Number(value)
}

function required(element: XmlElement, name: string): string {
  const value = attributeOf(element, name)
  if (value === null) throw new FeedError('item_invalid', `${element.name} has no ${name}`)
  return value
}

export function blocksIn(element: XmlElement, name: string) {
  return blocksOf(childOf(element, name)?.children ?? [])
}

/** The whole text of a child element, null where it is empty or not there. */
export function textOf(element: XmlElement, name: string): string | null {
  return plainText(blocksIn(element, name))
}

/** The texts of the children of a name, without empty ones. */
export function textsOf(element: XmlElement, name: string): string[] {
  return childrenOf(element, name).flatMap(({ children }) => plainText(blocksOf(children)) ?? [])
}

const PLATFORM_LABELS: Record<string, string> = {
  Language: 'Language',
  Operating_System: 'Operating System',
  Architecture: 'Architecture',
  Technology: 'Technology',
}

/** Grouped by what kind of platform they are; a platform without a name is a class of them. */
function readPlatforms(element: XmlElement): CweEntry['platforms'] {
  return Object.entries(PLATFORM_LABELS).flatMap(([kind, label]) => {
    const items = itemsOf(element, 'Applicable_Platforms', kind).flatMap((platform) => {
      const name = attributeOf(platform, 'Name') ?? attributeOf(platform, 'Class')
      return name === null ? [] : [{ name, prevalence: attributeOf(platform, 'Prevalence') }]
    })
    return items.length > 0 ? [{ label, items }] : []
  })
}

/** Alike in both catalogues. */
export function readTaxonomyMappings(element: XmlElement): CweEntry['taxonomy_mappings'] {
  return itemsOf(element, 'Taxonomy_Mappings', 'Taxonomy_Mapping').map((mapping) => ({
    taxonomy: attributeOf(mapping, 'Taxonomy_Name') ?? '',
    entry_name: textOf(mapping, 'Entry_Name'),
    entry_id: textOf(mapping, 'Entry_ID'),
    fit: textOf(mapping, 'Mapping_Fit'),
  }))
}

/** Every relation is stated once for each view it is part of. */
function readRelations(element: XmlElement): Relation[] {
  return itemsOf(element, 'Related_Weaknesses', 'Related_Weakness')
    .filter((related) => attributeOf(related, 'View_ID') === RESEARCH_VIEW)
    .map((related) => ({ to: numberOf(related, 'CWE_ID'), nature: natureOf(required(related, 'Nature')) }))
}

/** `Submission_Date`, `Modification_Date`, `Contribution_Date`; not when a change was released. */
const CHANGE_DATE = /^[A-Z][a-z]+_Date$/

/** When the entry was last changed, by its history; alike in both catalogues. */
export function newestChange(element: XmlElement): string | null {
  const changes = childOf(element, 'Content_History')?.children ?? []
  const dates = changes.flatMap((change) => {
    if (typeof change === 'string') return []
    return change.children.flatMap((node) => {
      if (typeof node === 'string' || !CHANGE_DATE.test(node.name)) return []
      return utcTimestamp(plainText(blocksOf(node.children)) ?? '') ?? []
    })
  })
  return dates.sort().at(-1) ?? null
}
