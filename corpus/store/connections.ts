/** Connections shared by the tasks of a thread: one per file, opened by the first task that needs it. */
export interface Connections<Connection> {
  at(path: string): Connection
  /** Closes all connections. The next task reopens its own. */
  close(): void
}

export function connections<Connection extends { close(): void }>(
  open: (path: string) => Connection,
): Connections<Connection> {
  const opened = new Map<string, Connection>()
  return {
    at(path) {
      let connection = opened.get(path)
      if (!connection) {
        connection = open(path)
        opened.set(path, connection)
      }
      return connection
    },
    close() {
      for (const connection of opened.values()) connection.close()
      opened.clear()
    },
  }
}
