/** Parameters that name a package: a purl, or an ecosystem, a name and a version. */
import { PurlError, type PurlPackage, packageOfPurl } from '../../corpus/model/packages/purl.ts'
import { baseEcosystem, canonicalEcosystem, ECOSYSTEMS } from '../../corpus/model/versions/ecosystems.ts'
import { invalidParameter } from '../http/errors.ts'
import { type ParameterType, parameterType, quote, refuseMember } from './parameter.ts'

const PURL_EXAMPLE = 'pkg:npm/%40angular/core@17.0.0'

/** A package URL, and the package that it names. */
export interface GivenPurl extends PurlPackage {
  purl: string
}

export function purl(): ParameterType<GivenPurl, 'optional'> {
  return parameterType({ type: 'string', minLength: 1 }, (text, name) => {
    try {
      return { purl: text, ...packageOfPurl(text) }
    } catch (error) {
      if (!(error instanceof PurlError)) throw error
      const fault = text.includes(' ') ? `${error.message}; write '+' as %2B` : error.message
      throw invalidParameter(
        name,
        `parameter '${name}' is not a package URL such as ${PURL_EXAMPLE}: ${quote(text)}, ${fault}`,
      )
    }
  })
}

/** A name or version of a package. None has blanks; a blank is usually a `+` that was not encoded. */
export function packageText(): ParameterType<string, 'optional'> {
  return parameterType({ type: 'string', minLength: 1, pattern: '^\\S+$' }, (text, name) => {
    if (/[\s\p{Cc}]/u.test(text)) {
      throw invalidParameter(name, `parameter '${name}' contains a blank or a control character; write '+' as %2B`)
    }
    return text
  })
}

/** An ecosystem. The snapshot decides whether it is known, so the handler calls `ecosystemOf`. */
export function ecosystem(): ParameterType<string, 'optional'> {
  return parameterType({ type: 'string', minLength: 1, examples: ['npm', 'PyPI', 'Debian:12'] }, (text) => text)
}

/**
 * Returns an ecosystem in its canonical spelling. Accepts those of the schema and `more`, in any case. A suffix such as
 * `:12` stays as it is.
 * @throws ApiError `invalid_parameter` for an unknown one, and for a suffix unless `suffixed`
 */
export function ecosystemOf(text: string, more: readonly string[], { suffixed }: { suffixed: boolean }): string {
  const canonical = canonicalEcosystem(text, more)
  if (canonical !== null && (suffixed || baseEcosystem(text) === text)) return canonical
  throw refuseMember('ecosystem', text, [...new Set([...ECOSYSTEMS, ...more])])
}
