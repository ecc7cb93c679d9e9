/** How text is compared in searches: one function, for what is searched and for what is searched in (rule 5). */

/**
 * Lower case by Unicode's own rules, whatever the locale; `%`, `_` and accents are ordinary characters. Each character
 * folds by itself, so that what is part of a text is part of its folded form: the one rule of Unicode that looks at the
 * neighbours, the final sigma (SpecialCasing.txt), is undone. Half of a surrogate pair, which no UTF-8 can hold, is U+FFFD.
 */
export const fold = (text: string): string => text.toWellFormed().toLowerCase().replaceAll('ς', 'σ')
