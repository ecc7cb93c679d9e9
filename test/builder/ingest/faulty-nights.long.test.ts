/**
 * Nights with a whole bad file, for each feed: the ingest fails with the file's name, and every row of the corpus is
 * unchanged. The next good night continues normally.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { IngestErrorCode } from '../../../builder/ingest/error.ts'
import { FEEDS, type FeedName } from '../../../corpus/feeds/table.ts'
import {
  BEFORE,
  type Content,
  FORMS,
  good,
  items,
  NAMES,
  openNight,
  removeNights,
  TODAY,
  YESTERDAY,
} from './good-night.ts'

const test = suite('faulty nights')

const HTML = '<!DOCTYPE html><html><body><script>let a = {"b": [1]}</script>Down for maintenance</body></html>'

type Codes = IngestErrorCode | Partial<Record<FeedName, IngestErrorCode>>

/** Feeds of lines have no outer format to break: half of a file is a feed that shrank. */
const LINES: FeedName[] = ['nuclei', 'report-types', 'reports', 'analyses', 'service-scores', 'detections', 'exploited']
const ofLines = (code: IngestErrorCode, more: FeedName[] = []) =>
  Object.fromEntries([...LINES, ...more].map((name) => [name, code]))
const bytesOf = (content: Content) => Buffer.from(content)

const FAULTS: [what: string, spoil: (name: FeedName) => Content, codes: Codes][] = [
  ['of no bytes', () => '', ofLines('feed-empty')],
  // A STIX bundle without patterns states no edition.
  [
    'without records',
    (name) => FORMS[name].file([], TODAY),
    ofLines(
      'feed-empty',
      NAMES.filter((name) => name !== 'capec'),
    ),
  ],
  ['an HTML page', () => HTML, ofLines('feed-empty')],
  [
    'cut in half',
    (name) => {
      const whole = bytesOf(good(name, TODAY))
      return whole.subarray(0, whole.length / 2)
    },
    ofLines('feed-shrank', ['exploitdb']),
  ],
  ['with half of its records', (name) => FORMS[name].file(items(name, 10), TODAY), 'feed-shrank'],
  ['cut short by a byte', (name) => bytesOf(good(name, TODAY)).subarray(0, -2), {}],
]

/** Faults that a feed accepts, because no data is lost. */
const HARMLESS: Record<string, FeedName[]> = {
  // A file of lines lacks only the end of its last line.
  'cut short by a byte': [...LINES, 'exploitdb'],
}

for (const [what, spoil, codes] of FAULTS) {
  for (const name of NAMES) {
    if (HARMLESS[what]?.includes(name)) continue
    const code = typeof codes === 'string' ? codes : (codes[name] ?? 'feed-unusable')
    const { title, required } = FEEDS.find((feed) => feed.name === name)!
    test(`${title} ${what}: ${code}`, async () => {
      const night = await openNight()
      const path = FORMS[name].path(TODAY)
      night.put({ [path]: spoil(name) })
      const error = await night.refusal()
      assert.is(error.code, code, error.message)
      assert.ok(error.message.startsWith(`${title}: `), error.message)
      if (code === 'feed-unusable') assert.ok(error.message.includes(path), error.message)
      assert.match(
        error.message,
        required || code === 'feed-unusable' ? /replace it with a valid one|--accept/ : /--accept-shrink/,
      )
      night.put({ [path]: good(name, TODAY) })
      const report = await night.run()
      // Today's file has the same bytes as yesterday's, which the corpus has.
      assert.is.not(report.feeds.find((feed) => feed.name === name)!.status, 'absent')
      assert.equal([report.records.total, report.records.added, report.records.removed], [20, 0, 0])
    })
  }
}

for (const name of NAMES) {
  const { title, required } = FEEDS.find((feed) => feed.name === name)!
  test(`${title} of the day before yesterday: the corpus keeps its own, until it is accepted; the report says so`, async () => {
    const night = await openNight([name])
    const path = FORMS[name].path(BEFORE)
    night.put({ [path]: FORMS[name].file(items(name, 19), BEFORE) })
    const list = FORMS.cvelist.file(items('cvelist', 21), TODAY)
    if (name !== 'cvelist') night.put({ [FORMS.cvelist.path(TODAY)]: list })
    const kept = await night.run()
    const detail = `${path} is of ${BEFORE}, the corpus has the edition of ${YESTERDAY}; --accept-older takes it`
    const own = kept.feeds.find((feed) => feed.name === name)!
    assert.equal([own.status, own.kept, own.published?.slice(0, 10)], ['kept', 20, YESTERDAY])
    assert.equal(own.remarks[0], { code: 'edition-kept', detail })
    assert.is(kept.records.added, name === 'cvelist' ? 0 : 1, 'the others are taken')
    const report = await night.run({ acceptOlder: true })
    const { added, removed, remarks, published } = report.feeds.find((feed) => feed.name === name)!
    assert.equal([added, removed, published?.slice(0, 10)], [0, 1, BEFORE])
    assert.is(remarks[0]!.code, 'edition-older')
    night.put({ [FORMS[name].path(YESTERDAY)]: good(name, YESTERDAY) })
    assert.equal(
      (await night.run()).feeds.find((feed) => feed.name === name)!.remarks.map((remark) => remark.code),
      [],
    )
  })

  test(`${title} missing: ${required ? 'refused' : 'what the corpus has stays, and the others are taken'}`, async () => {
    const night = await openNight([name])
    if (required) return assert.is((await night.refusal()).code, 'feed-missing')
    const list = FORMS.cvelist.file(items('cvelist', 21), TODAY)
    night.put({ [FORMS.cvelist.path(TODAY)]: list })
    const report = await night.run()
    const { status, kept, published } = report.feeds.find((feed) => feed.name === name)!
    assert.equal([status, kept, published?.slice(0, 10)], ['absent', 20, YESTERDAY])
    assert.is(report.records.added, 1)
    assert.is((await night.refusal({ floors: { [name]: 1 } })).code, 'feed-below-floor')
  })
}

test.after(removeNights)
test.run()
