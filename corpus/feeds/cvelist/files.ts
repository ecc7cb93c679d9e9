/** Finds the files of the CVE list and their dates: releases (zips), deltas, checkouts. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { utcTimestamp } from '../../model/values/date.ts'
import { isObject } from '../../model/values/json-value.ts'
import { readRegularFile } from '../../runtime/regular-file.ts'
import { FeedError } from '../error.ts'
import type { FeedFile } from '../feed.ts'
import { dateInName, type FoundFile, findFiles } from '../files/choice.ts'

const FOLDER = 'cvelistv5'

/** The largest lists of a day's changes have 5 MB. */
const MAX_DELTA_BYTES = 256 << 20

/**
 * Finds zips (`2024-10-24_all_CVEs_at_midnight.zip.zip`, `…_delta_CVEs_at_2200Z.zip`) and the `cves` folders of
 * checkouts.
 */
export function findCveList(feedsFolder: string): FeedFile[] {
  const found = findFiles(feedsFolder, FOLDER, (entry) =>
    entry.isDirectory() ? entry.name === 'cves' : entry.isFile() && entry.name.endsWith('.zip'),
  )
  return found.map((file) => {
    const date = file.directory ? checkoutDate(file) : releaseDate(file.name)
    const role = !file.directory && /delta/i.test(file.name.split('/').at(-1)!) ? 'delta' : 'baseline'
    return {
      path: file.path,
      name: file.name,
      role,
      part: '',
      date,
      version: date?.replace('T24:00', '') ?? null,
      folder: file.directory,
    }
  })
}

/**
 * Returns the date and hour from the name. Without an hour it returns the end of the day in ISO 8601 form (24:00),
 * which sorts last.
 */
function releaseDate(name: string): string | null {
  const day = dateInName(name)
  if (day === null) return null
  if (/_at_midnight/.test(name)) return `${day}T00:00`
  const time = /_at_(\d{2})(\d{2})Z/.exec(name)
  return time ? `${day}T${time[1]}:${time[2]}` : `${day}T24:00`
}

/** Returns the time in upstream's `cves/delta.json`, otherwise the date in the folder's name. */
function checkoutDate(folder: FoundFile): string | null {
  const path = join(folder.path, 'delta.json')
  if (!existsSync(path)) return releaseDate(folder.name)
  try {
    const delta: unknown = JSON.parse(readRegularFile(path, MAX_DELTA_BYTES).toString())
    const fetched = isObject(delta) && typeof delta.fetchTime === 'string' ? utcTimestamp(delta.fetchTime) : null
    return fetched ?? releaseDate(folder.name)
  } catch (cause) {
    throw new FeedError('file_unreadable', `${folder.name}/delta.json: ${(cause as Error).message}`, { cause })
  }
}
