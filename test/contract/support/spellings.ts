/** The spellings of a vendor or product (rule 27). */
import * as assert from 'uvu/assert'
import { byText, keyOfName } from '../../support/plain.ts'

/**
 * Claims on one CVE that spell a name differently, but with the same key, count as the first of them. So each spelling is
 * one of the claims, and each key of the claims is there.
 */
export function expectSpellings(found: readonly string[], stated: ReadonlySet<string>): void {
  assert.equal(found, [...new Set(found)].sort(byText))
  for (const one of found) assert.ok(stated.has(one), one)
  assert.equal(new Set(found.map(keyOfName)), new Set(Array.from(stated, keyOfName)))
}
