/** Explains values that several claims contribute to: flags, unions, lists, points. */

import type { CveClaim, DetectionClaim } from '../claim.ts'
import { isExploitation, isFix, isMitigation, isPatch, isWorkaround } from '../evidence/capabilities.ts'
import { isMapping } from '../ids/weakness.ts'
import type { MergedParts, MergeInput } from '../merge.ts'
import type { EvidenceItem, KevCatalogEntry, Reference } from '../record.ts'
import { completenessPoints } from '../scores/completeness.ts'
import { claimant } from '../sources.ts'
import { adds, type Considered, passed } from './explanation.ts'

export function patchGrounds({ evidence, references }: MergedParts): Considered[] {
  return [...evidence.filter(isFix).map(evidenceGround), ...references.filter(isPatch).map(referenceGround)]
}

export function workaroundGrounds(claims: readonly CveClaim[], { references }: MergedParts): Considered[] {
  return [
    ...claims.filter(isWorkaround).map((claim) => adds(claimant(claim), 'documents a workaround')),
    ...references.filter(isMitigation).map(referenceGround),
  ]
}

export function guidanceGrounds({ guidance: { nvd_status: status, entries } }: MergedParts): Considered[] {
  const fieldsOf = (stated: object) =>
    Object.entries(stated).flatMap(([name, value]) => (value === null || value.length === 0 ? [] : name))
  return [
    ...entries.map(({ source, source_short_name: sourceName, ...stated }) =>
      adds(claimant({ source, sourceName }), fieldsOf(stated).join(', ')),
    ),
    ...(status === null ? [] : [adds('nvd', status)]),
  ]
}

export const catalogGround = ({ catalog, date_added, due_date, ransomware }: KevCatalogEntry): Considered =>
  adds(
    catalog,
    [
      date_added && `listed on ${date_added}`,
      due_date && `due on ${due_date}`,
      ransomware && `ransomware use ${ransomware}`,
    ]
      .filter(Boolean)
      .join(', '),
  )

export function exploitGrounds({ evidence }: MergedParts): Considered[] {
  return evidence.filter(isExploitation).map(evidenceGround)
}

export function detectionGrounds(detections: readonly DetectionClaim[]): Considered[] {
  return detections.map(({ source, layer, name }) => adds(source, `${layer}${name === null ? '' : `: ${name}`}`))
}

export function evidenceGround(item: EvidenceItem): Considered {
  const what = item.fixed_version ?? item.explanation ?? item.evidence_url
  const rank = item.maturity_rank === null ? '' : `rank ${item.maturity_rank}, `
  const weight = `${item.evidence_type} (${rank}${item.confidence ?? 'no confidence given'})`
  return adds(item.source, `${weight}${what === null ? '' : `: ${what}`}`)
}

function referenceGround({ url, tags, sources }: Reference): Considered {
  return adds(sources.join(' '), `${tags.join(', ')}: ${url}`)
}

export function mappingGrounds(claims: readonly CveClaim[]): Considered[] {
  return claims
    .filter(({ weaknesses }) => weaknesses.length > 0)
    .map((claim) => {
      const states = claim.weaknesses.join(' ')
      return isMapping(claim)
        ? adds(claimant(claim), states)
        : passed(claimant(claim), states, 'its mappings are not used')
    })
}

/** Returns each claim with its number of items in a list. Claims stay separate because all items are served. */
export function countedGrounds(claims: readonly CveClaim[], list: 'affected' | 'references'): Considered[] {
  return claims
    .filter((claim) => claim[list].length > 0)
    .map((claim) => adds(claimant(claim), counted(claim[list].length, claim.updatedAt)))
}

/** Returns `3 items, of 2024-05-02T08:00:00.000Z`. */
export function counted(items: number, date: string | null): string {
  return `${items} item${items === 1 ? '' : 's'}${date === null ? '' : `, of ${date}`}`
}

export function reportGrounds({ reports }: MergeInput, parts: MergedParts): Considered[] {
  const served = new Set(parts.reports.map(({ id }) => id))
  return reports.map(({ id, reportType, model, createdAt, final }) => {
    const states = `${reportType} ${id} of ${createdAt}`
    if (served.has(id)) return adds(model, states)
    return passed(model, states, final ? 'a newer report of this type exists' : 'a draft')
  })
}

export function completenessGrounds(claims: readonly CveClaim[]): Considered[] {
  const cna = claims.find(({ source }) => source === 'cna')
  if (!cna) return []
  return completenessPoints(cna).map(({ what, points, given }) =>
    given ? adds(claimant(cna), `${what}: ${points}`) : passed(claimant(cna), `${what}: ${points}`, 'not given'),
  )
}
