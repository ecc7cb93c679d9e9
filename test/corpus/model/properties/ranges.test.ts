/** Properties of ranges derived from the `versions[]` of a CVE record (rule 24). */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type VersionStatement, versionLists } from '../../../../corpus/model/affected/ranges.ts'
import { codePoint, property } from './property.ts'
import { change, defaultStatus, statement, statements, textsOf, version } from './versions-arbitrary.ts'

const PLACEHOLDERS = /^(?:n\/a|-|unspecified|unknown|all|\*|)$/i
const AFFECTED_NOT = fc.constantFrom('unaffected', 'unknown', null)
const words = (text: string) => text.split(/[\s,<>=]+/).filter((word) => word !== '')

/** Returns the versions at which a statement of an unaffected range begins. */
const startsOf = ({ version: start }: VersionStatement) => words(start.replace(/<=?\s*\S+/g, ''))

property(
  'rule 24: what is only unaffected or unknown never becomes affected',
  [statements, defaultStatus],
  (all, status) => {
    const spared = all.filter((one) => one.status !== 'affected')
    const said = new Set(
      all.flatMap((one) =>
        one.status === 'affected'
          ? textsOf(one).flatMap(words)
          : textsOf({ ...one, version: one.version.match(/<=?\s*\S+/g)?.join(' ') ?? '' }).flatMap(words),
      ),
    )
    const onlySpared = new Set(spared.flatMap(startsOf).filter((start) => start !== '0' && !said.has(start)))
    const { affected_versions: listed, affected_ranges: ranges } = versionLists(all, status)
    for (const text of listed ?? [])
      assert.not.ok(
        words(text).some((word) => onlySpared.has(word)),
        text,
      )
    for (const { introduced } of ranges ?? []) assert.not.ok(onlySpared.has(introduced ?? ''), String(introduced))
  },
)

property(
  'rule 24: where nothing is stated as affected, nothing is affected',
  [statements, AFFECTED_NOT],
  (all, status) => {
    const spared = all.map((one) => ({
      ...one,
      status: one.status === 'affected' ? 'unaffected' : one.status,
      changes: one.changes.filter((step) => step.status !== 'affected'),
    }))
    const { affected_versions, affected_ranges } = versionLists(spared, status)
    assert.equal([affected_versions, affected_ranges], [null, null])
  },
)

property(
  'rule 24: status unknown states nothing',
  [statements, statement, defaultStatus, fc.nat()],
  (all, one, status, at) => {
    const more = all.toSpliced(at % (all.length + 1), 0, { ...one, status: 'unknown' })
    assert.equal(versionLists(more, status), versionLists(all, status))
  },
)

property(
  'rule 24: a placeholder, * and the end of a branch are neither version, start nor fix',
  [statements, defaultStatus],
  (all, status) => {
    const { affected_versions, affected_ranges, patched_versions } = versionLists(all, status)
    const named = [...(affected_versions ?? []), ...(patched_versions ?? [])]
    for (const { introduced, fixed, last_affected } of affected_ranges ?? []) {
      named.push(...[introduced, fixed, last_affected ?? null].filter((one) => one !== null))
      if (fixed !== null) assert.not.match(fixed, /\*$/)
      assert.not.ok(fixed !== null && last_affected !== undefined, 'both bounds')
    }
    for (const text of named) assert.not.match(text, PLACEHOLDERS)
  },
)

property(
  'rule 24: every version in a range is in the record, or is "0"',
  [statements, defaultStatus],
  (all, status) => {
    const stated = new Set(['0', ...all.flatMap(textsOf).flatMap(words)])
    const { affected_versions, affected_ranges, patched_versions } = versionLists(all, status)
    const named = [...(affected_versions ?? []), ...(patched_versions ?? [])]
    for (const { introduced, fixed, last_affected } of affected_ranges ?? []) {
      if (introduced === null) assert.is(status, 'affected')
      named.push(introduced ?? '0', fixed ?? '0', last_affected ?? '0')
    }
    const ends = (affected_ranges ?? []).flatMap(({ introduced, fixed, last_affected }) => [
      introduced ?? '0',
      fixed ?? '0',
      last_affected ?? '0',
    ])
    for (const text of [...ends, ...(patched_versions ?? [])]) assert.not.match(text, /[<>=]/)
    // Word by word: a statement that cannot be read is listed as the text it is, its bound behind it.
    for (const text of named)
      assert.ok(
        words(text).every((word) => stated.has(word)),
        text,
      )
  },
)

