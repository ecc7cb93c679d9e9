/** A record in the OSV schema as published, with what it states about each package. */
import type { PublishedAdvisory } from '../../model/claim.ts'
import { packageKey, packageStatements } from '../../model/packages/package-advisory.ts'
import { assertNameLength, claimText, MAX_STATEMENTS_LENGTH } from '../feed.ts'
import { minifiedJson } from '../json.ts'
import type { OsvEntry } from './entry.ts'

/**
 * Returns the record whose JSON is `text`.
 * @throws FeedError when the name of a package is too long, or the statements together
 */
export function publishedAdvisory(
  { json, modified }: Pick<OsvEntry, 'json' | 'modified'>,
  text: string,
): PublishedAdvisory {
  let left = MAX_STATEMENTS_LENGTH
  const packages = packageStatements(json).map(({ ecosystem, purl, advisory }) => {
    assertNameLength('the ecosystem of a package', ecosystem)
    assertNameLength('the name of a package', advisory.name)
    assertNameLength('the URL of a package', purl)
    const statement = claimText(advisory, left)
    left -= statement.length
    return { key: packageKey(ecosystem, advisory.name), purl, text: statement }
  })
  return { modified, text: minifiedJson(text), packages }
}
