/** The part of a CNA's version statements that other sources can repeat: releases and the bounds between them. */
import type { Version } from './versions.ts'

export type Bounds = { exact: string } | { from: string | null; before: string | null; upTo: string | null }

const RELEASE = /^\d[\w.]*$/

/** Returns null for anything but affected releases: git, placeholders, text, unaffected versions. */
export function boundsOf({ version, status, lessThan, lessThanOrEqual, versionType }: Version): Bounds | null {
  if (status !== 'affected' || versionType === 'git') return null
  const from = isRelease(version) && version !== '0' ? version : null
  if (isRelease(lessThan)) return { from, before: lessThan, upTo: null }
  if (isRelease(lessThanOrEqual)) return { from, before: null, upTo: lessThanOrEqual }
  const compared = /^(?:>= (\S+), )?(<=?|=) (\S+)$/.exec(version)
  if (compared) {
    const [, since = null, operator, to] = compared
    if (operator === '=') return { exact: to! }
    return operator === '<' ? { from: since, before: to!, upTo: null } : { from: since, before: null, upTo: to! }
  }
  return from !== null && lessThan === undefined && lessThanOrEqual === undefined ? { exact: from } : null
}

function isRelease(text: string | undefined): text is string {
  return text !== undefined && RELEASE.test(text)
}
