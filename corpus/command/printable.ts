/** Texts of other people on a terminal. */

/** What a terminal may be shown of texts that others stated: control characters and turns of direction are written out. */
export function printable(text: string): string {
  const written = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return text.replace(/(?!\n)[\p{Cc}\p{Bidi_C}]/gu, written)
}
