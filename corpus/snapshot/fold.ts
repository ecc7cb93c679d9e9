/** How text is compared in searches: one function, for what is searched and for what is searched in (decisions 5). */

/** Lower case by Unicode's own rules, whatever the locale; `%`, `_` and accents are ordinary characters. */
export const fold = (text: string): string => text.toLowerCase()
