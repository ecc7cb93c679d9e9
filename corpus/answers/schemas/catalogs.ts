/** The catalogs of weaknesses and attack patterns: list rows and full entries. */
import { z } from 'zod'
import type { AlternateTerm, CapecEntry, Consequence, CweEntry, TaxonomyMapping } from '../../model/catalog.ts'
import type { CapecListEntry, CweListEntry } from '../../model/catalog-names.ts'
import { CWE_ABSTRACTIONS, CWE_LIKELIHOODS } from '../../model/closed-values.ts'
import { count, cweSlug, type ShapeOf, selectablePageOf, text, texts, timestamp } from './values.ts'

const cweIdText = z.string().regex(/^CWE-\d+$/)
const capecIdText = z.string().regex(/^CAPEC-\d+$/)
const capecSlug = z.string().regex(/^capec-\d+$/)
const number = z.int().positive()
const abstractionOfCwe = z.enum(CWE_ABSTRACTIONS)
const likelihoodOfCwe = z.enum(CWE_LIKELIHOODS)

const cweHead = {
  cwe_id: cweIdText.describe('CWE id, such as `CWE-79`'),
  slug: cweSlug.describe('CWE id in lower case'),
  numeric_id: number.describe('Number in the id'),
  name: z.string().describe('Name'),
  abstraction: abstractionOfCwe.describe('Level of abstraction'),
  status: z
    .string()
    .describe('Status of the entry: `Stable`, `Usable`, `Draft`, `Incomplete`, `Obsolete` or `Deprecated`'),
  likelihood: likelihoodOfCwe.nullable().describe('Likelihood of exploitation. Null if not stated'),
}

const cweRow = z
  .strictObject({
    ...cweHead,
    cve_count: count.describe('Number of CVEs that at least one source maps to this weakness'),
    kev_count: count.describe('Number of those CVEs that are in the KEV catalog'),
  } satisfies ShapeOf<CweListEntry>)
  .meta({ id: 'CweRow', description: 'Weakness (CWE), short form' })

export const cwePage = z
  .strictObject(selectablePageOf(cweRow, 'CweFields'))
  .meta({ id: 'CwePage', description: 'Page of weaknesses' })

const alternateTerm = z
  .strictObject({
    term: z.string().describe('Alternative name'),
    description: text.describe('Description of the name. Null if there is none'),
  } satisfies ShapeOf<AlternateTerm>)
  .meta({ id: 'AlternateTerm', description: 'Alternative name of an entry' })

const consequence = z
  .strictObject({
    scopes: texts.describe('Violated security properties, such as `Confidentiality`'),
    impacts: texts.describe('Technical impacts, such as `Read Application Data`'),
    note: text.describe('Note on the consequence. Null if there is none'),
  } satisfies ShapeOf<Consequence>)
  .meta({ id: 'Consequence', description: 'Consequence of exploitation' })

const taxonomyMapping = z
  .strictObject({
    taxonomy: z.string().describe('Name of the other taxonomy'),
    entry_name: text.describe('Name of the entry in the other taxonomy. Null if not stated'),
    entry_id: text.describe('Id of the entry in the other taxonomy. Null if not stated'),
    fit: text.describe('Quality of the mapping, such as `Exact`. Null if not stated'),
  } satisfies ShapeOf<TaxonomyMapping>)
  .meta({ id: 'TaxonomyMapping', description: 'Corresponding entry in another taxonomy' })

const catalogVersion = z.string().describe('Version of the catalog')
const updatedAt = timestamp.describe('Last change of the entry, or else the date of the catalog')

const prose = {
  paragraphs: texts.describe('Paragraphs of the text'),
  bullets: texts.describe('Items of lists in the text'),
  effectiveness: text.describe('Effectiveness, such as `High`. Null if not stated'),
  effectiveness_notes: text.describe('Note on the effectiveness. Null if there is none'),
}

const mitigation = z
  .strictObject({
    phases: texts.describe('Development phases in which it applies'),
    strategy: text.describe('Strategy, such as `Input Validation`. Null if not stated'),
    ...prose,
  })
  .meta({ id: 'CweMitigation', description: 'Mitigation of a weakness' })

const detectionMethod = z
  .strictObject({ method: z.string().describe('Name of the method'), ...prose })
  .meta({ id: 'CweDetectionMethod', description: 'Method that detects a weakness' })

