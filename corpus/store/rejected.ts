/** The rejected CVEs of a corpus. */
import type Database from 'better-sqlite3'
import type { Rejection } from '../model/claim.ts'
import type { CveId } from '../model/ids/cve-id.ts'

export interface RejectedCve extends Rejection {
  cveId: CveId
}

interface RejectedRow {
  cveId: CveId
  date: string | null
  reason: string | null
  replacedBy: string
}

const COLUMNS = 'cve_id AS cveId, date_rejected AS date, reason, replaced_by AS replacedBy'

export interface RejectedCves {
  /** Sorted by id. */
  all(): RejectedCve[]
  one(cveKey: string): RejectedCve | null
}

export function readRejected(database: Database.Database): RejectedCves {
  const all = database.prepare<[], RejectedRow>(`SELECT ${COLUMNS} FROM rejected ORDER BY cve_key`)
  const one = database.prepare<[string], RejectedRow>(`SELECT ${COLUMNS} FROM rejected WHERE cve_key = ?`)
  return {
    all: () => all.all().map(fromRow),
    one(cveKey) {
      const row = one.get(cveKey)
      return row ? fromRow(row) : null
    },
  }
}

function fromRow({ replacedBy, ...row }: RejectedRow): RejectedCve {
  return { ...row, replacedBy: replacedBy.split(' ').filter((id) => id !== '') as CveId[] }
}
