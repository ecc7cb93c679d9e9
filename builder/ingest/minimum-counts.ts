/** Minimum numbers of usable records per feed (`--floor`). */
import { FEEDS, type FeedName } from '../../corpus/feeds/table.ts'
import { IngestError } from './error.ts'

export type MinimumCounts = Readonly<Partial<Record<FeedName, number>>>

/**
 * Parses `kev=1000,cvelist=200000`. The last value of a feed counts.
 * @throws IngestError `usage`
 */
export function readMinimumCounts(text: string): MinimumCounts {
  const floors: Partial<Record<FeedName, number>> = {}
  for (const word of text.split(',').map((part) => part.trim())) {
    const [, name, number] = /^(.*?)\s*=\s*(.*)$/.exec(word) ?? []
    if (name === undefined) throw new IngestError('usage', `--floor takes <feed>=<records>, not '${word}'`)
    const feed = FEEDS.find((one) => one.name === name)
    if (!feed) {
      const known = FEEDS.map((one) => one.name).join(', ')
      throw new IngestError('usage', `--floor: there is no feed '${name}'; there are ${known}`)
    }
    const floor = /^\d+$/.test(number!) ? Number(number) : 0
    if (floor < 1 || !Number.isSafeInteger(floor)) {
      throw new IngestError('usage', `--floor: that of ${name} must be a whole number from 1, not '${number}'`)
    }
    floors[feed.name] = floor
  }
  return floors
}
