/** Chooses the files of an ingest: the newest baseline up to a date, and its later deltas. */
import { type Dirent, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { utcDate } from '../../model/values/date.ts'
import { FeedError } from '../error.ts'
import type { FeedFile } from '../feed.ts'

/** Maximum folder depth below a feed's folder: `kev/2025-04-07/known_….json`. */
const MAX_DEPTH = 2

/** A folder entry. Links are resolved. */
export type FolderEntry = Pick<Dirent, 'name' | 'isFile' | 'isDirectory'>

export interface FoundFile {
  path: string
  /** Relative to the feeds folder, with `/`. */
  name: string
  directory: boolean
}

/** Returns files and folders below `folder` that `wanted` accepts, by name; empty when the folder does not exist. */
export function findFiles(feedsFolder: string, folder: string, wanted: (entry: FolderEntry) => boolean): FoundFile[] {
  const found: FoundFile[] = []
  const walk = (name: string, depth: number) => {
    for (const entry of listFolder(feedsFolder, name)) {
      const child = `${name}/${entry.name}`
      const path = join(feedsFolder, child)
      if (wanted(entry)) found.push({ path, name: child, directory: entry.isDirectory() })
      else if (entry.isDirectory() && depth < MAX_DEPTH) walk(child, depth + 1)
    }
  }
  walk(folder, 1)
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function listFolder(feedsFolder: string, name: string): FolderEntry[] {
  try {
    const folder = join(feedsFolder, name)
    return readdirSync(folder, { withFileTypes: true }).flatMap<FolderEntry>((entry) => {
      if (!entry.isSymbolicLink()) return [entry]
      const stat = statSync(join(folder, entry.name), { throwIfNoEntry: false })
      return stat ? [Object.assign(stat, { name: entry.name })] : []
    })
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : null
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw new FeedError('file_unreadable', `${name} cannot be read (${String(code)})`, { cause })
  }
}

/** Returns the last `YYYY-MM-DD` in a file's name, otherwise in its folders' names, nearest first. */
export function dateInName(name: string): string | null {
  for (const part of name.split('/').reverse()) {
    const day = part.match(/\d{4}-\d{2}-\d{2}/g)?.at(-1)
    const date = day ? utcDate(day) : null
    if (date) return date
  }
  return null
}

/** Returns a file that only its name dates. Without a date in it, the file counts as valid at any time. */
export function fileDatedByName({ path, name, directory }: FoundFile, part = ''): FeedFile {
  const date = dateInName(name)
  return { path, name, role: 'baseline', part, date, version: date, folder: directory }
}

/**
 * Returns, per part of the feed, the newest baseline and all newer deltas, dated up to `asOf` (`YYYY-MM-DD`,
 * inclusive). A baseline without a date is used only when no dated one exists.
 */
export function chooseFiles(files: readonly FeedFile[], asOf: string | null): FeedFile[] {
  const parts = [...new Set(files.map(({ part }) => part))].sort()
  return parts.flatMap((part) =>
    chooseOfPart(
      files.filter((file) => file.part === part),
      asOf,
    ),
  )
}

function chooseOfPart(files: readonly FeedFile[], asOf: string | null): FeedFile[] {
  const byDate = (a: FeedFile, b: FeedFile) => {
    const [x, y] = [a.date ?? '', b.date ?? '']
    return x === y ? (a.name < b.name ? -1 : 1) : x < y ? -1 : 1
  }
  const upTo = files.filter(({ date }) => date === null || asOf === null || date.slice(0, 10) <= asOf).sort(byDate)
  const baseline = upTo.findLast(({ role }) => role === 'baseline')
  if (!baseline) return []
  const deltas = upTo.filter(({ role, date }) => role === 'delta' && (date ?? '') > (baseline.date ?? ''))
  return [baseline, ...deltas]
}
