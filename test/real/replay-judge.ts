/** Compares the timeline entries of one replayed night with the plain diff of the upstream records, both ways. */
import type { RecordParts, TimelineEntry, TimelineMessage } from '../../corpus/model/record.ts'
import { type BitConstraint, type ChangedRecord, cut, type Fact, printed, toldByFacts } from './replay-diff.ts'

/** A record before and after a night. */
export interface Night {
  before: RecordParts & { version: number }
  after: RecordParts & { version: number }
  /** The diff of its upstream record; null if unchanged. */
  upstream: ChangedRecord | null
  /** Changes of other feeds in that night, and the timestamps that date it. */
  catalog: boolean
  exploits: boolean
  /** `exploits` has the newest date of each new row of the archive, by its number. */
  dates: { catalog: string; exploits: ReadonlyMap<string, string> }
}

export interface Verdict {
  entries: TimelineEntry[]
  /** Faults as text; empty if the timeline is correct. */
  faults: string[]
  /** The rules that were necessary where facts and messages do not correspond one to one. */
  rules: string[]
}

type Kind = Fact['fact']

interface Rule {
  name: string
  path: RegExp
  /** Returns whether this night has a cause for a message that follows from no fact. */
  cause(night: Night, message: TimelineMessage, kinds: ReadonlySet<Kind>): boolean
  /** `record` if the cause is a fact of the record. */
  of: 'record' | 'others'
}

const some = (kinds: ReadonlySet<Kind>, ...wanted: Kind[]) => wanted.some((kind) => kinds.has(kind))

const OF_RECORD: ReadonlySet<string> = new Set(['cna', 'adp'])

/** Messages that follow from a fact by a rule of the model, or from another feed. */
const CONSEQUENCES: readonly Rule[] = [
  {
    name: 'headline follows from a metric (rule 18)',
    path: /^\$\.(?:severity|cvss_score|cvss_score_source)$/,
    cause: (_night, _message, kinds) => some(kinds, 'cvss'),
    of: 'record',
  },
  {
    name: 'decision follows from the three points (rule 20)',
    path: /^\$\.ssvc\.decision$/,
    cause: (_night, _message, kinds) => some(kinds, 'ssvc'),
    of: 'record',
  },
  {
    name: 'primary weakness follows from the mappings (rule 21)',
    path: /^\$\.primary_cwe_id$/,
    cause: (_night, _message, kinds) => some(kinds, 'cwe'),
    of: 'record',
  },
  {
    name: 'primary weakness follows from the catalog (rule 21)',
    path: /^\$\.primary_cwe_id$/,
    cause: (night) => night.catalog,
    of: 'others',
  },
  {
    name: 'derived title follows from products, weakness or description (rule 19)',
    path: /^\$\.title$/,
    cause: ({ upstream }, _message, kinds) =>
      upstream?.titled === false && some(kinds, 'title', 'affected', 'cwe', 'description'),
    of: 'record',
  },
  {
    name: 'derived title names the weakness once there is a catalog (rule 19)',
    path: /^\$\.title$/,
    cause: ({ catalog, upstream }) => catalog && upstream?.titled !== true,
    of: 'others',
  },
  {
    name: 'workaround follows from tags of references (rule 22)',
    path: /^\$\.has_workaround$/,
    cause: (_night, _message, kinds) => some(kinds, 'reference'),
    of: 'record',
  },
  {
    name: 'date alone, where the model shows nothing else of what changed',
    path: /^\$\.date_updated$/,
    cause: (_night, _message, kinds) => some(kinds, 'updated'),
    of: 'record',
  },
  {
    name: 'exploit archive came that night',
    path: /^\$\.exploits$/,
    cause: (night) => night.exploits,
    of: 'others',
  },
  {
    name: 'weakness names of the catalog in the advisory, where that is all',
    path: /^\$$/,
    cause: (night, { category }) => category === 'advisory' && night.catalog,
    of: 'others',
  },
  {
    name: 'reference is named by other feeds too, so that its sources move (rule 30)',
    path: /^\$\.references$/,
    cause: ({ after }, { new_value }, kinds) =>
      some(kinds, 'reference') &&
      after.references.some(
        ({ name, tags, sources }) =>
          sources.some((one) => !OF_RECORD.has(one)) && [name, tags, sources].some((one) => printed(one) === new_value),
      ),
    of: 'record',
  },
  {
    name: 'guidance follows from its members of the container (rule 31)',
    path: /^\$\.guidance\.entries$/,
    cause: ({ upstream }, _message, kinds) => statesGuidance(upstream, kinds),
    of: 'record',
  },
]

