/** Bounds of Markdown. Beyond them a text is shown as plain text. Real texts have at most 30,000 characters. */

/** Characters of a text that is read as Markdown: the limit of GitHub. */
export const MOST_CHARACTERS = 65_536
/** Characters of the HTML, which the page sanitizes and shows at once. Real texts have at most 32,000. */
export const MOST_HTML_CHARACTERS = 131_072
/** Cells of a table. A short row gets the cells that it lacks, so a short text could have millions. */
export const MOST_CELLS = 10_000
/** Elements in each other. The parser of a browser takes minutes for thousands. Real texts have at most 7. */
export const MOST_DEPTH = 100
/** Time in the worker, in ms. Real texts take less than 50 ms on a desktop. */
export const DEADLINE_MS = 1_000

/** Why a text is shown as plain text. */
export type PlainReason = 'long' | 'large' | 'deep' | 'slow' | 'unavailable'

export type MarkdownResult = { html: string } | { plain: PlainReason }
