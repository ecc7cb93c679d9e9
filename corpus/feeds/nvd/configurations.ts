/**
 * Converts configurations (trees of CPE matches) to affected entries: those of an NVD record, and `cpeApplicability` of a
 * container of a CVE record, which has the same form.
 */

import { type Cpe, cpeText, parseCpe } from '../../model/affected/cpe.ts'
import type { RecordNote } from '../../model/claim.ts'
import type { AffectedEntry, AffectedRange } from '../../model/record.ts'
import { type JsonObject, objects, text } from '../../model/values/json-value.ts'
import { FeedError } from '../error.ts'
import { shown } from '../json.ts'
import { addNote } from '../statements.ts'

interface Product {
  vendor: string | null
  product: string | null
  platforms: string[]
  cpes: Set<string>
  versions: Set<string>
  patched: Set<string>
  /** By their JSON, because editions of a product often have the same ranges. */
  ranges: Map<string, AffectedRange>
}

/**
 * Maximum platform names in the entries of a record. Each product of an AND repeats them: 10,000 of each make 100
 * million.
 */
const MAX_PLATFORMS = 1_000_000

type Source = 'nvd' | 'cna' | 'adp'

/**
 * Returns entries in order of first mention, separate per platforms. NVD's entries have all editions of a product; those
 * of a CVE record have one each, because the versions of its entries count for each of their CPEs. Only `vulnerable` matches are affected; the other
 * matches of an AND are required platforms.
 * @throws FeedError `entry_too_large`
 */
export function readConfigurations(
  configurations: unknown,
  updatedAt: string,
  notes: RecordNote[],
  source: Source = 'nvd',
): AffectedEntry[] {
  const products = new Map<string, Product>()
  const lists = platformLists()
  let names = 0
  for (const configuration of objects(configurations)) {
    const matches = matchesOf(configuration, notes)
    const context = text(configuration.operator)?.toUpperCase() === 'AND' ? platformsOf(matches) : []
    const platformsWith = lists.after(context)
    for (const { match, criteria, cpe } of matches) {
      if (match.vulnerable !== true) continue
      const { platforms, number } = platformsWith(ownPlatforms(cpe))
      const edition = source === 'nvd' ? [] : EDITION.map((attribute) => cpe[attribute])
      const key = JSON.stringify([cpe.vendor, cpe.product, number, ...edition])
      let product = products.get(key)
      if (!product) {
        product = newProduct(cpe, platforms)
        products.set(key, product)
        names += platforms.length
        if (names > MAX_PLATFORMS) {
          throw new FeedError('entry_too_large', `its products list more than ${MAX_PLATFORMS} platforms`)
        }
      }
      product.cpes.add(criteria)
      addVersions(match, cpe, product, source === 'nvd' ? ' ' : '-')
    }
  }
  return [...products.values()].map((product) => entryOf(product, source, updatedAt))
}

const EDITION = ['part', 'edition', 'language', 'swEdition', 'targetSw', 'targetHw', 'other'] as const

interface PlatformList {
  platforms: string[]
  /** Equal lists have equal numbers. */
  number: number
}

/** Cached platform lists. A configuration may have thousands of platforms, and as many products on them. */
function platformLists() {
  const numbers = new Map<string, number>()
  return {
    /** Returns a function that appends a product's own platforms to those of its configuration. */
    after(context: readonly string[]): (own: readonly string[]) => PlatformList {
      const made = new Map<string, PlatformList>()
      return (own) => {
        const key = JSON.stringify(own)
        let list = made.get(key)
        if (!list) {
          const platforms = [...new Set([...context, ...own])]
          const text = JSON.stringify(platforms)
          const number = numbers.get(text) ?? numbers.size
          numbers.set(text, number)
          list = { platforms, number }
          made.set(key, list)
        }
        return list
      }
    },
  }
}

interface CpeMatch {
  match: JsonObject
  criteria: string
  cpe: Cpe
}

