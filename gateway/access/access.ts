/**
 * Access control for CVEs (rule 15): compares the operator's policy, which may change at runtime, with a caller's
 * tier.
 */
import { statSync } from 'node:fs'
import type { Access } from '../../corpus/answers/context.ts'
import { tierRestricted } from '../../corpus/answers/errors.ts'
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import { readRegularFile } from '../../corpus/runtime/regular-file.ts'
import { findRow, type IdColumns, perSnapshot, type SnapshotData } from '../../corpus/snapshot/index.ts'
import type { OpenSnapshot } from '../../corpus/snapshot/memory/open-snapshot.ts'
import type { Subject } from '../auth/subject.ts'
import { GatewayError } from '../http/errors.ts'
import type { Log } from '../process/log.ts'
import { type Policy, parsePolicy } from './policy.ts'
import { tiersOf } from './tiers.ts'

/** A policy that names each of 350,000 CVEs has 8 MB. */
const MAX_POLICY_BYTES = 64 << 20

/** Access by a policy. `S` is the type of the snapshots. */
export interface TierAccess<S> extends Access {
  judge(subject: Pick<Subject, 'tier'>, snapshot: SnapshotData & S, row: number, id: CveId): void
  /** A null subject has tier 0. */
  isAdvisoryRestricted(
    subject: Pick<Subject, 'tier'> | null,
    snapshot: SnapshotData & S,
    cveIds: () => readonly CveId[],
  ): boolean
}

export interface PolicyAccess extends TierAccess<OpenSnapshot> {
  /** Null without a policy. */
  readonly policy: Policy | null
  /** Reads the file again if it changed. */
  refresh(): void
  close(): void
}

/** Without a policy, every CVE has tier 0. */
export const openAccess: PolicyAccess = {
  policy: null,
  judge() {},
  isAdvisoryRestricted: () => false,
  refresh() {},
  close() {},
}

export interface PolicyFileOptions {
  log: Log
  /** Interval of file checks in ms; 0 for none. */
  pollMs?: number
}

/**
 * Rejects and logs an invalid later change: an operator's mistake must not open restricted CVEs.
 * @throws GatewayError `access_policy` if the file is unreadable or invalid at the start
 */
export function accessByPolicy(path: string, { log, pollMs = 2000 }: PolicyFileOptions): PolicyAccess {
  let seen = stampOf(path)
  let policy = readPolicy(path)
  let tiers = tiersBy(policy)

  const refresh = () => {
    const stamp = stampOf(path)
    if (stamp === seen) return
    seen = stamp
    try {
      policy = readPolicy(path)
      tiers = tiersBy(policy)
      log.info({ path, rules: policy.length }, 'access policy loaded')
    } catch (error) {
      log.error({ err: error, path }, 'changed access policy rejected, keeping the previous one')
    }
  }
  const timer = pollMs > 0 ? setInterval(refresh, pollMs).unref() : null

  return {
    get policy() {
      return policy
    },
    ...accessByTiers<OpenSnapshot>((snapshot) => ({ tiers: tiers(snapshot), index: snapshot.index })),
    refresh,
    close() {
      if (timer) clearInterval(timer)
    },
  }
}

/** The tier that each row needs. */
export interface Tiers {
  tiers: Int32Array
  index: IdColumns
}

export function accessByTiers<S>(tiersOf: (snapshot: SnapshotData & S) => Tiers): TierAccess<S> {
  // Tier 0 is visible to all, whatever the token states.
  const isAbove = (subject: Pick<Subject, 'tier'> | null, needed: number) => needed > 0 && needed > (subject?.tier ?? 0)
  return {
    judge(subject, snapshot, row, id) {
      if (isAbove(subject, tiersOf(snapshot).tiers[row]!)) throw tierRestricted(id)
    },
    isAdvisoryRestricted(subject, snapshot, cveIds) {
      const { tiers, index } = tiersOf(snapshot)
      const rows = cveIds()
        .map((cveId) => findRow(index, cveId))
        .filter((row) => row >= 0)
      return rows.length > 0 && rows.every((row) => isAbove(subject, tiers[row]!))
    },
  }
}

const tiersBy = (policy: Policy) => perSnapshot((snapshot: OpenSnapshot) => tiersOf(policy, snapshot))

function readPolicy(path: string): Policy {
  let text: string
  try {
    text = readRegularFile(path, MAX_POLICY_BYTES).toString()
  } catch (cause) {
    throw new GatewayError('access_policy', `cannot read the access policy ${path}: ${(cause as Error).message}`, {
      cause,
    })
  }
  return parsePolicy(text, `invalid access policy ${path}`)
}

/** Identifies a file state without reading it. */
function stampOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat ? `${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.size}` : ''
}
