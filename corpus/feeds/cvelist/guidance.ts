/** Reads what a container of a CVE record advises: how to live with the vulnerability, what it causes, who found it. */
import type { GuidanceClaim, RecordNote } from '../../model/claim.ts'
import { type JsonObject, objects, text, texts } from '../../model/values/json-value.ts'
import { isEnglish, readDate } from '../statements.ts'

/** Returns null if the container states none of it. */
export function readGuidance(container: JsonObject, source: string, notes: RecordNote[]): GuidanceClaim | null {
  const guidance: GuidanceClaim = {
    date_public: readDate(container.datePublic, `${source} datePublic`, notes),
    tags: [...new Set(texts(container.tags))],
    workarounds: englishTexts(container.workarounds),
    solutions: englishTexts(container.solutions),
    configurations: englishTexts(container.configurations),
    exploits: englishTexts(container.exploits),
    impacts: objects(container.impacts).flatMap(readImpact),
    credits: english(container.credits).flatMap(readCredit),
    timeline: english(container.timeline).flatMap(({ time, value }) => {
      const event = text(value)
      return event === null ? [] : [{ time: readDate(time, `${source} timeline`, notes), text: event }]
    }),
  }
  const isEmpty = Object.values(guidance).every((value) => value === null || value.length === 0)
  return isEmpty ? null : guidance
}

/** Returns the English members of a list, or all of them if none is English. */
function english(list: unknown): JsonObject[] {
  const stated = objects(list)
  const own = stated.filter(({ lang }) => isEnglish(lang))
  return own.length > 0 ? own : stated
}

const englishTexts = (list: unknown): string[] => english(list).flatMap(({ value }) => text(value) ?? [])

function readImpact({ capecId, descriptions }: JsonObject): GuidanceClaim['impacts'] {
  const capec_id = /^CAPEC-[1-9]\d*$/i.exec(text(capecId) ?? '')?.[0].toUpperCase() ?? null
  const stated = englishTexts(descriptions)
  if (stated.length === 0) return capec_id === null ? [] : [{ capec_id, description: null }]
  return stated.map((description) => ({ capec_id, description }))
}

function readCredit({ value, type }: JsonObject): GuidanceClaim['credits'] {
  const name = text(value)
  return name === null ? [] : [{ name, type: text(type) }]
}
