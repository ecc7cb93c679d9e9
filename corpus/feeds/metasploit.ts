/**
 * Metasploit: the metadata of every module of the framework, one JSON object with a member for each. Exploits have
 * disclosure dates; most auxiliary modules, payloads and the rest have none.
 */
import type { ExploitClaim, RecordNote } from '../model/claim.ts'
import { utcDate, utcTimestamp } from '../model/date.ts'
import { dateInName, findFiles } from './choice.ts'
import { readCveIds } from './cve-ids.ts'
import { FeedError } from './error.ts'
import { assertName, type FeedFile, type FeedItem, isSameDigest, itemDigest, type ReadOptions, skipOf } from './feed.ts'
import { isObject, type JsonObject, shown, text, texts } from './json.ts'
import { readJsonFile } from './json-file.ts'

export const METASPLOIT_ADAPTER = 1

const FILE_NAME = /^modules_metadata_base.*\.json(\.gz)?$/

/** Where `path` of a module leads; the framework's default branch is the edition that the metadata are made from. */
const REPOSITORY = 'https://github.com/rapid7/metasploit-framework/blob/master'

/** The framework's words for its ranks (lib/msf/core/constants.rb); modules that state none have 300. */
const RANK: Record<number, string> = {
  600: 'excellent',
  500: 'great',
  400: 'good',
  300: 'normal',
  200: 'average',
  100: 'low',
  0: 'manual',
}

/** The file states no date of its own: where its name has none, it is as old as its newest module. */
export function findMetasploit(feedsFolder: string): FeedFile[] {
  const found = findFiles(feedsFolder, 'metasploit', (entry) => entry.isFile() && FILE_NAME.test(entry.name))
  return found.map(({ path, name }) => {
    const date = dateInName(name) ?? newestChange(path, name)
    return { path, name, role: 'baseline', part: '', date, version: null, folder: false }
  })
}

function newestChange(path: string, name: string): string | null {
  let newest: string | null = null
  for (const module of Object.values(readModules(path, name))) {
    const changed = isObject(module) ? changedAt(module) : null
    if (changed !== null && (newest === null || changed > newest)) newest = changed
  }
  return newest
}

function readModules(path: string, name: string): JsonObject {
  const json = readJsonFile(path, name)
  if (!isObject(json)) throw new FeedError('file_invalid', `${name} is no metadata of modules: it is no JSON object`)
  return json
}

/** `mod_time`, `2020-10-02 17:38:06 +0000`. */
function changedAt(module: JsonObject): string | null {
  const time = text(module.mod_time)
  return time === null ? null : utcTimestamp(time)
}

/** The modules in the file's order, by full name (`exploit/windows/smb/ms17_010_eternalblue`, decisions 27). */
export function* readMetasploit(file: FeedFile, options: ReadOptions): Iterable<FeedItem> {
  for (const [member, json] of Object.entries(readModules(file.path, file.name))) {
    const fullName = isObject(json) ? text(json.fullname) : null
    const key = fullName ?? member
    try {
      if (!isObject(json)) throw new FeedError('item_invalid', `it is no object but ${shown(json)}`)
      if (fullName === null) throw new FeedError('item_invalid', `fullname is no text: ${shown(json.fullname)}`)
      assertName(fullName)
      const digest = itemDigest(METASPLOIT_ADAPTER, JSON.stringify(json))
      if (isSameDigest(options.digestOf(key), digest)) {
        yield { kind: 'known', key, digest }
        continue
      }
      const notes: RecordNote[] = []
      const claim = exploitClaim(fullName, json, notes)
      const statedAt = changedAt(json)
      yield { kind: 'claim', key, cveIds: claim.cveIds, digest, statedAt, body: JSON.stringify(claim), notes }
    } catch (cause) {
      yield skipOf(key, cause)
    }
  }
}

function exploitClaim(fullName: string, json: JsonObject, notes: RecordNote[]): ExploitClaim {
  const path = text(json.path)
  return {
    module: {
      source: 'exploit_framework',
      source_id: fullName,
      name: text(json.name),
      description: text(json.description),
      authors: listOrNull(texts(json.author).filter((author) => author.toUpperCase() !== 'N/A')),
      platform: listOrNull(texts((text(json.platform) ?? '').split(','))),
      date_published: disclosureDate(json, notes),
      source_url: path?.startsWith('/') ? REPOSITORY + encodeURI(path) : null,
      module_type: text(json.type),
      module_class: null,
      verified: null,
      exploit_rank: rankOf(json, notes),
    },
    cveIds: readCveIds(texts(json.references), notes),
  }
}

/** Each once: some modules name an author twice. */
function listOrNull(members: readonly string[]): string[] | null {
  return members.length > 0 ? [...new Set(members)] : null
}

function disclosureDate(json: JsonObject, notes: RecordNote[]): string | null {
  const stated = text(json.disclosure_date)
  const date = stated === null ? null : utcDate(stated)
  if (stated !== null && date === null)
    notes.push({ code: 'date-impossible', detail: `disclosure_date ${shown(stated)}` })
  return date
}

function rankOf(json: JsonObject, notes: RecordNote[]): string | null {
  const rank = typeof json.rank === 'number' ? RANK[json.rank] : undefined
  if (rank === undefined && json.rank !== undefined)
    notes.push({ code: 'rank-unknown', detail: `rank ${shown(json.rank)}` })
  return rank ?? null
}
