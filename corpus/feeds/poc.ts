/**
 * PoC-in-GitHub: for each CVE the public repositories that claim to hold a proof of concept, one JSON file a CVE, in a
 * zip or a checkout. Some were pushed before they were created: they came with their history.
 */
import type { PocClaim, RecordNote } from '../model/claim.ts'
import { parseCveId } from '../model/cve-id.ts'
import { utcTimestamp } from '../model/date.ts'
import { dateInName, findFiles } from './choice.ts'
import { FeedError } from './error.ts'
import type { FeedFile, FeedItem, OpenFeed, ReadOptions } from './feed.ts'
import { isObject, type JsonObject, shown, text } from './json.ts'
import { openTree, readTreeBatch, type TreeBatch, type TreeFormat } from './tree.ts'

export const POC_ADAPTER = 1

/** `2024/CVE-2024-3400.json`; the README and what else a checkout has is no item of the feed. */
const ITEM_NAME = /(?:^|\/)(?:19|20)\d{2}\/(CVE-\d{4}-\d{4,19})\.json$/i

/** Zips, and folders of a checkout. It states no date: where its name has none, it counts as valid at any time. */
export function findPoc(feedsFolder: string): FeedFile[] {
  const found = findFiles(feedsFolder, 'poc', (entry) =>
    entry.isDirectory() ? /poc-in-github/i.test(entry.name) : entry.isFile() && entry.name.endsWith('.zip'),
  )
  return found.map(({ path, name, directory }) => {
    const date = dateInName(name)
    return { path, name, role: 'baseline', part: '', date, version: date, folder: directory }
  })
}

type Repository = PocClaim['repositories'][number]

const FORMAT: TreeFormat = {
  adapter: POC_ADAPTER,
  keyOf(path) {
    const name = ITEM_NAME.exec(path)?.[1]
    return name ? parseCveId(name) : null
  },
  read(json, key) {
    const cveId = parseCveId(key)!
    if (!Array.isArray(json)) throw new FeedError('item_invalid', `it is no list of repositories but ${shown(json)}`)
    const notes: RecordNote[] = []
    const repositories = new Map<string, Repository>()
    for (const stated of json) {
      const repository = isObject(stated) ? readRepository(stated) : null
      if (repository) repositories.set(repository.url, repository)
      else notes.push({ code: 'repository-unreadable', detail: `no html_url or full_name: ${shown(stated)}` })
    }
    const claim: PocClaim = { repositories: [...repositories.values()] }
    return { cveIds: [cveId], statedAt: newestChange(json), body: JSON.stringify(claim), notes }
  },
}

function readRepository(json: JsonObject): Repository | null {
  const [url, name] = [text(json.html_url), text(json.full_name)]
  if (url === null || !url.startsWith('https://') || name === null) return null
  return {
    url,
    name,
    stars: typeof json.stargazers_count === 'number' ? json.stargazers_count : 0,
    createdAt: time(json.created_at),
    pushedAt: time(json.pushed_at),
  }
}

function newestChange(list: readonly unknown[]): string | null {
  const changes = list.filter(isObject).map((json) => time(json.updated_at) ?? time(json.pushed_at) ?? '')
  return changes.sort().at(-1) || null
}

function time(value: unknown): string | null {
  return utcTimestamp(text(value) ?? '')
}

/** The CVEs of a file in the order in which they lie there. Throws `FeedError` where it cannot be opened. */
export function openPoc(file: FeedFile, options: ReadOptions): Promise<OpenFeed> {
  return openTree(file, options, FORMAT)
}

export function readPocBatch(batch: TreeBatch): FeedItem[] {
  return readTreeBatch(batch, FORMAT)
}