const example = z
  .strictObject({
    intro: texts.describe('Paragraphs before the code'),
    body: texts.describe('Paragraphs that explain the code'),
    snippets: z
      .array(
        z
          .strictObject({
            code: z.string().describe('Code'),
            language: text.describe('Programming language. Null if not stated'),
            nature: text.describe('Kind of example, such as `Bad` or `Good`. Null if not stated'),
          })
          .meta({ id: 'CweSnippet', description: 'Code snippet of an example' }),
      )
      .describe('Code snippets'),
  })
  .meta({ id: 'CweExample', description: 'Demonstrative example of a weakness' })

const observedExample = z
  .strictObject({
    cve_id: z.string().describe('CVE id as the catalog writes it'),
    description: text.describe('Description. Null if there is none'),
    link: text.describe('URL of a description. Null if there is none'),
  })
  .meta({ id: 'CweObservedExample', description: 'CVE that shows the weakness' })

const introduction = z
  .strictObject({
    phase: z.string().describe('Development phase'),
    note: text.describe('How the weakness is introduced. Null if not stated'),
  })
  .meta({ id: 'CweIntroduction', description: 'Phase in which a weakness is introduced' })

const platform = z
  .strictObject({
    label: z.string().describe('Kind of platform, such as `Language`'),
    items: z
      .array(
        z
          .strictObject({
            name: z.string().describe('Name of the platform, or of a class of platforms'),
            prevalence: text.describe('Prevalence of the weakness on this platform. Null if not stated'),
          })
          .meta({ id: 'CwePlatformItem', description: 'Platform with this weakness' }),
      )
      .describe('Platforms'),
  })
  .meta({ id: 'CwePlatform', description: 'Platforms of one kind' })

const cweRelationship = z
  .strictObject({
    cwe_id: cweIdText.describe('CWE id of the other weakness'),
    slug: cweSlug.describe('Same id in lower case'),
    name: text.describe('Name'),
    nature: z
      .string()
      .describe(
        '`Parent`, `Child` or `Peer`: role of the other weakness. Other values, such as `CanPrecede`, are as in the catalog',
      ),
  })
  .meta({ id: 'CweRelationship', description: 'Relation to another weakness, in the view CWE-1000' })

const pattern = z
  .strictObject({
    capec_id: capecIdText.describe('CAPEC id'),
    slug: capecSlug.describe('Same id in lower case'),
    name: text.describe('Name'),
  })
  .meta({ id: 'CweAttackPattern', description: 'Attack pattern that exploits a weakness' })

/** `fields` keeps exactly the named fields (API 19.2). */
export const cweEntry = z
  .strictObject({
    cwe_id: cweHead.cwe_id,
    slug: cweHead.slug,
    numeric_id: cweHead.numeric_id,
    name: cweHead.name,
    abstraction: cweHead.abstraction,
    structure: text.describe('Structure: `Simple`, `Chain` or `Composite`. Null if not stated'),
    status: cweHead.status,
    likelihood: cweHead.likelihood,
    description: z.string().describe('Description'),
    extended_description: texts.describe('Paragraphs of the extended description'),
    background: texts.describe('Paragraphs of background information'),
    alternate_terms: z.array(alternateTerm).describe('Alternative names'),
    consequences: z.array(consequence).describe('Consequences if exploited'),
    mitigations: z.array(mitigation).describe('Mitigations'),
    detection_methods: z.array(detectionMethod).describe('Detection methods'),
    demonstrative_examples: z.array(example).describe('Examples with code'),
    observed_examples: z.array(observedExample).describe('CVEs that show the weakness'),
    modes_of_introduction: z.array(introduction).describe('Phases in which the weakness is introduced'),
    platforms: z.array(platform).describe('Platforms with this weakness'),
    taxonomy_mappings: z.array(taxonomyMapping).describe('Corresponding entries in other taxonomies'),
    attack_patterns: z.array(capecIdText).describe('CAPEC ids of attack patterns that exploit it'),
    attack_patterns_detailed: z.array(pattern).describe('The same attack patterns, with names'),
    relationships: z.array(cweRelationship).describe('Relations to other weaknesses'),
    catalog_version: catalogVersion,
    updated_at: updatedAt,
  } satisfies ShapeOf<CweEntry>)
  .partial()
  .meta({ id: 'CweEntry', description: 'Full entry of a weakness, or its requested `fields`' })