property(
  'rule 24: without a default of affected, each statement says what it says alone: none are merged',
  [statements, AFFECTED_NOT],
  (all, status) => {
    const alone = all.map((one) => versionLists([one], status))
    const whole = versionLists(all, status)
    assert.equal(
      whole.affected_ranges ?? [],
      alone.flatMap((one) => one.affected_ranges ?? []),
    )
    assert.equal(whole.affected_versions ?? [], [...new Set(alone.flatMap((one) => one.affected_versions ?? []))])
    assert.equal(whole.patched_versions ?? [], [...new Set(alone.flatMap((one) => one.patched_versions ?? []))])
  },
)

property('rule 24: a default of affected takes nothing away, and adds one range at most', [statements], (all) => {
  const [without, by] = [versionLists(all, null), versionLists(all, 'affected')]
  const stated = without.affected_ranges ?? []
  assert.equal((by.affected_ranges ?? []).slice(0, stated.length), stated)
  assert.ok((by.affected_ranges ?? []).length <= stated.length + 1)
  assert.equal(by.affected_versions, without.affected_versions)
  for (const text of without.patched_versions ?? []) assert.ok(by.patched_versions?.includes(text))
})

property(
  'rule 24: where the default is affected and nothing is unaffected, the default adds nothing',
  [statements],
  (all) => {
    const affected = all.map((one) => ({ ...one, status: 'affected' }))
    assert.equal(versionLists(affected, 'affected'), versionLists(affected, null))
  },
)

property(
  'rule 24: lists are never empty, and no version is listed twice',
  [statements, defaultStatus],
  (all, status) => {
    for (const list of Object.values(versionLists(all, status))) {
      if (list === null) continue
      assert.ok(list.length > 0)
      if (typeof list[0] === 'string') assert.is(new Set<unknown>(list).size, list.length)
    }
  },
)

property('rule 24: padding says nothing', [statements, defaultStatus], (all, status) => {
  const padded = all.map((one) => ({
    ...one,
    version: ` ${one.version}\t`,
    lessThan: one.lessThan === null ? null : ` ${one.lessThan} `,
    lessThanOrEqual: one.lessThanOrEqual === null ? null : `${one.lessThanOrEqual} `,
    changes: one.changes.map((step) => ({ ...step, at: ` ${step.at}` })),
  }))
  assert.equal(versionLists(padded, status), versionLists(all, status))
})

property(
  'rule 24: changes are replayed: a range begins at the start or where affected, and ends at the next unaffected',
  [
    version,
    fc.array(change, { maxLength: 6 }),
    fc.option(version, { nil: null }),
    fc.constantFrom('affected', 'unaffected'),
  ],
  (start, steps, bound, status) => {
    const numbered = steps.map((step, i) => (PLACEHOLDERS.test(step.at) ? step : { ...step, at: `${i}-${step.at}` }))
    const changes = numbered.filter((step) => step.status !== 'unknown' && !PLACEHOLDERS.test(step.at))
    const given = { version: start, status, lessThan: bound, lessThanOrEqual: null, versionType: 'custom' }
    const { affected_ranges: ranges } = versionLists([{ ...given, changes: numbered }], null)
    if (changes.length === 0) return
    // The status after each step, to find where affected and unaffected alternate.
    const states = [{ at: start, status }, ...changes]
    const turns = states.filter((step, i) => (i === 0 ? status === 'affected' : step.status !== states[i - 1]!.status))
    const ends = turns.map(({ at }) => at)
    const shown = (ranges ?? []).flatMap(({ introduced, fixed }) => [introduced, fixed])
    const last = bound === start ? null : bound
    assert.equal(shown, ends.length % 2 === 0 ? ends : [...ends, last])
    for (const { version_type } of ranges ?? []) assert.is(version_type, 'custom')
  },
)

property(
  'rule 24: any texts are read without an error',
  [
    fc.array(fc.tuple(fc.string({ unit: codePoint }), fc.string(), fc.string(), fc.string()), { maxLength: 3 }),
    defaultStatus,
  ],
  (texts, status) => {
    const all = texts.map(([start, lessThan, lessThanOrEqual, at]) => ({
      version: start,
      status: 'affected',
      lessThan,
      lessThanOrEqual,
      versionType: null,
      changes: [{ at, status: 'unaffected' }],
    }))
    assert.type(versionLists(all, status), 'object')
  },
)

test.run()