/** The members of a container that are guidance, in the paths of the plain diff. */
const GUIDANCE =
  /(?:^|\.)(?:workarounds|solutions|configurations|exploits|impacts|credits|timeline|datePublic|tags)(?:$|[.[])/

const statesGuidance = (upstream: ChangedRecord | null, kinds: ReadonlySet<Kind>): boolean =>
  upstream !== null && (some(kinds, 'workaround') || upstream.other.some((path) => GUIDANCE.test(path)))

/** Facts without a message: the value existed before, or still exists, because of another feed. */
function isToldElsewhere({ before, after }: Night, { path, old, new: now }: BitConstraint): string | null {
  if (path.startsWith('$.references[]')) {
    const has = ({ references }: RecordParts) => references.some(({ url }) => url === (old ?? now))
    return has(before) && has(after) ? 'URL is named by other feeds too (rule 30)' : null
  }
  if (path === '$.has_workaround' && before.core.has_workaround === after.core.has_workaround) {
    return 'workaround is known by a tag as well (rule 22)'
  }
  if (path !== '$.weaknesses') return null
  const has = ({ facets }: RecordParts) => facets.weaknesses.includes((old ?? now)!)
  return has(before) && has(after) ? 'weakness is stated by other feeds too (rule 21)' : null
}

export function judge(night: Night): Verdict {
  const { before, after, upstream } = night
  const faults: string[] = []
  const rules = new Set<string>()
  const entries = newEntries(before.timeline, after.timeline, faults)
  const kinds = new Set(upstream?.facts.map(({ fact }) => fact))
  const expected = upstream ? toldByFacts(upstream.facts) : []
  if (kinds.has('affected') && !expected.some(({ category }) => category === 'affected_versions')) {
    rules.add('affected entries are written otherwise and say the same (rule 24)')
  }
  const ofRecord = (entry: TimelineEntry) => entry.version_from < entry.version_to

  for (const entry of entries) {
    checkForm(entry, after.version, faults)
    for (const message of entry.messages.slice(1)) {
      checkValues(message, before, after, faults)
      const index = expected.findIndex((told) => tells(message, told, before))
      if (index >= 0) {
        expected.splice(index, 1)
        if (!ofRecord(entry)) faults.push(`${message.json_path} is of the record, and does not span its versions`)
        continue
      }
      const rule = CONSEQUENCES.find(
        ({ path, cause, of }) =>
          path.test(message.json_path) && (of === 'record') === ofRecord(entry) && cause(night, message, kinds),
      )
      if (rule) rules.add(rule.name)
      else faults.push(`no changed fact justifies ${message.json_path}: ${message.old_value} → ${message.new_value}`)
    }
    checkDate(entry, night, ofRecord(entry), faults)
  }
  for (const told of expected) {
    const rule = isToldElsewhere(night, told)
    if (rule) rules.add(rule)
    else faults.push(`not told: ${told.path}: ${told.old} → ${told.new}`)
  }
  const isGuided = JSON.stringify(before.guidance.entries) !== JSON.stringify(after.guidance.entries)
  const saysSo = entries.some(({ messages }) => messages.some(({ json_path }) => json_path === '$.guidance.entries'))
  if (isGuided !== saysSo)
    faults.push(`guidance ${isGuided ? 'changed, but no entry says so' : 'has an entry, but did not change'}`)
  const names = entries.map((entry) => `${entry.category} ${ofRecord(entry)}`)
  if (new Set(names).size < names.length) faults.push(`several entries of one category and origin: ${names}`)
  const version = before.version + (entries.length > 0 ? 1 : 0)
  if (after.version !== version) faults.push(`version ${after.version} after ${before.version}`)
  return { entries, faults, rules: [...rules] }
}

/** Returns the entries that only the newer timeline has. Reports missing or reordered entries of the older one. */
function newEntries(older: readonly TimelineEntry[], newer: readonly TimelineEntry[], faults: string[]) {
  const left = older.map((entry) => JSON.stringify(entry))
  const fresh = newer.filter((entry) => {
    if (left[0] !== JSON.stringify(entry)) return true
    left.shift()
    return false
  })
  if (left.length > 0) faults.push(`${left.length} entries of before are gone or stand in another order`)
  const isBehind = (one: TimelineEntry, other: TimelineEntry) =>
    one.changed_at === other.changed_at
      ? one.version_to <= other.version_to
      : (one.changed_at ?? '') < (other.changed_at ?? '')
  if (newer.some((entry, index) => index > 0 && !isBehind(entry, newer[index - 1]!))) faults.push('not newest first')
  return fresh
}

/** Checks header, categories, spans and counts of one entry (gateway/API.md, section 14). */
function checkForm(entry: TimelineEntry, version: number, faults: string[]): void {
  const [header, ...messages] = entry.messages
  const where = `${entry.title} (${entry.category})`
  if (header?.operation !== 'group_header' || header.old_value !== null || header.new_value !== null) {
    faults.push(`${where} does not begin with a group header`)
  }
  if (!/_GROUP$/.test(header?.change_type ?? '')) faults.push(`${where}: ${header?.change_type} is no group`)
  if (entry.messages.some(({ category }) => category !== entry.category)) faults.push(`${where} has others' messages`)
  if (messages.some(({ operation }) => operation === 'group_header')) faults.push(`${where} has two headers`)
  const spans = entry.version_to === version && (entry.version_from === version || entry.version_from === version - 1)
  if (!spans) faults.push(`${where} spans ${entry.version_from} to ${entry.version_to} in version ${version}`)
  const counts = { add: entry.added_count, modify: entry.modified_count, remove: entry.removed_count }
  const told = Object.keys(counts).map((one) => messages.filter(({ operation }) => operation === one).length)
  const hidden = entry.added_count + entry.modified_count + entry.removed_count - messages.length
  if (hidden > 0 ? messages.length !== 200 : `${told}` !== `${Object.values(counts)}`) {
    faults.push(`${where} counts ${Object.values(counts)} and shows ${told}`)
  }
  for (const { json_path, operation, old_value: old, new_value: now } of messages) {
    const [hasOld, hasNew] = [operation !== 'add', operation !== 'remove']
    if ((old !== null) !== hasOld || (now !== null) !== hasNew) faults.push(`${json_path} is no ${operation}`)
  }
}

/** Lists of the detail: such a message has the value of an item, or of a field of an item. */
const LISTS = {
  '$.affected': ({ affected }: RecordParts) => affected,
  '$.references': ({ references }: RecordParts) => references,
  '$.cvss.metrics': ({ cvss }: RecordParts) => cvss.metrics,
  '$.exploits': ({ exploits }: RecordParts) => exploits,
  '$.evidence': ({ evidence }: RecordParts) => evidence,
  '$.guidance.entries': ({ guidance }: RecordParts) => guidance.entries,
  '$.kev_detail.catalogs': ({ kev }: RecordParts) => kev,
}

/** Checks that the old value is in the record before, and the new value in the record after, each at its path. */
function checkValues(message: TimelineMessage, before: RecordParts, after: RecordParts, faults: string[]): void {
  const { json_path: path, old_value: old, new_value: now } = message
  // What the detail does not have.
  if (path === '$') return
  const listIn = Object.hasOwn(LISTS, path) ? LISTS[path as keyof typeof LISTS] : null
  if (listIn !== null) {
    // An added or removed item is shown by its content.
    if (old === null || now === null) return
    for (const [parts, value] of [
      [before, old],
      [after, now],
    ] as const) {
      const fields = listIn(parts).flatMap((item) => Object.values(item).map(printed))
      if (!fields.includes(value)) faults.push(`${path} has no item with ${value}`)
    }
    return
  }
  const at = (parts: RecordParts): string | null => {
    // The part of the same name is `kev_detail` in answers.
    let value: unknown = { ...parts, ...parts.core }
    for (const name of path.split('.').slice(1)) value = (value as Record<string, unknown>)[name]
    return printed(value)
  }
  if (at(after) !== now) faults.push(`${path} is ${at(after)}, told as ${now}`)
  if (at(before) !== old) faults.push(`${path} was ${at(before)}, told as ${old}`)
}

/** The path in the detail that a message on a fact has: that of the list, or of the whole for what it does not have. */
const detailPath = (path: string): string => (path === '$.weaknesses' ? '$' : path.replace(/\[\].*$/, ''))

/** If the CNA gave no title, the served title is the derived one. */
function tells(message: TimelineMessage, told: BitConstraint, before: RecordParts): boolean {
  if (message.json_path !== detailPath(told.path)) return false
  if (told.path === '$.weaknesses' && message.category !== 'weakness') return false
  if (told.path === '$.title') {
    const derived = told.old === null ? cut(before.core.title) : told.old
    return message.new_value === told.new && message.old_value === derived
  }
  // A new listing changes from `false`, in the feed and in the API.
  return message.old_value === told.old && message.new_value === told.new
}

function checkDate(entry: TimelineEntry, night: Night, ofRecord: boolean, faults: string[]): void {
  const added = entry.messages.find(
    ({ json_path, operation }) => json_path === '$.kev.date_added' && operation === 'add',
  )
  const modules = night.after.exploits.flatMap(({ source_id }) => night.dates.exploits.get(source_id) ?? [])
  const date = added
    ? `${added.new_value}T00:00:00.000Z`
    : ofRecord
      ? night.upstream!.updated
      : (modules.sort().at(-1) ?? night.dates.catalog)
  if (entry.changed_at !== date) faults.push(`${entry.title} is dated ${entry.changed_at}, not ${date}`)
}
