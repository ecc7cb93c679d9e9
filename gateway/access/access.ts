/** Who may see which CVE (rule 15): the operator's policy, followed as its file changes, against a caller's tier. */
import { readFileSync, statSync } from 'node:fs'
import type { CveId } from '../../corpus/model/cve-id.ts'
import { perSnapshot } from '../../corpus/snapshot/find/per-snapshot.ts'
import type { Subject } from '../auth/subject.ts'
import { GatewayError, tierRestricted } from '../errors.ts'
import type { Log } from '../log.ts'
import type { OpenSnapshot } from '../shelf/open-snapshot.ts'
import { type Policy, parsePolicy } from './policy.ts'
import { tiersOf } from './tiers.ts'

export interface Access {
  /**
   * Lets `subject` see the CVE at `row`, or does not.
   * @throws ApiError `tier_restricted`
   */
  judge(subject: Subject, snapshot: OpenSnapshot, row: number, id: CveId): void
  /** Looks whether the policy's file was changed, and takes it up if it is sound. */
  refresh(): void
  close(): void
}

/** Without a policy every CVE is of tier 0, which everybody has. */
export const openAccess: Access = { judge() {}, refresh() {}, close() {} }

export interface PolicyFileOptions {
  log: Log
  /** How often the file is looked at, in ms; 0 for never. */
  pollMs?: number
}

/**
 * Access by the policy in the file at `path`. A later change that is broken is refused and told in the log, and the policy
 * before it stays: a slip of the operator must not open what was closed.
 * @throws GatewayError `access_policy` when the file cannot be read or is broken at the start
 */
export function accessByPolicy(path: string, { log, pollMs = 2000 }: PolicyFileOptions): Access {
  let seen = stampOf(path)
  let tiers = tiersBy(readPolicy(path))

  const refresh = () => {
    const stamp = stampOf(path)
    if (stamp === seen) return
    seen = stamp
    try {
      const policy = readPolicy(path)
      tiers = tiersBy(policy)
      log.info({ path, rules: policy.length }, 'access policy taken up')
    } catch (error) {
      log.error({ err: error, path }, 'a changed access policy is refused; the old one stays')
    }
  }
  const timer = pollMs > 0 ? setInterval(refresh, pollMs).unref() : null

  return {
    judge({ tier }, snapshot, row, id) {
      const needed = tiers(snapshot)[row]!
      // Tier 0 is everybody's, whatever a token says of itself.
      if (needed > 0 && needed > tier) throw tierRestricted(id)
    },
    refresh,
    close() {
      if (timer) clearInterval(timer)
    },
  }
}

const tiersBy = (policy: Policy) => perSnapshot((snapshot: OpenSnapshot) => tiersOf(policy, snapshot))

function readPolicy(path: string): Policy {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new GatewayError('access_policy', `the access policy at ${path} cannot be read`, cause)
  }
  return parsePolicy(text, `the access policy at ${path}`)
}

/** What tells one state of the file from another without reading it. */
function stampOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat ? `${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.size}` : ''
}
