/** Servers that several test files of one process share. */
const opened = new Map<string, Promise<unknown>>()
let servers = 0

/** Returns the number of servers that stay open for later test files. */
export const sharedServers = (): number => servers

/** Returns whether the runner's process runs this file. Otherwise the file has its own process and must let it end. */
export const isShared = (): boolean => 'UVU_DEFER' in globalThis

/** Returns the number of servers that listen in this process. */
export const listeningServers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length

/** Opens servers once per process under a name. They stay open until the process ends. */
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
