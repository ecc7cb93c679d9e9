/** What a search finds: the best of each type with their number, and suggestions across types. */
import { z } from 'zod'
import { SEARCH_TYPES } from '../../../corpus/snapshot/query/sets.ts'
import { count } from './values.ts'

const suggestion = z
  .strictObject({
    type: z.enum(SEARCH_TYPES).describe('What kind of thing it is'),
    id: z.string().describe('Its id; of products `<vendor_key>/<product_slug>`'),
    label: z.string().describe('Its title, name or display; the id where there is none'),
    href: z.string().startsWith('/').describe('Where it is shown: a relative link within the app'),
  })
  .meta({ id: 'Suggestion', description: 'Something that a partial query may mean' })

const item = suggestion
  .extend({
    subtitle: z.string().describe('A few words about it'),
    score: z
      .number()
      .gt(0)
      .max(1)
      .describe('How well it matches: 1 an exact id, 0.75 the beginning of id or label, 0.5 of a word, 0.25 elsewhere'),
  })
  .meta({ id: 'SearchItem', description: 'Something that was found' })

const eachType = <S extends z.ZodType>(schema: (type: string) => S) =>
  Object.fromEntries(SEARCH_TYPES.map((type) => [type, schema(type)])) as Record<(typeof SEARCH_TYPES)[number], S>

export const searchResults = z
  .strictObject({
    results: z
      .strictObject(eachType((type) => z.array(item).max(25).describe(`The best of type \`${type}\`, best first`)))
      .meta({
        id: 'SearchGroups',
        description: 'The best of each type; empty where nothing matches or it was not asked for',
      }),
    counts: z
      .strictObject(eachType((type) => count.describe(`The number of matches of type \`${type}\``)))
      .meta({ id: 'SearchCounts', description: 'The number of all matches of each type; 0 for types not asked for' }),
  })
  .meta({ id: 'SearchResults', description: 'What a search found' })

export const suggestions = z
  .strictObject({ suggestions: z.array(suggestion).max(15).describe('The best across types, best first') })
  .meta({ id: 'Suggestions', description: 'What a partial query may mean' })
