/** Checks whether a folder may be used as a `dist`. A folder with other files is rejected. */
import { readdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { POINTER_NAME } from './layout.ts'

/** Each writer of a `dist` creates one of these files first. */
const MARKS: readonly string[] = [POINTER_NAME, 'lock', 'nightly.lock']

/**
 * Returns why a folder must not be written to, or null. Accepts a missing or empty folder, and one with a `dist` file
 * or one of `others`. `taker` is the option that named it: `--out`.
 */
export function distRefusal(dist: string, taker: string, others: readonly string[] = []): string | null {
  const stat = statSync(dist, { throwIfNoEntry: false })
  if (!stat) return fileAbove(dist, taker)
  if (!stat.isDirectory()) return `${dist} is a file; ${taker} needs a folder`
  const names = readdirSync(dist)
  if (names.length === 0 || names.some((name) => MARKS.includes(name) || others.includes(name))) return null
  return `${dist} has other files (${names[0]}); ${taker} needs an empty folder or a dist`
}

function fileAbove(dist: string, taker: string): string | null {
  for (let above = dirname(resolve(dist)); ; above = dirname(above)) {
    const stat = statSync(above, { throwIfNoEntry: false })
    if (stat?.isDirectory()) return null
    if (stat) return `${above} is a file; ${taker} needs a folder, so ${dist} cannot be used`
  }
}
