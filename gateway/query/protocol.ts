/** What the gateway's main thread and its query thread say to each other. */

export type QueryRequest =
  /** A snapshot is retained: open its `query.db` now, so that `prune` cannot take it away. */
  | { kind: 'open'; path: string }
  /** Find the CVEs of the `query.db` at `path` that `q` matches. */
  | { kind: 'matches'; path: string; q: string }
  /** The snapshot was let go: close its `query.db`. */
  | { kind: 'forget'; path: string }

export type QueryReply = { ordinals: Uint32Array } | { error: Error }
