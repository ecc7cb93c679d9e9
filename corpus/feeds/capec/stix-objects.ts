/** Reads CAPEC's STIX 2.1 bundles: one file with all objects, or one file per object. */

import { utcTimestamp } from '../../model/values/date.ts'
import { parseShallowJson } from '../../model/values/json-text.ts'
import { isObject, type JsonObject, objects, text } from '../../model/values/json-value.ts'
import { FeedError } from '../error.ts'
import { type FeedSkip, skipOf } from '../feed.ts'
import type { Document } from '../files/documents.ts'
import { assertNesting, utf8Text } from '../json.ts'

export interface StixCatalog {
  /** Attack patterns by their CAPEC number, ascending. */
  patterns: [number, JsonObject][]
  /** CAPEC number by STIX id of the attack pattern. */
  numbers: ReadonlyMap<string, number>
  /** Courses of action that mitigate an attack pattern, by its STIX id. */
  mitigations: ReadonlyMap<string, readonly JsonObject[]>
  version: string | null
  /** When the newest pattern was changed, ISO 8601 in UTC. */
  modified: string | null
  skips: FeedSkip[]
}

const OBJECT_FOLDERS = ['attack-pattern', 'course-of-action', 'relationship']

/** Whether a document belongs to CAPEC: `stix*.json`, or a file per object such as `attack-pattern/<id>.json`. */
export function isStixDocument(name: string): boolean {
  const [file = '', folder = ''] = name.toLowerCase().split('/').reverse()
  return file.endsWith('.json') && (file.includes('stix') || OBJECT_FOLDERS.includes(folder))
}

/** @throws FeedError when no attack pattern is found. A bad document among several is skipped by name. */
export function readStixObjects(documents: readonly Document[]): StixCatalog {
  const byId = new Map<string, JsonObject>()
  const skips: FeedSkip[] = []
  for (const document of documents) {
    try {
      for (const object of bundleObjects(document)) {
        const id = text(object.id)
        if (id === null) continue
        try {
          assertNesting(object)
          byId.set(id, object)
        } catch (cause) {
          const number = capecNumber(object)
          skips.push(skipOf(number === null ? id : `CAPEC-${number}`, cause))
        }
      }
    } catch (cause) {
      if (documents.length === 1) throw cause
      skips.push(skipOf(document.name, cause))
    }
  }
  const all = [...byId.values()]
  const patterns = all.flatMap((object): [number, JsonObject][] => {
    const number = object.type === 'attack-pattern' ? capecNumber(object) : null
    return number === null ? [] : [[number, object]]
  })
  if (patterns.length === 0) throw new FeedError('file_invalid', 'it contains no CAPEC attack pattern')
  const stated = patterns.map(([, pattern]) => pattern)
  return {
    patterns: patterns.sort(([a, x], [b, y]) => a - b || (String(x.id) < String(y.id) ? -1 : 1)),
    numbers: new Map(patterns.map(([number, pattern]) => [String(pattern.id), number])),
    mitigations: mitigationsOf(all, byId),
    version: newestVersion(stated.flatMap((pattern) => text(pattern.x_capec_version) ?? [])),
    modified:
      stated
        .flatMap((pattern) => utcTimestamp(text(pattern.modified) ?? '') ?? [])
        .sort()
        .at(-1) ?? null,
    skips,
  }
}

function bundleObjects(document: Document): JsonObject[] {
  const json = parse(document.read())
  if (!isObject(json) || json.type !== 'bundle' || !Array.isArray(json.objects)) {
    throw new FeedError('file_invalid', 'it is not a STIX bundle')
  }
  return objects(json.objects)
}

/** A deeply nested object is skipped instead of the whole catalog. */
function parse(bytes: Buffer): unknown {
  const text = utf8Text(bytes)
  try {
    return parseShallowJson(text)
  } catch (cause) {
    throw new FeedError('file_invalid', `it is not JSON: ${(cause as Error).message}`, { cause })
  }
}

function capecNumber(pattern: JsonObject): number | null {
  const reference = objects(pattern.external_references).find(({ source_name }) => source_name === 'capec')
  const match = /^CAPEC-([1-9]\d{0,6})$/.exec(text(reference?.external_id) ?? '')
  return match ? Number(match[1]) : null
}

function mitigationsOf(all: readonly JsonObject[], byId: ReadonlyMap<string, JsonObject>) {
  const mitigations = new Map<string, JsonObject[]>()
  for (const { type, relationship_type, source_ref, target_ref } of all) {
    if (type !== 'relationship' || relationship_type !== 'mitigates') continue
    const action = byId.get(String(source_ref))
    if (action?.type !== 'course-of-action') continue
    const target = String(target_ref)
    const list = mitigations.get(target)
    if (list) list.push(action)
    else mitigations.set(target, [action])
  }
  return mitigations
}

function newestVersion(versions: readonly string[]): string | null {
  const parts = (version: string) => version.split('.').map(Number)
  const compare = (a: string, b: string) => {
    const [x, y] = [parts(a), parts(b)]
    const at = x.findIndex((part, index) => part !== y[index])
    return at < 0 ? x.length - y.length : (x[at] ?? 0) - (y[at] ?? 0)
  }
  return [...new Set(versions)].sort(compare).at(-1) ?? null
}
