/** Rules and settings of a merge. If they change, all records are merged again. */
import { hash } from 'node:crypto'
import type { CweEntry } from '../../corpus/model/catalog.ts'
import { MERGE_RULES, type RecordSettings } from './record.ts'

/** Returns null without a weakness catalog. */
export function weaknessNames(entries: readonly CweEntry[]): RecordSettings['weaknesses'] {
  return entries.length === 0 ? null : Object.fromEntries(entries.map(({ slug, name }) => [slug, name]))
}

export function rulesText({ mission, kevFeed, weaknesses }: RecordSettings): string {
  const names = weaknesses && hash('sha256', JSON.stringify(weaknesses))
  return JSON.stringify({ rules: MERGE_RULES, mission, kevFeed, weaknesses: names })
}

/** Returns null if other rules wrote `text`. */
export function settingsIn(text: string, weaknesses: RecordSettings['weaknesses']): RecordSettings | null {
  const { mission, kevFeed } = JSON.parse(text) as RecordSettings
  const settings = { mission, kevFeed, weaknesses }
  return rulesText(settings) === text ? settings : null
}
