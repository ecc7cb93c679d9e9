/** Parameters that name a package or product: a purl; an ecosystem, a name and a version; a CPE name. */
import type { Cpe } from '../../model/affected/cpe.ts'
import { ANY, CpeError, hasWildcard, NOT_APPLICABLE, readCpe } from '../../model/cpe/name.ts'
import { PurlError, type PurlPackage, packageOfPurl } from '../../model/packages/purl.ts'
import { baseEcosystem, canonicalEcosystem, knownEcosystems } from '../../model/versions/ecosystems.ts'
import { invalidParameter } from '../errors.ts'
import { type ParameterType, parameterType, quote, refuseMember } from './parameter.ts'

const PURL_EXAMPLE = 'pkg:npm/%40angular/core@17.0.0'

/** A package URL, and the package that it names. */
export interface GivenPurl extends PurlPackage {
  purl: string
}

/** The parameter can be repeated, and gets each purl once, in their order. */
export function purls({ max }: { max: number }): ParameterType<GivenPurl[], 'optional'> {
  const schema = { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: max }
  const union = (some: readonly GivenPurl[], more: readonly GivenPurl[], name: string) => {
    const all = [...some, ...more.filter(({ purl }) => !some.some((one) => one.purl === purl))]
    if (all.length > max) throw invalidParameter(name, `parameter '${name}' takes at most ${max} package URLs`)
    return all
  }
  return { ...parameterType(schema, (text, name) => [readPurl(text, name)]), isRepeated: true, union }
}

function readPurl(text: string, name: string): GivenPurl {
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
}

/** A CPE name as given, and its attributes in canonical form. */
export interface GivenCpe {
  cpe: string
  attributes: Cpe
}

const CPE_EXAMPLE = 'cpe:2.3:a:apache:http_server:2.4.57:*:*:*:*:*:*:*'

/** A CPE name that states vendor and product. */
export function cpe(): ParameterType<GivenCpe, 'optional'> {
  return parameterType({ type: 'string', minLength: 1 }, (text, name) => {
    const refuse = (fault: string) =>
      invalidParameter(name, `parameter '${name}' is not a CPE name such as ${CPE_EXAMPLE}: ${quote(text)}, ${fault}`)
    try {
      const attributes = readCpe(text)
      for (const attribute of ['vendor', 'product'] as const) {
        const value = attributes[attribute]
        if (value === ANY || value === NOT_APPLICABLE || hasWildcard(value)) {
          throw refuse(`attribute '${attribute}' must be a name, without wildcards`)
        }
      }
      return { cpe: text, attributes }
    } catch (error) {
      if (!(error instanceof CpeError)) throw error
      throw refuse(text.includes(' ') ? `${error.message}; write '+' as %2B` : error.message)
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

interface EcosystemUse {
  /** Whether a suffix such as `:12` is accepted. */
  suffixed: boolean
  parameter?: string
}

/**
 * Returns an ecosystem in its canonical spelling. Accepts those of the schema and `more`, in any case. A suffix stays as
 * it is.
 * @throws ApiError `invalid_parameter` for an unknown one, and for a suffix unless `suffixed`
 */
export function ecosystemOf(
  text: string,
  more: readonly string[],
  { suffixed, parameter = 'ecosystem' }: EcosystemUse,
): string {
  const canonical = canonicalEcosystem(text, more)
  if (canonical !== null && (suffixed || baseEcosystem(text) === text)) return canonical
  throw refuseMember(parameter, text, knownEcosystems(more))
}
