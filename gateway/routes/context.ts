/** Inputs of handlers in addition to their parameters. */
import type { Access } from '../access/access.ts'
import type { Subject } from '../auth/subject.ts'
import type { Queries } from '../query/queries.ts'
import type { SnapshotRegistry } from '../snapshots/registry.ts'

export interface Context {
  registry: SnapshotRegistry
  queries: Queries
  access: Access
  /** The authenticated caller. */
  subject: Subject
  /** The request target, as sent. */
  target: string
}
