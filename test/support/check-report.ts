/** Reports of `vulnshelf check` about purls, one per line, and rows that a test states. */
import { type CheckOptions, checkInventories } from '../../builder/check/check.ts'
import type { ReadDecisionFile } from '../../builder/check/read-decisions.ts'
import { noProgress } from '../../corpus/command/progress.ts'
import { readIgnoreFile, readVex } from '../../corpus/inventory/decisions/read.ts'
import { inventoryOf } from '../../corpus/inventory/read.ts'
import type { AffectedRow } from '../../corpus/model/packages/affected-row.ts'

/** By `ecosystem/name@version`. */
export type Rows = Readonly<Record<string, AffectedRow[]>>

export const FAIL_ON_HIGH = { level: 'high', unscored: true, undecided: false, unchecked: false } as const

/** Returns a reader that knows the ids of its rows. `id` is the first digit of the id of its snapshot. */
export function readerOf(rows: Rows, id = 'a') {
  const known = Object.values(rows).flatMap((all) => all.flatMap((row) => [row.advisory_id, ...row.cve_ids]))
  const answer = async (asked: string) => (known.includes(asked as never) ? {} : null)
  return {
    ecosystems: ['Debian', 'npm', 'PyPI'],
    releases: { Debian: ['12'] },
    snapshot: {
      id: id.repeat(64),
      created_at: '2026-01-01T00:00:00Z',
      parent: null,
      counts: {},
      feeds: {},
      epss_date: null,
    },
    advisory: answer,
    get: answer,
    affected: async ({ ecosystem, name, version }: Record<string, string>) =>
      rows[`${ecosystem}/${name}@${version}`] ?? [],
  } as never
}

export function checkPurls(purls: string, rows: Rows, options: Partial<CheckOptions> = {}) {
  const inventories = [{ ...inventoryOf('app/purls.txt', 'purls.purl', Buffer.from(purls)), sha256: '1'.repeat(64) }]
  const all = { failOn: FAIL_ON_HIGH, omit: [], decisions: [], today: '2026-06-01', earlier: null, ...options }
  return checkInventories({ inventories, notChecked: [], unreadable: [] }, readerOf(rows), all, noProgress)
}

const everywhere = { sha256: '2'.repeat(64), isFor: () => true }
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value, null, 1))

export const ignoring = (...ignore: object[]): ReadDecisionFile => ({
  ...readIgnoreFile('vulnshelf.ignore.json', bytes({ ignore })),
  ...{ role: 'ignore', ...everywhere },
})

export const vexOf = (...statements: object[]): ReadDecisionFile => ({
  ...readVex('vex.json', bytes({ '@context': 'https://openvex.dev/ns/v0.2.0', statements })),
  ...{ role: 'vex', ...everywhere },
})
