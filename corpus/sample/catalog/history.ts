/** Common parts of both catalogs: the history of an entry, and shared terms. */
import { DAY_MS, dateOf, FIRST_NIGHT } from '../calendar.ts'
import type { Random } from '../random.ts'
import { type XmlElement, xml } from './xml.ts'

const FIRST_ENTRY = Date.UTC(2006, 6, 19)

export const SCOPES = ['Confidentiality', 'Integrity', 'Availability', 'Access Control', 'Authorization'] as const
export const IMPACTS = [
  'Read Data',
  'Modify Data',
  'Execute Unauthorized Commands',
  'Gain Privileges',
  'Crash',
] as const

/** Returns a history with one submission and up to four changes. The latest change dates the entry. */
export function contentHistory(random: Random, releasedAt: number): XmlElement {
  const span = Math.floor((releasedAt - FIRST_ENTRY) / DAY_MS)
  const days = Array.from({ length: random.between(1, 5) }, () => random.int(span)).sort((a, b) => a - b)
  const [first, ...later] = days.map((day) => dateOf(FIRST_ENTRY + day * DAY_MS))
  return xml(
    'Content_History',
    {},
    xml(
      'Submission',
      {},
      xml('Submission_Name', {}, 'Catalogue Team'),
      xml('Submission_Organization', {}, 'Sample Works'),
      xml('Submission_Date', {}, first!),
    ),
    later.map((date) =>
      xml(
        'Modification',
        {},
        xml('Modification_Name', {}, 'Catalogue Team'),
        xml('Modification_Organization', {}, 'Sample Works'),
        xml('Modification_Date', {}, date),
        xml('Modification_Comment', {}, 'updated Relationships, Description'),
      ),
    ),
  )
}

/** Release time of the editions, before the first night. */
export const RELEASED_AT = FIRST_NIGHT - 40 * DAY_MS

/** Returns `count` sentences of `said` without repeats, or all if there are fewer. */
export function sentences(said: readonly string[], count: number, random: Random): string[] {
  const start = random.int(said.length)
  return Array.from({ length: Math.min(count, said.length) }, (_, i) => said[(start + i) % said.length]!)
}
