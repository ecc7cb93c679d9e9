/**
 * Bounds of lock files and SBOMs. They are counted in the text, before a parser builds anything: parsers take up to 1 KB of
 * memory for one character. Each is several times what the largest files of real projects and images have.
 */
import { grouped } from '../command/format.ts'
import { BoundError } from './error.ts'

/** Lines of a text format. A `yarn.lock` of 10,000 packages has 100,000. */
export const MAX_LINES = 1_000_000

/** Keys and values of JSON. An SBOM with 50 MB has 2 million. */
export const MAX_JSON_VALUES = 10_000_000

/** Characters of YAML. Lock files of 10,000 packages have 4 MB. */
export const MAX_YAML_CHARACTERS = 16 << 20

/** Words and punctuation of YAML. A `pnpm-lock.yaml` of 10,000 packages has 600,000. Each takes up to 1 KB. */
export const MAX_YAML_TOKENS = 1_000_000

/** Punctuation of TOML: a `poetry.lock` with 3 MB has 250,000. Each takes up to 500 bytes. */
export const MAX_TOML_TOKENS = 1_500_000

/** Elements and attributes of XML. An SBOM with 50 MB has 1 million. Each takes up to 300 bytes. */
export const MAX_XML_NODES = 3_000_000

/** Levels of elements in elements. A CycloneDX file has ten, and two for each component inside another one. */
export const MAX_XML_LEVELS = 1000

/** Uses of properties in a pom.xml. One of 5 MB has 100,000. */
export const MAX_PROPERTY_USES = 1_000_000

/** Packages and skipped entries. SBOMs of large images have 100,000 files and packages. */
export const MAX_ENTRIES = 500_000

/** Rows of `/affected` for all packages of a file. An image with several kernels has 20,000. Each takes 1 KB. */
export const MAX_ROWS = 250_000

const [LINE_FEED, RETURN, SPACE, QUOTE, BACKSLASH] = [0x0a, 0x0d, 0x20, 0x22, 0x5c]
const [COMMA, COLON, OPEN_LIST, OPEN_OBJECT] = [0x2c, 0x3a, 0x5b, 0x7b]

/** @throws BoundError */
export function assertCount(count: number, most: number, what: string): void {
  if (count > most) throw new BoundError(`it has more than ${grouped(most)} ${what}, the limit`)
}

/** @throws BoundError */
export function assertLines(text: string): void {
  let lines = 1
  let before = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === RETURN || (code === LINE_FEED && before !== RETURN)) assertCount(++lines, MAX_LINES, 'lines')
    before = code
  }
}

/**
 * Counts outside strings. Of a text that is no JSON, what precedes the fault is counted, and no parser builds more.
 * @throws BoundError
 */
export function assertJson(text: string): void {
  let values = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfText(text, at)
    else if (code === COMMA || code === COLON || code === OPEN_LIST || code === OPEN_OBJECT)
      assertCount(++values, MAX_JSON_VALUES, 'keys and values')
  }
}

/** Returns the position of the closing quote, or of the end of the text. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at
  }
  return text.length
}

/** Counts in comments and strings too: a parser of its own would be needed to know them. A comma separates an item. */
export function assertYaml(text: string): void {
  if (text.length > MAX_YAML_CHARACTERS) {
    throw new BoundError(`it is larger than ${MAX_YAML_CHARACTERS >> 20} MiB, the limit for YAML`)
  }
  let tokens = 0
  let inWord = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === LINE_FEED || code === RETURN || YAML_PUNCTUATION.has(code)) {
      tokens += code === COMMA ? 2 : 1
      inWord = false
    } else if (code <= SPACE) inWord = false
    else if (!inWord) {
      inWord = true
      tokens++
    } else continue
    assertCount(tokens, MAX_YAML_TOKENS, 'tokens of YAML')
  }
}

const codes = (characters: string) => new Set(Array.from(characters, (one) => one.charCodeAt(0)))
const YAML_PUNCTUATION = codes('[]{},"\'')
const TOML_PUNCTUATION = codes('[]{},=.\n')

/** As `assertYaml`. Dotted keys are tables in tables. */
export function assertToml(text: string): void {
  let tokens = 0
  for (let at = 0; at < text.length; at++) {
    if (TOML_PUNCTUATION.has(text.charCodeAt(at))) assertCount(++tokens, MAX_TOML_TOKENS, 'tokens of TOML')
  }
}
