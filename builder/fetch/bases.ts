/** Base addresses of in-house copies that replace the publishers, and their credentials. */
import type { PublishedFeed } from '../../corpus/feeds/table.ts'
import type { Credentials } from '../../corpus/transfer/request.ts'

/** One address for all feeds, and addresses for single feeds. Each ends in `/`. */
export interface BaseUrls {
  all: URL | null
  of: ReadonlyMap<PublishedFeed, URL>
}

export const noBaseUrls: BaseUrls = { all: null, of: new Map() }

/**
 * Adds `https://mirror/feeds`, or `kev=https://mirror/feeds` for one feed. In both cases the file is at
 * `/kev/known_….json` below it.
 * @throws TypeError with the reason
 */
export function addBaseUrl(text: string, feeds: readonly PublishedFeed[], { all, of }: BaseUrls): BaseUrls {
  const [, name, address] = /^(?:([\w-]+)=)?(.*)$/s.exec(text)!
  const url = URL.parse(address!)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TypeError(`invalid address '${address}'; use an http or https URL`)
  url.pathname = url.pathname.replace(/(?<!\/)\/*$/, '/')
  url.search = ''
  url.hash = ''
  if (name === undefined) return { all: url, of }
  const feed = feeds.find((one) => one === name)
  if (!feed) throw new TypeError(`unknown feed '${name}'; use one of ${feeds.join(', ')}`)
  return { all, of: new Map([...of, [feed, url]]) }
}

/**
 * Removes user and password from the addresses. They become headers, so that no report or `fetch.json` contains them.
 */
export function separateCredentials({ all, of }: BaseUrls): { bases: BaseUrls; credentials: Credentials } {
  const credentials = new Map<string, string>()
  const bare = (url: URL) => {
    if (url.username !== '' || url.password !== '') {
      const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
      credentials.set(url.origin, `Basic ${Buffer.from(pair).toString('base64')}`)
    }
    const other = new URL(url)
    other.username = ''
    other.password = ''
    return other
  }
  const bases = { all: all && bare(all), of: new Map([...of].map(([feed, url]) => [feed, bare(url)] as const)) }
  return { bases, credentials }
}
