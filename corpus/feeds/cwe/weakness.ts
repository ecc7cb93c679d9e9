/** Converts the XML element of a CWE weakness to the model. */
import type { CweEntry } from '../../model/catalog.ts'
import type { ReadEntry } from '../catalog/entries.ts'
import {
  blocksIn,
  type CatalogHead,
  newestChange,
  numberOf,
  readTaxonomyMappings,
  required,
  textOf,
  textsOf,
} from '../catalog/head.ts'
import { natureOf, type Relation } from '../catalog/relations.ts'
import { blocksOf, codeOf, paragraphsAndBullets, paragraphsOf } from '../catalog/structured-text.ts'
import { attributeOf, childrenOf, itemsOf, type XmlElement } from '../catalog/xml.ts'

/** View 1000, "Research Concepts", relates all weaknesses. */
const RESEARCH_VIEW = '1000'

/** @throws FeedError when a required attribute is missing or invalid */
export function readWeakness(element: XmlElement, { version, date }: CatalogHead): ReadEntry<CweEntry> {
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

const PLATFORM_LABELS: Record<string, string> = {
  Language: 'Language',
  Operating_System: 'Operating System',
  Architecture: 'Architecture',
  Technology: 'Technology',
}

/** Returns platforms grouped by kind. A platform without a name is a class of platforms. */
function readPlatforms(element: XmlElement): CweEntry['platforms'] {
  return Object.entries(PLATFORM_LABELS).flatMap(([kind, label]) => {
    const items = itemsOf(element, 'Applicable_Platforms', kind).flatMap((platform) => {
      const name = attributeOf(platform, 'Name') ?? attributeOf(platform, 'Class')
      return name === null ? [] : [{ name, prevalence: attributeOf(platform, 'Prevalence') }]
    })
    return items.length > 0 ? [{ label, items }] : []
  })
}

/** Each relation is stated once per view. */
function readRelations(element: XmlElement): Relation[] {
  return itemsOf(element, 'Related_Weaknesses', 'Related_Weakness')
    .filter((related) => attributeOf(related, 'View_ID') === RESEARCH_VIEW)
    .map((related) => ({ to: numberOf(related, 'CWE_ID'), nature: natureOf(required(related, 'Nature')) }))
}
