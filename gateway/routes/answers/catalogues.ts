/** The catalogues of weaknesses and attack patterns: rows of their lists and full entries. */
import { z } from 'zod'
import { count, cweSlug, pageOf, text, texts, timestamp } from './values.ts'

const cweIdText = z.string().regex(/^CWE-\d+$/)
const capecIdText = z.string().regex(/^CAPEC-\d+$/)
const capecSlug = z.string().regex(/^capec-\d+$/)
const number = z.int().positive()
const abstractionOfCwe = z.enum(['Pillar', 'Class', 'Base', 'Variant', 'Compound'])
const likelihoodOfCwe = z.enum(['High', 'Medium', 'Low']).nullable()

const cweHead = {
  cwe_id: cweIdText.describe('The id, such as `CWE-79`'),
  slug: cweSlug.describe('The id in lower case'),
  numeric_id: number.describe('The number of the id'),
  name: z.string().describe('The name'),
  abstraction: abstractionOfCwe.describe('How general it is'),
  status: z.string().describe('How finished the entry is, such as `Stable`, `Draft`, `Incomplete`, `Deprecated`'),
  likelihood: likelihoodOfCwe.describe('How likely it is to be exploited'),
}

const cweRow = z
  .strictObject({
    ...cweHead,
    cve_count: count.describe('The number of CVEs that any source maps to it'),
    kev_count: count.describe('How many of these are listed as known to be exploited'),
  })
  .meta({ id: 'CweRow', description: 'A weakness in a list' })

export const cwePage = z.strictObject(pageOf(cweRow)).meta({ id: 'CwePage', description: 'A page of weaknesses' })

const alternateTerm = z
  .strictObject({
    term: z.string().describe('The other name'),
    description: text.describe('What there is to say of it'),
  })
  .meta({ id: 'AlternateTerm', description: 'Another name for the same' })

const consequence = z
  .strictObject({
    scopes: texts.describe('What is violated, such as `Confidentiality`'),
    impacts: texts.describe('What follows for it'),
    note: text.describe('Further words on it'),
  })
  .meta({ id: 'Consequence', description: 'What may come of it' })

const taxonomyMapping = z
  .strictObject({
    taxonomy: z.string().describe('The other taxonomy'),
    entry_name: text.describe('What it is called there'),
    entry_id: text.describe('Its id there'),
    fit: text.describe('How well the two fit'),
  })
  .meta({ id: 'TaxonomyMapping', description: 'The same in another taxonomy' })

const catalogVersion = z.string().describe('The version of the upstream catalogue')
const updatedAt = timestamp.describe('When the entry last changed upstream')

const prose = {
  paragraphs: texts.describe('The text, by paragraphs'),
  bullets: texts.describe('The points of lists in it'),
  effectiveness: text.describe('How well it works'),
  effectiveness_notes: text.describe('What there is to say of that'),
}

const mitigation = z
  .strictObject({
    phases: texts.describe('The phases in which it is taken'),
    strategy: text.describe('The strategy behind it'),
    ...prose,
  })
  .meta({ id: 'CweMitigation', description: 'What helps against a weakness' })

const detectionMethod = z
  .strictObject({ method: z.string().describe('The method'), ...prose })
  .meta({ id: 'CweDetectionMethod', description: 'How a weakness is found' })

const example = z
  .strictObject({
    intro: texts.describe('What it is about, by paragraphs'),
    body: texts.describe('What it shows, by paragraphs'),
    snippets: z
      .array(
        z
          .strictObject({
            code: z.string().describe('The code'),
            language: text.describe('Its language'),
            nature: text.describe('What it is an example of, such as `Bad`, `Good`'),
          })
          .meta({ id: 'CweSnippet', description: 'Code of an example' }),
      )
      .describe('The code'),
  })
  .meta({ id: 'CweExample', description: 'An example of a weakness' })

const observedExample = z
  .strictObject({
    cve_id: z.string().describe('The CVE, as the catalogue names it'),
    description: text.describe('What happened'),
    link: text.describe('Where it is described'),
  })
  .meta({ id: 'CweObservedExample', description: 'A weakness as it was seen in the wild' })

const introduction = z
  .strictObject({ phase: z.string().describe('The phase'), note: text.describe('How it comes about') })
  .meta({ id: 'CweIntroduction', description: 'When a weakness comes in' })

const platform = z
  .strictObject({
    label: z.string().describe('The kind of platform, such as `Language`'),
    items: z
      .array(
        z
          .strictObject({
            name: z.string().describe('The platform, or a class of them'),
            prevalence: text.describe('How often it is met there'),
          })
          .meta({ id: 'CwePlatformItem', description: 'A platform with this weakness' }),
      )
      .describe('The platforms'),
  })
  .meta({ id: 'CwePlatform', description: 'Platforms of one kind' })

const cweRelationship = z
  .strictObject({
    cwe_id: cweIdText.describe('The other weakness'),
    slug: cweSlug.describe('The same in lower case'),
    name: text.describe('Its name'),
    nature: z.string().describe('What the other one is to this, such as `Parent`, `Child`, `Peer`'),
  })
  .meta({ id: 'CweRelationship', description: 'How a weakness stands to another in view 1000' })

const pattern = z
  .strictObject({
    capec_id: capecIdText.describe('The attack pattern'),
    slug: capecSlug.describe('The same in lower case'),
    name: text.describe('Its name'),
  })
  .meta({ id: 'CweAttackPattern', description: 'An attack pattern that makes use of a weakness' })

