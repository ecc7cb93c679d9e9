/** Version orders of plain numbers: CRAN and Hackage. */
import { compareNumbers, comparePrefixes, plainNumber, type VersionOrder } from './order.ts'

/** Dots and hyphens are the same (R, `package_version`). */
export const cran: VersionOrder<string[]> = numericOrder(/^\d+(?:[.-]\d+)*$/)

/** Haskell Package Versioning Policy, section 2. */
export const hackage: VersionOrder<string[]> = numericOrder(/^\d+(?:\.\d+)*$/)

function numericOrder(form: RegExp): VersionOrder<string[]> {
  return {
    parse: (text) => (form.test(text) ? text.split(/[.-]/).map(plainNumber) : null),
    compare: (a, b) => comparePrefixes(a, b, compareNumbers),
  }
}
