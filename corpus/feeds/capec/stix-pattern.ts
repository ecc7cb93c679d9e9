/** Converts a STIX attack pattern of CAPEC to the model. */
import type { CapecEntry, Consequence } from '../../model/catalog.ts'
import { utcTimestamp } from '../../model/values/date.ts'
import { isObject, type JsonObject, objects, text, texts } from '../../model/values/json-value.ts'
import type { ReadEntry } from '../catalog/entries.ts'
import type { Relation } from '../catalog/relations.ts'
import { paragraphsOf } from '../catalog/structured-text.ts'
import { FeedError } from '../error.ts'
import type { StixCatalog } from './stix-objects.ts'
import { readExecutionFlow, stixBlocks, stixText } from './stix-text.ts'

/** Each field has the references of one nature. */
const RELATION_FIELDS: Record<string, string> = {
  x_capec_child_of_refs: 'Parent',
  x_capec_parent_of_refs: 'Child',
  x_capec_peer_of_refs: 'Peer',
  x_capec_can_precede_refs: 'CanPrecede',
  x_capec_can_follow_refs: 'CanFollow',
}

/** @throws FeedError when the edition or the modification time of the pattern is missing */
export function readStixPattern(number: number, pattern: JsonObject, catalog: StixCatalog): ReadEntry<CapecEntry> {
  const version = text(pattern.x_capec_version) ?? catalog.version
  const modified = utcTimestamp(text(pattern.modified) ?? '')
  if (version === null) throw new FeedError('item_invalid', 'neither it nor another pattern has x_capec_version')
  if (modified === null) throw new FeedError('item_invalid', 'modified is not a timestamp')
  const references = objects(pattern.external_references)
  return {
    entry: {
      id: `capec-${number}`,
      display: `CAPEC-${number}`,
      numeric_id: number,
      name: text(pattern.name),
      abstraction: text(pattern.x_capec_abstraction),
      status: text(pattern.x_capec_status),
      severity: text(pattern.x_capec_typical_severity),
      likelihood: text(pattern.x_capec_likelihood_of_attack),
      description: stixText(text(pattern.description) ?? '') ?? '',
      extended_description: paragraphsOf(stixBlocks(text(pattern.x_capec_extended_description) ?? '')),
      execution_flow: readExecutionFlow(text(pattern.x_capec_execution_flow) ?? ''),
      prerequisites: plainTexts(texts(pattern.x_capec_prerequisites)),
      skills: readSkills(pattern.x_capec_skills_required),
      resources: plainTexts(texts(pattern.x_capec_resources_required)),
      // STIX has no field for them.
      indicators: [],
      mitigations: plainTexts(
        inOrder(number, catalog.mitigations.get(String(pattern.id)) ?? []).flatMap(
          (action) => text(action.description) ?? [],
        ),
      ),
      examples: plainTexts(texts(pattern.x_capec_example_instances)),
      alternate_terms: texts(pattern.x_capec_alternate_terms).map((term) => ({ term, description: null })),
      consequences: readConsequences(pattern.x_capec_consequences),
      taxonomy_mappings: readTaxonomies(references),
      related_weaknesses: [...new Set(references.flatMap(weaknessNumber))].map((id) => ({
        id: `cwe-${id}`,
        display: `CWE-${id}`,
        name: null,
      })),
      related_attack_patterns: [],
      catalog_version: version,
      updated_at: modified,
    },
    relations: readRelations(pattern, catalog),
  }
}

const SKILL_LEVELS = ['Low', 'Medium', 'High']

/** Returns texts such as `Low: what it takes`, lowest level first. A skill without a description is its level alone. */
function readSkills(stated: unknown): string[] {
  const rank = (level: string) => (SKILL_LEVELS.includes(level) ? SKILL_LEVELS.indexOf(level) : SKILL_LEVELS.length)
  return Object.entries(isObject(stated) ? stated : {})
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([level, what]) => [level, stixText(text(what) ?? '')].filter((part) => part !== null).join(': '))
}

