/** The data that an ingest stores of a merged record. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { timelineText } from '../../../builder/ingest/record.ts'
import type { TimelineEntry, TimelineMessage } from '../../../corpus/model/record.ts'

const message = (summary: string): TimelineMessage => ({
  summary,
  category: 'description',
  provider: 'cna',
  json_path: '$',
  old_value: null,
  new_value: null,
  operation: 'modify',
  change_type: 'DESCRIPTION_MODIFIED',
})

const entry = (version: number): TimelineEntry => ({
  title: 'Title changed',
  category: 'description',
  version_from: version,
  version_to: version + 1,
  changed_at: null,
  added_count: 0,
  modified_count: 2,
  removed_count: 0,
  messages: [message('Title changed'), message('x'.repeat(1 << 20)), message('x'.repeat(1 << 20))],
})

test('rule 26: of a timeline that is too long the oldest entries have only their header', () => {
  const timeline = Array.from({ length: 20 }, (_, i) => entry(20 - i))
  const text = timelineText(timeline)
  assert.ok(text.length < 17 << 20)
  const stored = JSON.parse(text) as TimelineEntry[]
  assert.equal(
    stored.map(({ messages }) => messages.length),
    Array.from({ length: 20 }, (_, i) => (i < 7 ? 3 : 1)),
  )
  assert.equal(
    stored.map(({ messages, ...rest }) => rest),
    timeline.map(({ messages, ...rest }) => rest),
  )
  assert.is(timelineText(timeline.slice(0, 7)), JSON.stringify(timeline.slice(0, 7)))
})

test.run()
