/** Servers that several test files of one process use together. */
const opened = new Map<string, Promise<unknown>>()
let servers = 0

/** How many servers listen for later test files. */
export const sharedServers = (): number => servers

/** Whether the runner's process runs this file; otherwise a test file has its process to itself and must let it end. */
export const isShared = (): boolean => 'UVU_DEFER' in globalThis

/** How many servers listen in this process. */
export const listeningServers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length

/** Opens servers once per process, under a name. They stay until the process ends. */
export function share<T>(name: string, open: () => Promise<T>): Promise<T> {
  const known = opened.get(name)
  if (known !== undefined) return known as Promise<T>
  const before = listeningServers()
  const service = open().then((value) => {
    servers += listeningServers() - before
    return value
  })
  opened.set(name, service)
  return service
}
