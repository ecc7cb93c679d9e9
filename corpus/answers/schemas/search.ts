/** Search results: the best hits of each type with their total, and suggestions across types. */
import { z } from 'zod'
import { DEFAULT_SEARCH_TYPES, SEARCH_TYPES, type SearchType } from '../../snapshot/index.ts'
import { count } from './values.ts'

const subtitle = z.string().describe('Facts in a few words, such as severity or number of CVEs')

const suggestion = z
  .strictObject({
    type: z.enum(SEARCH_TYPES).describe('Type of the result'),
    id: z.string().describe('Id. For a product: `<vendor_key>/<product_slug>`. For a package: `<ecosystem>/<name>`'),
    label: z.string().describe('Title or name. Without one, the id'),
    href: z
      .string()
      .startsWith('/')
      .describe(
        'Path for a link in a web interface, such as `/cves/CVE-2024-3400`. It is not always a path of this API',
      ),
    subtitle: subtitle.optional(),
  })
  .meta({
    id: 'Suggestion',
    description: 'Suggestion for a partial query. `subtitle` is present if `include` names it',
  })

const item = suggestion
  .extend({
    subtitle,
    score: z
      .number()
      .gt(0)
      .max(1)
      .describe(
        'Quality of the match. 1: exact id or key. The key of a product is its slug, that of a package its name. A CVE also has the ids of its advisories. 0.75: start of the id, key or label. 0.5: start of a word. 0.25: any other position',
      ),
  })
  .meta({ id: 'SearchItem', description: 'Search result' })

const eachType = <S extends z.ZodType>(schema: (type: string) => S) => ({
  ...(Object.fromEntries(DEFAULT_SEARCH_TYPES.map((type) => [type, schema(type)])) as Record<
    Exclude<SearchType, 'package'>,
    S
  >),
  package: schema('package').optional(),
})

export const searchResults = z
  .strictObject({
    results: z
      .strictObject(eachType((type) => z.array(item).max(25).describe(`Best results of type \`${type}\`, best first`)))
      .meta({
        id: 'SearchGroups',
        description:
          'Best results by type. A type is empty if nothing matches, or if it was not requested. `package` is present only if it was requested',
      }),
    counts: z
      .strictObject(eachType((type) => count.describe(`Number of all matches of type \`${type}\``)))
      .meta({ id: 'SearchCounts', description: 'Number of all matches by type. 0 for a type that was not requested' }),
  })
  .meta({ id: 'SearchResults', description: 'Results of a search' })

export const suggestions = z
  .strictObject({ suggestions: z.array(suggestion).max(15).describe('Best suggestions across types, best first') })
  .meta({ id: 'Suggestions', description: 'Suggestions for a partial query' })
