/** The version order of Debian and Ubuntu (Debian Policy 5.6.12; deb-version(7), "Sorting algorithm"). */
import { compareLists, compareNumbers, compareTexts, plainNumber, type VersionOrder } from './order.ts'

const EPOCH = /^\d+$/
const UPSTREAM = /^\d[0-9A-Za-z.+~:-]*$/
const REVISION = /^[0-9A-Za-z.+~]+$/

interface DebianKey {
  epoch: string
  upstream: Run[]
  revision: Run[]
}

/** A run of other characters, as `sortable` returns it, and the number after it. */
type Run = [text: string, number: string]

/** Sorts after `~` and before everything else: the end of a run without digits. */
const END = '\u0002'
const NO_RUN: Run = [END, '0']

/** The epoch precedes the first colon, the revision follows the last hyphen. Missing ones are 0. */
export const debian: VersionOrder<DebianKey> = {
  parse(text) {
    const start = text.indexOf(':') + 1
    const end = text.lastIndexOf('-')
    const epoch = start === 0 ? '0' : text.slice(0, start - 1)
    const upstream = text.slice(start, end < 0 ? undefined : Math.max(start, end))
    const revision = end < 0 ? null : text.slice(end + 1)
    if (!EPOCH.test(epoch) || !UPSTREAM.test(upstream) || (revision !== null && !REVISION.test(revision))) return null
    return { epoch: plainNumber(epoch), upstream: runsOf(upstream), revision: runsOf(revision ?? '') }
  },
  compare(a, b) {
    return (
      compareNumbers(a.epoch, b.epoch) ||
      compareLists(a.upstream, b.upstream, compareRuns, NO_RUN) ||
      compareLists(a.revision, b.revision, compareRuns, NO_RUN)
    )
  },
}

function runsOf(text: string): Run[] {
  const runs: Run[] = []
  for (const [, other, digits] of text.matchAll(/(\D*)(\d*)/g))
    runs.push([sortable(other!), plainNumber(digits || '0')])
  return runs
}

/** Tilde precedes the end, letters precede other characters. */
function sortable(text: string): string {
  let result = ''
  for (const char of text) {
    if (char === '~') result += '\u0001'
    else result += /[A-Za-z]/.test(char) ? char : String.fromCharCode(char.charCodeAt(0) + 256)
  }
  return result + END
}

function compareRuns(a: Run, b: Run): number {
  return compareTexts(a[0], b[0]) || compareNumbers(a[1], b[1])
}
