/** A record in the OSV schema as published, with what it states about each package. */
import type { PublishedAdvisory } from '../../model/claim.ts'
import { packageKey } from '../../model/packages/name.ts'
import { packageStatements } from '../../model/packages/package-advisory.ts'
import { FeedError } from '../error.ts'
import { assertNameLength, claimText, MAX_STATEMENTS_LENGTH } from '../feed.ts'
import { minifiedJson, shown } from '../json.ts'
import { addNote } from '../statements.ts'
import type { OsvEntry } from './entry.ts'

/**
 * Returns the record whose JSON is `text`. Notes packages whose name no request can state.
 * @throws FeedError when the name of a package is too long, or the statements together
 */
export function publishedAdvisory(
  { json, modified, notes }: Pick<OsvEntry, 'json' | 'modified' | 'notes'>,
  text: string,
): PublishedAdvisory {
  const statements = packageStatements(json, (ecosystem, name) => {
    addNote(notes, {
      code: 'package-unreadable',
      detail: `${shown(name)} of ${shown(ecosystem)} is no name of a package`,
    })
  })
  let length = 0
  const packages = statements.map(({ ecosystem, purl, advisory }, i) => {
    assertNameLength('the ecosystem of a package', ecosystem)
    assertNameLength('the name of a package', advisory.name)
    assertNameLength('the URL of a package', purl)
    const statement = claimText(advisory)
    length += statement.length
    if (length > MAX_STATEMENTS_LENGTH) {
      const which = `the first ${i + 1} of its ${statements.length} packages`
      const what = `what it states about ${which} has ${length} characters, with its facts for each`
      throw new FeedError('entry_too_large', `${what}; the limit is ${MAX_STATEMENTS_LENGTH}`)
    }
    return { key: packageKey(ecosystem, advisory.name), purl, text: statement }
  })
  return { modified, text: minifiedJson(text), packages }
}
