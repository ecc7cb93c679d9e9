/** Converts a container of a CVE record (CVE JSON 5.x, `cna` or a member of `adp`) to a claim of its author. */

import { statedName } from '../../model/affected/products.ts'
import { isUnaffected, type VersionStatement, versionLists } from '../../model/affected/ranges.ts'
import type { CveClaim, RecordNote, ReferenceClaim } from '../../model/claim.ts'
import { weaknessId, weaknessIdsInText } from '../../model/ids/weakness.ts'
import type { AffectedEntry } from '../../model/record.ts'
import { isObject, type JsonObject, objects, text, texts } from '../../model/values/json-value.ts'
import { assertNameLength, boundedWeaknesses } from '../feed.ts'
import { readConfigurations } from '../nvd/configurations.ts'
import { firstEnglish, readDate, readUrl } from '../statements.ts'
import { readGuidance } from './guidance.ts'
import { readMetrics } from './metrics.ts'

export interface ContainerContext {
  source: 'cna' | 'adp'
  /** The record's assigner, for a container without a name. */
  fallbackName: string
  /** The record's date, for a container without one. */
  fallbackDate: string
  notes: RecordNote[]
}

/** @throws FeedError when a provider or product name is too long, or there are too many weaknesses */
export function readContainer(container: JsonObject, context: ContainerContext): CveClaim {
  const { source, notes } = context
  const provider = isObject(container.providerMetadata) ? container.providerMetadata : {}
  const sourceName = text(provider.shortName) ?? context.fallbackName
  assertNameLength(`the short name of its ${source}`, sourceName)
  const updatedAt = readDate(provider.dateUpdated, `${source} dateUpdated`, notes) ?? context.fallbackDate
  const { metrics, ssvc, kevDateAdded } = readMetrics(container.metrics, notes)
  return {
    source,
    sourceName,
    ...(source === 'adp' && isSupplier(container, provider) && { isSupplier: true }),
    updatedAt,
    // The title of an ADP container is the container's name, not the vulnerability's.
    title: source === 'cna' ? text(container.title) : null,
    description: firstEnglish(container.descriptions),
    metrics,
    weaknesses: readWeaknesses(container.problemTypes),
    affected: [
      ...objects(container.affected).map((entry) => readAffected(entry, source, updatedAt)),
      ...readApplicability(container.cpeApplicability, source, updatedAt, notes),
    ],
    references: readReferences(container.references, notes),
    guidance: readGuidance(container, source, notes),
    ssvc,
    kevDateAdded,
  }
}

/** The pilot of supplier ADPs states the type in the container. The record format has it in `providerMetadata`. */
function isSupplier(...places: JsonObject[]): boolean {
  return places.some(({ x_adpType: type }) => text(type)?.toLowerCase() === 'supplier')
}

/** A valid `cweId` takes precedence over the text. For others (`CWE-noinfo`) ids are read from the text. */
function readWeaknesses(problemTypes: unknown): string[] {
  const ids = new Set<string>()
  for (const { descriptions } of objects(problemTypes)) {
    for (const { cweId, description } of objects(descriptions)) {
      const stated = typeof cweId === 'string' ? weaknessId(cweId) : null
      if (stated !== null) ids.add(stated)
      else if (typeof description === 'string') for (const id of weaknessIdsInText(description)) ids.add(id)
    }
  }
  return boundedWeaknesses(ids)
}

/** This tag describes the record's processing, not the reference (rule 30). */
const DROPPED_TAG = 'x_transferred'

function readReferences(references: unknown, notes: RecordNote[]): ReferenceClaim[] {
  const claims: ReferenceClaim[] = []
  for (const { url: stated, name, tags } of objects(references)) {
    const url = readUrl(stated, notes)
    if (url !== null) {
      claims.push({ url, name: text(name), tags: texts(tags).filter((tag) => tag !== DROPPED_TAG) })
    }
  }
  return claims
}

function readAffected(entry: JsonObject, source: 'cna' | 'adp', updatedAt: string): AffectedEntry {
  const defaultStatus = text(entry.defaultStatus)
  const [vendor, product, packageName] = [text(entry.vendor), text(entry.product), text(entry.packageName)]
  for (const name of [vendor, product, packageName]) assertNameLength('the name of an affected product', name)
  const versions = objects(entry.versions).map(readVersion)
  // Suppliers state products that are not affected as "unaffected from 0 to *", without a default.
  const status = isUnaffected(versions) ? 'unaffected' : defaultStatus
  const { affected_versions, affected_ranges, patched_versions } = versionLists(versions, status)
  return {
    source,
    vendor: statedName(vendor),
    product: statedName(product),
    package_name: packageName,
    ecosystem: null,
    platforms: filled(texts(entry.platforms)),
    default_status: status,
    affected_versions,
    affected_ranges,
    patched_versions,
    cpes: filled(texts(entry.cpes)),
    repo_url: text(entry.repo),
    collection_url: text(entry.collectionURL),
    package_url: text(entry.packageURL),
    vulnerable_functions: null,
    advisory_severity: null,
    advisory_urgency: null,
    advisory_description: null,
    updated_at: updatedAt,
  }
}

/** `cpeApplicability` (record format 5.1) states products and versions in the form of NVD's configurations. */
function readApplicability(stated: unknown, source: 'cna' | 'adp', updatedAt: string, notes: RecordNote[]) {
  const entries = readConfigurations(stated, updatedAt, notes, source)
  for (const { vendor, product } of entries) {
    for (const name of [vendor, product]) assertNameLength('the name of an affected product', name)
  }
  return entries
}

function readVersion(version: JsonObject): VersionStatement {
  return {
    version: text(version.version) ?? '',
    status: text(version.status)?.toLowerCase() ?? 'unknown',
    lessThan: text(version.lessThan),
    lessThanOrEqual: text(version.lessThanOrEqual),
    versionType: text(version.versionType),
    changes: objects(version.changes).map((change) => ({
      at: text(change.at) ?? '',
      status: text(change.status)?.toLowerCase() ?? 'unknown',
    })),
  }
}

function filled(list: string[]): string[] | null {
  return list.length > 0 ? list : null
}
