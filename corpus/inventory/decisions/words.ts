/** Positions in files, and decisions without effect, in words. */
import type { UnusedDecision } from './decide.ts'

/** Returns `vulnshelf.ignore.json:3`. */
export const linePosition = ({ file, line }: Pick<UnusedDecision, 'file' | 'line'>): string =>
  line === null ? file : `${file}:${line}`

export function unusedText({ id, package: named, why, until }: UnusedDecision): string {
  const what = named === null ? id : `${id} in ${named}`
  switch (why) {
    case 'expired':
      return `${what} expired on ${until}. Decide again, or remove it`
    case 'unknown_id':
      return `${what}: the snapshot has no vulnerability with this id. Correct it`
    case 'matched_nothing':
      return `${what} matched no finding`
    case 'not_compared':
      return `${what} names no package by its purl, so it matched nothing`
  }
}
