/** Where feeds are taken from instead of their publishers: addresses of in-house copies, and who asks there. */
import type { PublishedFeed } from '../../corpus/feeds/table.ts'
import type { Credentials } from '../../corpus/transfer/request.ts'

/** One address for all feeds, and those for one feed only; all end in `/`. */
export interface BaseUrls {
  all: URL | null
  of: ReadonlyMap<PublishedFeed, URL>
}

export const noBases: BaseUrls = { all: null, of: new Map() }

/**
 * `https://mirror/feeds`, or `kev=https://mirror/feeds` for one feed: either way `/kev/known_….json` is added.
 * @throws TypeError saying what is wrong
 */
export function addBase(text: string, feeds: readonly PublishedFeed[], { all, of }: BaseUrls): BaseUrls {
  const [, name, address] = /^(?:([\w-]+)=)?(.*)$/s.exec(text)!
  const url = URL.parse(address!)
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError(`'${address}' is no http or https address`)
  url.pathname = url.pathname.replace(/\/*$/, '/')
  url.search = ''
  url.hash = ''
  if (name === undefined) return { all: url, of }
  const feed = feeds.find((one) => one === name)
  if (!feed) throw new TypeError(`there is no feed '${name}'; there are ${feeds.join(', ')}`)
  return { all, of: new Map([...of, [feed, url]]) }
}

/** Takes user and password out of the addresses: they become headers, and stay out of reports and `fetch.json`. */
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
