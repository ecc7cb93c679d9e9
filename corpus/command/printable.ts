/** Prints foreign texts safely on a terminal. */

/** Returns the text with control and bidirectional characters escaped, except line breaks. */
export function printable(text: string): string {
  const written = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return text.replace(/(?!\n)[\p{Cc}\p{Bidi_C}]/gu, written)
}
