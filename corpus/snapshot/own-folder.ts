/** Whether a folder may be written to as a `dist`: one of somebody else's files is left alone. */
import { readdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { POINTER_NAME } from './layout.ts'

/** Whoever writes to a `dist` leaves one of these there first. */
const MARKS: readonly string[] = [POINTER_NAME, 'lock']

/**
 * Why a folder is not to be written to, or null where it may be: it is not there yet, is empty, or has one of the files
 * that every `dist` has, or of `others`. `taker` is who takes folders: `--out`.
 */
export function whyNotOurs(dist: string, taker: string, others: readonly string[] = []): string | null {
  const stat = statSync(dist, { throwIfNoEntry: false })
  if (!stat) return fileAbove(dist, taker)
  if (!stat.isDirectory()) return `${dist} is a file: ${taker} takes a folder`
  const names = readdirSync(dist)
  if (names.length === 0 || names.some((name) => MARKS.includes(name) || others.includes(name))) return null
  return `${dist} holds other files (${names[0]}): ${taker} takes a folder of its own`
}

/** A folder cannot be made below a file. */
function fileAbove(dist: string, taker: string): string | null {
  for (let above = dirname(resolve(dist)); ; above = dirname(above)) {
    const stat = statSync(above, { throwIfNoEntry: false })
    if (stat?.isDirectory()) return null
    if (stat) return `${above} is a file: ${taker} takes a folder, and ${dist} cannot be one`
  }
}