/** `fields` keeps exactly the named fields (API 19.2). */
export const cweEntry = z
  .strictObject({
    cwe_id: cweHead.cwe_id,
    slug: cweHead.slug,
    numeric_id: cweHead.numeric_id,
    name: cweHead.name,
    abstraction: cweHead.abstraction,
    structure: text.describe('How it is built, such as `Simple`, `Chain`, `Composite`'),
    status: cweHead.status,
    likelihood: cweHead.likelihood,
    description: z.string().describe('What it is'),
    extended_description: texts.describe('More of that, by paragraphs'),
    background: texts.describe('What one should know before'),
    alternate_terms: z.array(alternateTerm).describe('Other names'),
    consequences: z.array(consequence).describe('What may come of it'),
    mitigations: z.array(mitigation).describe('What helps'),
    detection_methods: z.array(detectionMethod).describe('How it is found'),
    demonstrative_examples: z.array(example).describe('Examples with code'),
    observed_examples: z.array(observedExample).describe('CVEs that show it'),
    modes_of_introduction: z.array(introduction).describe('When it comes in'),
    platforms: z.array(platform).describe('Where it is met'),
    taxonomy_mappings: z.array(taxonomyMapping).describe('The same in other taxonomies'),
    attack_patterns: z.array(capecIdText).describe('The attack patterns that make use of it'),
    attack_patterns_detailed: z.array(pattern).describe('The same with their names'),
    relationships: z.array(cweRelationship).describe('How it stands to others'),
    catalog_version: catalogVersion,
    updated_at: updatedAt,
  })
  .partial()
  .meta({ id: 'CweEntry', description: 'The full entry of a weakness, or the `fields` of it that were asked for' })

const executionStep = z
  .strictObject({
    step: z.int().positive().describe('The number of the step'),
    phase: text.describe('The phase, such as `Explore`, `Experiment`, `Exploit`'),
    description: text.describe('What is done'),
    techniques: texts.describe('How it is done'),
  })
  .meta({ id: 'CapecStep', description: 'A step of an attack' })

const relatedWeakness = z
  .strictObject({
    id: cweSlug.describe('The weakness in lower case'),
    display: cweIdText.describe('The weakness'),
    name: text.describe('Its name'),
  })
  .meta({ id: 'CapecWeakness', description: 'A weakness that an attack pattern makes use of' })

const relatedPattern = z
  .strictObject({
    capec_id: capecIdText.describe('The other attack pattern'),
    slug: capecSlug.describe('The same in lower case'),
    name: text.describe('Its name'),
    nature: z.string().describe('What the other one is to this'),
  })
  .meta({ id: 'CapecRelationship', description: 'How an attack pattern stands to another' })

const capecAbstraction = z.enum(['Meta', 'Standard', 'Detailed']).nullable().describe('How general it is')
const capecStatus = text.describe('How finished the entry is, such as `Draft`, `Stable`')
const executionFlow = z.array(executionStep).describe('The steps of the attack, in order')
const relatedWeaknesses = z.array(relatedWeakness).describe('The weaknesses it makes use of')
const relatedPatterns = z.array(relatedPattern).describe('How it stands to others')
const consequences = z.array(consequence).describe('What may come of it')

const capecRow = z
  .strictObject({
    capec_id: number.describe('The number of the id'),
    capec_id_string: capecIdText.describe('The id, such as `CAPEC-66`'),
    name: text.describe('The name'),
    description: z.string().describe('What it is'),
    abstraction: capecAbstraction,
    status: capecStatus,
    likelihood_of_attack: text.describe('How likely the attack is'),
    typical_severity: text.describe('How severe it typically is'),
    prerequisites: texts.describe('What it takes'),
    skills_required: texts.describe('The skills it takes'),
    resources_required: texts.describe('The resources it takes'),
    mitigations: texts.describe('What helps'),
    consequences,
    execution_flow: executionFlow,
    related_weaknesses: relatedWeaknesses,
    related_attack_patterns: relatedPatterns,
  })
  .meta({ id: 'CapecRow', description: 'An attack pattern in a list' })

export const capecPage = z
  .strictObject(pageOf(capecRow))
  .meta({ id: 'CapecPage', description: 'A page of attack patterns' })

export const capecEntry = z
  .strictObject({
    id: capecSlug.describe('The id in lower case'),
    display: capecIdText.describe('The id, such as `CAPEC-66`'),
    numeric_id: number.describe('The number of the id'),
    name: text.describe('The name'),
    abstraction: capecAbstraction,
    status: capecStatus,
    severity: text.describe('How severe it typically is'),
    likelihood: text.describe('How likely the attack is'),
    description: z.string().describe('What it is'),
    extended_description: texts.describe('More of that, by paragraphs'),
    execution_flow: executionFlow,
    prerequisites: texts.describe('What it takes'),
    skills: texts.describe('The skills it takes'),
    resources: texts.describe('The resources it takes'),
    indicators: texts.describe('How it shows'),
    mitigations: texts.describe('What helps'),
    examples: texts.describe('Examples'),
    alternate_terms: z.array(alternateTerm).describe('Other names'),
    consequences,
    taxonomy_mappings: z.array(taxonomyMapping).describe('The same in other taxonomies'),
    related_weaknesses: relatedWeaknesses,
    related_attack_patterns: relatedPatterns,
    catalog_version: catalogVersion,
    updated_at: updatedAt,
  })
  .partial()
  .meta({
    id: 'CapecEntry',
    description: 'The full entry of an attack pattern, or the `fields` of it that were asked for',
  })