function plainTexts(list: readonly string[]): string[] {
  return list.flatMap((one) => stixText(one) ?? [])
}

/**
 * Returns mitigations in catalog order. A course of action is named after its first pattern and its position there
 * (`coa-102-0`); patterns with the same text share it. Shared ones fill the gaps between the pattern's own.
 */
function inOrder(number: number, actions: readonly JsonObject[]): JsonObject[] {
  const named = actions.map((action) => {
    const [, pattern = '0', position = '0'] = /^coa-(\d+)-(\d+)$/.exec(text(action.name) ?? '') ?? []
    return { action, pattern: Number(pattern), position: Number(position) }
  })
  named.sort(
    (a, b) => a.pattern - b.pattern || a.position - b.position || (String(a.action.id) < String(b.action.id) ? -1 : 1),
  )
  const own = named.filter(({ pattern }) => pattern === number)
  const shared = named.filter(({ pattern }) => pattern !== number)
  const ordered: JsonObject[] = []
  while (own.length + shared.length > 0) {
    const next = own[0] && (own[0].position <= ordered.length || shared.length === 0) ? own : shared
    ordered.push(next.shift()!.action)
  }
  return ordered
}

/**
 * Returns consequences. STIX lists impacts by scope, with a note: `Gain Privileges (a note)`. This groups scopes per
 * impact, and impacts with equal scopes and note.
 */
function readConsequences(stated: unknown): Consequence[] {
  const scopesOf = new Map<string, string[]>()
  for (const [scope, impacts] of isObject(stated) ? Object.entries(stated) : []) {
    for (const impact of texts(impacts)) {
      const scopes = scopesOf.get(impact)
      if (scopes) scopes.push(scope.replaceAll('_', ' '))
      else scopesOf.set(impact, [scope.replaceAll('_', ' ')])
    }
  }
  const consequences = new Map<string, Consequence>()
  for (const [stated, scopes] of scopesOf) {
    const { impact, note } = withNote(stated)
    const key = note === null ? stated : JSON.stringify([scopes, note])
    const same = consequences.get(key)
    if (same) same.impacts.push(impact)
    else consequences.set(key, { scopes: [...new Set(scopes)], impacts: [impact], note })
  }
  return [...consequences.values()]
}

function withNote(impact: string): { impact: string; note: string | null } {
  const at = impact.indexOf(' (')
  if (at < 0 || !impact.endsWith(')')) return { impact, note: null }
  return { impact: impact.slice(0, at), note: stixText(impact.slice(at + 2, -1)) }
}

/** Returns references to other taxonomies. References to literature are named `reference_from_CAPEC`. */
function readTaxonomies(references: readonly JsonObject[]): CapecEntry['taxonomy_mappings'] {
  return references.flatMap((reference) => {
    const taxonomy = text(reference.source_name)
    if (taxonomy === null || taxonomy === 'capec' || taxonomy === 'cwe' || taxonomy.startsWith('reference_from')) {
      return []
    }
    return [{ taxonomy, entry_name: text(reference.description), entry_id: text(reference.external_id), fit: null }]
  })
}

function weaknessNumber(reference: JsonObject): number | [] {
  const match = reference.source_name === 'cwe' ? /^CWE-([1-9]\d{0,6})$/.exec(text(reference.external_id) ?? '') : null
  return match ? Number(match[1]) : []
}

/** A reference to an unknown pattern has no CAPEC number and is ignored. */
function readRelations(pattern: JsonObject, { numbers }: StixCatalog): Relation[] {
  return Object.entries(RELATION_FIELDS).flatMap(([field, nature]) =>
    texts(pattern[field]).flatMap((ref) => {
      const to = numbers.get(ref)
      return to === undefined ? [] : [{ to, nature }]
    }),
  )
}
