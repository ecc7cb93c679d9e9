/** Servers that several test files of one process use together. */
const opened = new Map<string, Promise<unknown>>()
let servers = 0

/** How many servers listen for later test files. */
export const sharedServers = (): number => servers

/** Whether the runner's process runs this file; otherwise a test file has its process to itself and must let it end. */
export const isShared = (): boolean => 'UVU_DEFER' in globalThis

/** Opens a server once per process, under a name. It stays until the process ends. */
export function share<T>(name: string, open: () => Promise<T>): Promise<T> {
  const known = opened.get(name)
  if (known !== undefined) return known as Promise<T>
  servers++
  const server = open()
  opened.set(name, server)
  return server
}
