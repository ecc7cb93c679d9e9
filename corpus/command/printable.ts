/** Prints foreign texts safely on a terminal. */

/**
 * Control characters, turns of direction, ends of lines: what a terminal or a person would take for something else. And
 * the beginning of `##[` or `##vso[`, which CI runners take for a command anywhere in a line.
 */
const UNSEEN = /[\p{Cc}\p{Bidi_C}\p{Zl}\p{Zp}]|#(?=#\w*\[)/gu

/** As JSON writes it. */
const written = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Escapes control characters, except line feeds, in foreign text before a terminal shows it. */
export function printable(text: string): string {
  return text.replace(UNSEEN, (character) => (character === '\n' ? character : written(character)))
}

/** The same of a text that is one line: its line feeds are written out as well. */
export const printableLine = (text: string): string => text.replace(UNSEEN, written)

/** Lines of a report, each of which may have a text of others in it. */
export const printableLines = (lines: readonly string[]): string => lines.map(printableLine).join('\n')

/** A value as JSON that a terminal may be shown: JSON reads `\u009b` as the character that it stands for. */
export const printableJson = (value: unknown, indent = 0): string => printable(JSON.stringify(value, null, indent))
