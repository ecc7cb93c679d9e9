/** Nuclei: the index of the scanner templates on CVEs, one JSON object a line. It states no dates. */
import type { DetectionClaim, RecordNote } from '../model/claim.ts'
import { dateInName, findFiles } from './choice.ts'
import { readCveIds } from './cve-ids.ts'
import { FeedError } from './error.ts'
import { type FeedFile, type FeedItem, isSameDigest, itemDigest, type ReadOptions, skipOf } from './feed.ts'
import { isObject, type JsonObject, shown, text, texts } from './json.ts'
import { type JsonLine, jsonLines, parseJsonLine } from './json-lines.ts'

export const NUCLEI_ADAPTER = 1

const MAX_LINE_BYTES = 1 << 20
/** Where `file_path` of a template leads. */
const REPOSITORY = 'https://github.com/projectdiscovery/nuclei-templates/blob/main/'

/** Where its name has no date, it counts as valid at any time. */
export function findNuclei(feedsFolder: string): FeedFile[] {
  const found = findFiles(feedsFolder, 'nuclei', (entry) => entry.isFile() && /^cves.*\.json(\.gz)?$/.test(entry.name))
  return found.map(({ path, name }) => {
    const date = dateInName(name)
    return { path, name, role: 'baseline', part: '', date, version: date, folder: false }
  })
}

/** The templates in the file's order, by id. */
export async function* readNuclei(file: FeedFile, options: ReadOptions): AsyncIterable<FeedItem> {
  for await (const line of jsonLines(file, MAX_LINE_BYTES)) yield readLine(line, options)
}

function readLine(line: JsonLine, options: ReadOptions): FeedItem {
  let key = `line ${line.number}`
  try {
    const json = parseJsonLine(line, MAX_LINE_BYTES)
    const id = isObject(json) ? text(json.ID) : null
    if (!isObject(json) || id === null) {
      throw new FeedError('item_invalid', `ID is no text: ${shown(isObject(json) ? json.ID : json)}`)
    }
    key = id
    const digest = itemDigest(NUCLEI_ADAPTER, line.bytes!)
    if (isSameDigest(options.digestOf(key), digest)) return { kind: 'known', key, digest }
    const info = isObject(json.Info) ? json.Info : {}
    const path = text(json.file_path)
    const claim: DetectionClaim = {
      layer: 'scanner',
      source: 'template_scanner',
      evidenceType: 'detection_template',
      confidence: 'high',
      url: path === null ? null : REPOSITORY + encodeURI(path),
      name: text(info.Name),
      firstSeen: null,
      lastSeen: null,
    }
    const notes: RecordNote[] = []
    const cveIds = readCveIds([id, ...classified(info)], notes)
    return { kind: 'claim', key, cveIds, digest, statedAt: null, body: JSON.stringify(claim), notes }
  } catch (cause) {
    return skipOf(key, cause)
  }
}

/** A template's id is that of its CVE; the classification, where the index has it, may name further ones. */
function classified(info: JsonObject): string[] {
  const stated = isObject(info.Classification) ? info.Classification['cve-id'] : undefined
  return typeof stated === 'string' ? stated.split(',') : texts(stated)
}
