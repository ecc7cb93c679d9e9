/** Under which rules and settings records are merged. The corpus remembers them: under others all are merged again. */
import { hash } from 'node:crypto'
import type { CweEntry } from '../../corpus/model/catalogue.ts'
import { MERGE_RULES, type RecordSettings } from './record.ts'

/** Names by `cwe-<n>`, or null where the corpus has no catalogue of weaknesses. */
export function weaknessNames(entries: readonly CweEntry[]): RecordSettings['weaknesses'] {
  return entries.length === 0 ? null : Object.fromEntries(entries.map(({ slug, name }) => [slug, name]))
}

/** As the corpus remembers them. */
export function rulesText({ mission, kevFeed, weaknesses }: RecordSettings): string {
  const names = weaknesses && hash('sha256', JSON.stringify(weaknesses))
  return JSON.stringify({ rules: MERGE_RULES, mission, kevFeed, weaknesses: names })
}

/** The settings in what `rulesText` gave; null where it was given by other rules than these. */
export function settingsIn(text: string, weaknesses: RecordSettings['weaknesses']): RecordSettings | null {
  const { mission, kevFeed } = JSON.parse(text) as RecordSettings
  const settings = { mission, kevFeed, weaknesses }
  return rulesText(settings) === text ? settings : null
}