/** Skips negated nodes, which an entry cannot represent. NVD does not use them. */
function matchesOf(configuration: JsonObject, notes: RecordNote[]): CpeMatch[] {
  const nodes = objects(configuration.nodes)
  if (configuration.negate === true || nodes.some(({ negate }) => negate === true)) {
    addNote(notes, { code: 'range-unreadable', detail: `negated configuration ${shown(configuration)}` })
    return []
  }
  const matches: CpeMatch[] = []
  for (const match of nodes.flatMap(({ cpeMatch }) => objects(cpeMatch))) {
    const criteria = text(match.criteria)
    const cpe = criteria === null ? null : parseCpe(criteria)
    if (criteria !== null && cpe !== null) matches.push({ match, criteria, cpe })
    else addNote(notes, { code: 'range-unreadable', detail: `CPE ${shown(match.criteria)}` })
  }
  return matches
}

/** Returns names such as `microsoft windows`, `netapp h410c`, `linux linux_kernel 5.4`. */
function platformsOf(matches: readonly CpeMatch[]): string[] {
  const names = matches
    .filter(({ match }) => match.vulnerable === false)
    .map(({ cpe }) => [cpeText(cpe.vendor), cpeText(cpe.product), versionOf(cpe)].filter((one) => one !== null))
  return [...new Set(names.map((name) => name.join(' ')).filter((name) => name !== ''))]
}

/** Returns target software and hardware of the product: `wordpress`, `android`, `x64`. */
function ownPlatforms(cpe: Cpe): string[] {
  return [cpeText(cpe.targetSw), cpeText(cpe.targetHw)].filter((one) => one !== null)
}

/** Returns version and update, such as `9.8 p1`; null when the CPE names no single version. */
function versionOf(cpe: Cpe, separator = ' '): string | null {
  const version = cpeText(cpe.version)
  const update = cpeText(cpe.update)
  return version !== null && update !== null ? version + separator + update : version
}

function newProduct(cpe: Cpe, platforms: string[]): Product {
  return {
    vendor: cpeText(cpe.vendor),
    product: cpeText(cpe.product),
    platforms,
    cpes: new Set(),
    versions: new Set(),
    patched: new Set(),
    ranges: new Map(),
  }
}

/**
 * Adds the versions of a match. Bounds make a range; an exact version is listed; `*` without bounds means every
 * version; `-` means a product without versions.
 */
function addVersions(match: JsonObject, cpe: Cpe, product: Product, separator: string): void {
  const after = text(match.versionStartExcluding)
  const from = text(match.versionStartIncluding)
  const before = text(match.versionEndExcluding)
  const upTo = before === null ? text(match.versionEndIncluding) : null
  if (after !== null && from === null) {
    // `introduced` is inclusive, and an unaffected version never becomes `introduced` (rule 24). So this uses a
    // comparator.
    const bound = before !== null ? `, < ${before}` : upTo !== null ? `, <= ${upTo}` : ''
    product.versions.add(`> ${after}${bound}`)
    if (before !== null) product.patched.add(before)
  } else if (from !== null || before !== null || upTo !== null || cpe.version === '*') {
    const range: AffectedRange = { introduced: from ?? '0', fixed: before, version_type: null }
    if (upTo !== null) range.last_affected = upTo
    product.ranges.set(JSON.stringify(range), range)
  } else {
    const version = versionOf(cpe, separator)
    if (version !== null) product.versions.add(version)
  }
}

function entryOf(product: Product, source: Source, updatedAt: string): AffectedEntry {
  return {
    source,
    vendor: product.vendor,
    product: product.product,
    package_name: null,
    ecosystem: null,
    platforms: filled(product.platforms),
    default_status: null,
    affected_versions: filled([...product.versions]),
    affected_ranges: filled([...product.ranges.values()]),
    patched_versions: filled([...product.patched]),
    cpes: filled([...product.cpes]),
    repo_url: null,
    collection_url: null,
    package_url: null,
    vulnerable_functions: null,
    advisory_severity: null,
    advisory_urgency: null,
    advisory_description: null,
    updated_at: updatedAt,
  }
}

function filled<T>(list: T[]): T[] | null {
  return list.length > 0 ? list : null
}