const executionStep = z
  .strictObject({
    step: z.int().positive().describe('Number of the step, from 1'),
    phase: text.describe('Phase: `Explore`, `Experiment` or `Exploit`. Null if not stated'),
    description: text.describe('Description. Null if there is none'),
    techniques: texts.describe('Techniques'),
  })
  .meta({ id: 'CapecStep', description: 'Step of an attack' })

const relatedWeakness = z
  .strictObject({
    id: cweSlug.describe('CWE id in lower case'),
    display: cweIdText.describe('CWE id'),
    name: text.describe('Name'),
  })
  .meta({ id: 'CapecWeakness', description: 'Weakness that an attack pattern exploits' })

const relatedPattern = z
  .strictObject({
    capec_id: capecIdText.describe('CAPEC id of the other attack pattern'),
    slug: capecSlug.describe('Same id in lower case'),
    name: text.describe('Name'),
    nature: z
      .string()
      .describe(
        '`Parent`, `Child` or `Peer`: role of the other attack pattern. Other values, such as `CanPrecede`, are as in the catalog',
      ),
  })
  .meta({ id: 'CapecRelationship', description: 'Relation to another attack pattern' })

const capecAbstraction = z.enum(['Meta', 'Standard', 'Detailed']).nullable().describe('Level of abstraction')
const capecStatus = text.describe('Status of the entry, such as `Draft` or `Stable`. Null if not stated')
const executionFlow = z.array(executionStep).describe('Steps of the attack, in order')
const relatedWeaknesses = z.array(relatedWeakness).describe('Weaknesses that it exploits')
const relatedPatterns = z.array(relatedPattern).describe('Relations to other attack patterns')
const consequences = z.array(consequence).describe('Consequences if exploited')

const capecRow = z
  .strictObject({
    capec_id: number.describe('Number in the id'),
    capec_id_string: capecIdText.describe('CAPEC id, such as `CAPEC-66`'),
    name: text.describe('Name'),
    description: z.string().describe('Description'),
    abstraction: capecAbstraction,
    status: capecStatus,
    likelihood_of_attack: text.describe('Likelihood of attack, such as `High`. Null if not stated'),
    typical_severity: text.describe('Typical severity, such as `High`. Null if not stated'),
    prerequisites: texts.describe('Prerequisites'),
    skills_required: texts.describe('Required skills'),
    resources_required: texts.describe('Required resources'),
    mitigations: texts.describe('Mitigations'),
    consequences,
    execution_flow: executionFlow,
    related_weaknesses: relatedWeaknesses,
    related_attack_patterns: relatedPatterns,
  } satisfies ShapeOf<CapecListEntry>)
  .meta({ id: 'CapecRow', description: 'Attack pattern (CAPEC), short form' })

export const capecPage = z
  .strictObject(selectablePageOf(capecRow, 'CapecFields'))
  .meta({ id: 'CapecPage', description: 'Page of attack patterns' })

export const capecEntry = z
  .strictObject({
    id: capecSlug.describe('CAPEC id in lower case'),
    display: capecIdText.describe('CAPEC id, such as `CAPEC-66`'),
    numeric_id: number.describe('Number in the id'),
    name: text.describe('Name'),
    abstraction: capecAbstraction,
    status: capecStatus,
    severity: text.describe('Typical severity, such as `High`. Null if not stated'),
    likelihood: text.describe('Likelihood of attack, such as `High`. Null if not stated'),
    description: z.string().describe('Description'),
    extended_description: texts.describe('Paragraphs of the extended description'),
    execution_flow: executionFlow,
    prerequisites: texts.describe('Prerequisites'),
    skills: texts.describe('Required skills'),
    resources: texts.describe('Required resources'),
    indicators: texts.describe('Always empty: the STIX form of CAPEC states none'),
    mitigations: texts.describe('Mitigations'),
    examples: texts.describe('Examples'),
    alternate_terms: z.array(alternateTerm).describe('Alternative names'),
    consequences,
    taxonomy_mappings: z.array(taxonomyMapping).describe('Corresponding entries in other taxonomies'),
    related_weaknesses: relatedWeaknesses,
    related_attack_patterns: relatedPatterns,
    catalog_version: catalogVersion,
    updated_at: updatedAt,
  } satisfies ShapeOf<CapecEntry>)
  .partial()
  .meta({
    id: 'CapecEntry',
    description: 'Full entry of an attack pattern, or its requested `fields`',
  })
