/** Advisories as their publishers state them: records in the OSV schema. */
import { idSpellings } from '../../model/packages/advisory-id.ts'
import { spliced } from '../../snapshot/index.ts'
import { cveIdsOf, shownAliases } from '../advisory.ts'
import { splicedAnswer } from '../answer.ts'
import type { Context } from '../context.ts'
import { notFound, tierRestricted } from '../errors.ts'
import { described } from '../openapi/parameters.ts'
import { quote } from '../parameters/parameter.ts'
import { openText } from '../parameters/parameter-types.ts'
import { defineRoute } from '../route.ts'
import { osvRecord } from '../schemas.ts'

const path = {
  advisoryId: described(
    'Id of the advisory, such as `GHSA-35jh-r3h4-6jhm`, `GO-2024-2687` or `MAL-2024-1`',
    openText(),
  ),
}

export const getOsvRecord = defineRoute<Context, typeof path, Record<never, never>>({
  name: 'getOsvRecord',
  path: '/advisories/:advisoryId',
  summary: 'Get an advisory',
  description:
    'Returns an advisory in the OSV schema, as its publisher states it. Withdrawn advisories are included: they have `withdrawn`. A 404 names the advisories that have the id as an alias. If all CVEs that it names are above the tier of the account, the answer is 403.',
  example: '/advisories/PYSEC-2021-1899',
  errors: ['not_found', 'tier_restricted'],
  params: { path, query: {} },
  answer: osvRecord,
  *handle({ snapshots: { current }, access, subject }, { advisoryId: asked }) {
    const { packages } = current
    const spellings = idSpellings(asked)
    for (const id of spellings) {
      const member = yield* packages.advisory(id)
      if (!member) continue
      const isRestricted = access.isAdvisoryRestricted(subject, current, () => cveIdsOf(member))
      if (isRestricted) throw tierRestricted(id)
      return splicedAnswer(current, 'shard', [spliced(member, member.segments[0]!)])
    }
    const aliasesOf = yield* packages.aliases(() => spellings.map((id) => [id]))
    const others: string[] = []
    for (const alias of new Set(spellings.flatMap((id) => shownAliases(aliasesOf(id))))) {
      if (yield* packages.advisory(alias)) others.push(alias)
    }
    const hint = others.length === 0 ? '' : `; it is an alias of ${others.join(', ')}`
    throw notFound(`no advisory has the id ${quote(asked)}${hint}`)
  },
})
