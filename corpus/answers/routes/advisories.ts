/** Advisories as their publishers state them: records in the OSV schema. */
import { idSpellings } from '../../model/packages/advisory-id.ts'
import { SEVERITIES } from '../../model/record.ts'
import { listFilters, spliced } from '../../snapshot/index.ts'
import { cveIdsOf, shownAliases } from '../advisory.ts'
import { splicedAnswer } from '../answer.ts'
import type { Context } from '../context.ts'
import { notFound, tierRestricted } from '../errors.ts'
import { described } from '../openapi/parameters.ts'
import { listPage, paging, selection } from '../paging.ts'
import { date } from '../parameters/date.ts'
import { ADVISORY_FIELDS } from '../parameters/fields.ts'
import { ecosystem, ecosystemOf } from '../parameters/package.ts'
import { quote } from '../parameters/parameter.ts'
import { boolean, oneOf, openText, sort } from '../parameters/parameter-types.ts'
import { defineRoute } from '../route.ts'
import { advisoryPage, osvRecord } from '../schemas.ts'

const listQuery = {
  ecosystem: described('Only advisories with packages of this ecosystem, in any case, without a release', ecosystem()),
  severity: described('Only advisories with this severity', oneOf(SEVERITIES)),
  prefix: described('Only advisories whose id begins with this prefix of a database, such as `GHSA`', openText()),
  malware: described('Whether they state that packages are malicious', boolean()),
  withdrawn: described('Whether their publisher has withdrawn them', boolean()),
  published_since: described('Published on or after this date or timestamp', date()),
  published_until: described('Published on or before this date or timestamp. A date includes the whole day', date()),
  modified_since: described('Changed on or after this date or timestamp', date()),
  sort: sort(['published'], '-published'),
  ...paging,
  ...selection(ADVISORY_FIELDS),
}

export const listAdvisories = defineRoute<Context, Record<never, never>, typeof listQuery>({
  name: 'listAdvisories',
  path: '/advisories',
  summary: 'List advisories',
  description:
    'Returns the advisories of this service in short, also those without a CVE and withdrawn ones. The newest are first by default. Several databases may publish advisories about the same vulnerability: each is a row.',
  example: '/advisories?limit=2',
  params: { path: {}, query: listQuery },
  answer: advisoryPage,
  handle(context, { ecosystem, sort, limit, cursor, count, fields, ...filters }) {
    const { ecosystems } = context.snapshots.current.about
    const canonical = ecosystem && ecosystemOf(ecosystem, ecosystems, { suffixed: false })
    return listPage(context, {
      list: 'advisories',
      filters: listFilters('advisories', { ...filters, ecosystem: canonical }),
      sort,
      limit,
      cursor,
      count,
      fields,
    })
  },
})

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
