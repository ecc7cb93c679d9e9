/** What the gateway's main thread and its query thread say to each other. */

export type QueryRequest =
  /** Find the CVEs of the `query.db` at `path` that `q` matches. */
  | { kind: 'matches'; path: string; q: string }
  /** The snapshot was let go: close its `query.db`. */
  | { kind: 'forget'; path: string }

export type QueryReply = { ordinals: Uint32Array } | { error: Error }
