/** What counts as news between two snapshots. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findAdvisories } from '../../../corpus/inventory/findings.ts'
import { type News, newsSince, newsText } from '../../../corpus/inventory/news.ts'
import { inventoryOf } from '../../../corpus/inventory/read.ts'
import type { AffectedRow } from '../../../corpus/model/packages/affected-row.ts'
import { affectedRow } from '../../support/affected-row.ts'

const inventory = inventoryOf('purls', 'p.purl', Buffer.from('pkg:npm/a@1.0.0'))
const component = { file: 'purls', ...inventory.components[0]! }

const found = (answer: AffectedRow[] | string) =>
  findAdvisories(
    [inventory],
    async () => answer,
    1,
    () => {},
  )

/** The news about a row, after what the earlier snapshot answered. */
async function news(before: AffectedRow[] | string, row: AffectedRow, known: string[] = []): Promise<News[]> {
  const newsOf = newsSince(await found(before), async (id) => known.includes(id))
  return newsOf(component, row)
}

const row = (more: Partial<AffectedRow> = {}) => affectedRow('GHSA-1', 'high', { epss: 0.05, ...more })

test('an unchanged row is no news', async () => {
  assert.equal(await news([row()], row()), [])
  assert.equal(await news([row({ epss: 0.2 })], row({ epss: 0.25 })), [])
  assert.equal(await news([row({ epss: 0.9 })], row({ epss: 0.1 })), [])
  assert.equal(await news([row({ kev: true, has_exploit: true })], row()), [])
})

test('an advisory is new, or did not affect the version', async () => {
  assert.equal(await news([], row()), [{ kind: 'advisory' }])
  assert.equal(await news([], row(), ['GHSA-1']), [{ kind: 'range' }])
  const aliased = row({ aliases: ['CVE-2024-1', 'PYSEC-1'], cve_ids: ['CVE-2024-1' as never] })
  assert.equal(await news([], aliased, ['PYSEC-1']), [{ kind: 'range' }])
  assert.equal(await news([], aliased, ['CVE-2024-1']), [{ kind: 'advisory' }])
  assert.equal(await news([affectedRow('GHSA-2', 'low')], row()), [{ kind: 'advisory' }])
})

test('an advisory under another id is the same by an alias', async () => {
  assert.equal(await news([affectedRow('PYSEC-1', 'high', { aliases: ['GHSA-1'], epss: 0.05 })], row()), [])
})

test('a package that was not checked then is news, with the reason', async () => {
  assert.equal(await news('no advisories for npm', row(), ['GHSA-1']), [
    { kind: 'not_checked', reason: 'no advisories for npm' },
  ])
})

for (const [before, after, expected, text] of [
  [{ verdict: 'undecided', undecided_reason: 'version' }, {}, { kind: 'verdict' }, 'undecided then'],
  [{}, { fixed_versions: ['2.0'] }, { kind: 'fix', before: null, after: '2.0' }, 'fixed in 2.0'],
  [
    { fixed_versions: ['2.0'] },
    { fixed_versions: ['1.5', '2.0'] },
    { kind: 'fix', before: '2.0', after: '1.5' },
    'fixed in 1.5, 2.0 then',
  ],
  [{ fixed_versions: ['2.0'] }, {}, { kind: 'fix', before: '2.0', after: null }, 'no fixed version any more, 2.0 then'],
  [
    {},
    { severity: 'critical' },
    { kind: 'severity', before: 'high', after: 'critical' },
    'severity critical, high then',
  ],
  [
    { severity: null },
    { stated_severity: 'low', severity: null },
    { kind: 'severity', before: null, after: 'low' },
    'severity low, none then',
  ],
  [{}, { kev: true }, { kind: 'kev' }, 'in KEV'],
  [{}, { has_exploit: true }, { kind: 'exploit' }, 'an exploit is public'],
  [{ epss: 0.09 }, { epss: 0.1 }, { kind: 'epss', before: 0.09, after: 0.1 }, 'EPSS 0.10000, 0.09000 then'],
  [{ epss: null }, { epss: 0.5 }, { kind: 'epss', before: null, after: 0.5 }, 'EPSS 0.50000, no score then'],
  [{ epss: 0.5 }, { epss: 0.75 }, { kind: 'epss', before: 0.5, after: 0.75 }, 'EPSS 0.75000, 0.50000 then'],
] as [Partial<AffectedRow>, Partial<AffectedRow>, News, string][]) {
  test(`news: ${text}`, async () => {
    const [first, ...others] = await news([row(before)], row(after))
    assert.equal(first, expected)
    assert.equal(others, [])
    assert.is(newsText(first!), text)
  })
}

test.run()
