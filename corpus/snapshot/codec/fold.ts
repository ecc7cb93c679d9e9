/** The one case-folding function of searches, for both query and data (rule 5). */

/**
 * Returns `text` in lower case by Unicode rules, independent of locale; `%`, `_` and accents are ordinary characters.
 * Characters fold independently, so that substrings stay substrings. The context rule for the final sigma
 * (SpecialCasing.txt) is undone. Lone surrogates become U+FFFD, because UTF-8 cannot encode them.
 */
export const fold = (text: string): string => text.toWellFormed().toLowerCase().replaceAll('ς', 'σ')
