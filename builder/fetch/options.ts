/** Parses the options of the `fetch` command. */

import { InvalidArgumentError } from 'commander'
import type { PublishedFeed } from '../../corpus/feeds/table.ts'
import { addBaseUrl, type BaseUrls, noBaseUrls } from './bases.ts'
import { ECOSYSTEM, PUBLISHERS } from './publishers.ts'

export { noBaseUrls }

export interface FetchCommandOptions {
  only?: PublishedFeed[]
  baseUrl: BaseUrls
  osvEcosystems?: string[]
  epssSince?: string
  json?: boolean
}

const FEEDS: readonly PublishedFeed[] = PUBLISHERS.map(({ feed }) => feed)
const words = (text: string) => text.split(',').map((word) => word.trim())

/** `kev,epss` */
export function feedNames(text: string): PublishedFeed[] {
  return words(text).map((word) => {
    const feed = FEEDS.find((name) => name === word)
    if (!feed) throw new InvalidArgumentError(`Unknown feed '${word}'; use one of ${FEEDS.join(', ')}.`)
    return feed
  })
}

/** Whitespace separates addresses, as in an environment variable. */
export function baseUrls(text: string, before: BaseUrls): BaseUrls {
  try {
    return text
      .split(/\s+/)
      .filter(Boolean)
      .reduce((bases, one) => addBaseUrl(one, FEEDS, bases), before)
  } catch (error) {
    if (error instanceof TypeError) throw new InvalidArgumentError(`${error.message}.`)
    throw error
  }
}

/** `Go,PyPI` or `all` */
export function ecosystems(text: string): string[] {
  const names = words(text)
  const wrong = names.find((name) => !ECOSYSTEM.test(name))
  if (wrong !== undefined) throw new InvalidArgumentError(`'${wrong}' is not an ecosystem name such as npm or PyPI.`)
  return names
}
