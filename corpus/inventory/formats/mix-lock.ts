/** `mix.lock` of Mix: a map of Elixir, from the name of an application to a tuple that begins with the kind of its source. */
import { shortened } from '../../command/format.ts'
import { assertLines } from '../bounds.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { lineAt } from './text.ts'

export function parseMixLock(text: string): Inventory {
  const found = new InventoryBuilder()
  for (const { key, fields, line } of entriesOf(text)) {
    const [kind, name, version] = fields
    // `{:hex, :name, "1.0.0", …}`. The package can have another name than the application.
    if (kind === ':hex' && name?.startsWith(':') && version?.startsWith('"')) {
      found.add('Hex', unquoted(name.slice(1)), unquoted(version), { line })
    } else if (kind === ':path') found.skip(key, 'local', line)
    else found.skip(key, kind === ':git' ? 'no-version' : 'malformed', line)
  }
  return found
}

interface Entry {
  key: string
  /** Atoms, texts and other words of the tuple, as written. Empty for another value. */
  fields: string[]
  line: number
}

interface Token {
  text: string
  line: number
}

const CLOSING: Readonly<Record<string, string>> = { '%{': '}', '{': '}', '[': ']' }

/** Mix writes five levels. */
const MAX_LEVELS = 100

function* entriesOf(text: string): Generator<Entry> {
  const tokens = tokensOf(text)
  const next = (): Token => {
    const { value } = tokens.next()
    if (value === undefined) throw new FormatError('it ends early', lineAt(text, text.length))
    return value
  }
  const start = tokens.next().value
  if (start?.text !== '%{') throw unexpected(start, "'%{'")
  for (let token = next(); token.text !== '}'; token = next()) {
    const key = token.text.replace(/:$/, '')
    if (!/^["\p{L}_]/u.test(key)) throw unexpected(token, 'the name of an application')
    if (key === token.text && next().text !== '=>') throw unexpected(token, "a name with ':' or '=>'")
    const { fields, end } = fieldsOf(next)
    yield { key: unquoted(key), fields, line: token.line }
    if (end.text === '}') break
  }
  const { value: rest } = tokens.next()
  if (rest !== undefined) throw unexpected(rest, 'the end of the file')
}

/** Reads a value, and what follows it: a comma or the end of the map. */
function fieldsOf(next: () => Token): { fields: string[]; end: Token } {
  const fields: string[] = []
  const open: string[] = []
  let isTuple = false
  for (let token = next(); ; token = next()) {
    const { text, line } = token
    if (open.length === 0 && (text === ',' || text === '}')) return { fields, end: token }
    const closing = CLOSING[text]
    if (closing !== undefined) {
      if (open.length === 0) isTuple = text === '{'
      if (open.push(closing) > MAX_LEVELS) throw new FormatError('it is nested too deep', line)
    } else if (text === '}' || text === ']') {
      if (open.pop() !== text) throw unexpected(token, 'the end of what is open')
    } else if (open.length === 1 && isTuple && text !== ',') fields.push(text)
  }
}

const unexpected = (token: Token | undefined, wanted: string) =>
  new FormatError(
    `${token ? `'${shortened(token.text, 60)}' is` : 'the end of the file is'} not ${wanted}`,
    token?.line ?? 1,
  )

/** Blanks and line ends, or a comment. */
const BETWEEN = /\s+|#[^\r\n]*/y
/** A bracket, a comma or an arrow; a number, an atom or a name, with the colon of a key. Texts in quotes are apart. */
const TOKEN = /%?\{|[}[\],]|=>|:?[\p{L}\p{N}_.@?!~*+-]+:?/uy

/** Returns the tokens. A text keeps its quotes; the colon of an atom or key belongs to it. @throws FormatError */
function* tokensOf(text: string): Generator<Token, undefined> {
  assertLines(text)
  let line = 1
  let counted = 0
  for (let at = skipBlanks(text, 0); at < text.length; ) {
    for (; counted < at; counted++) if (isLineEnd(text, counted)) line++
    const end = text[at] === '"' || text.startsWith(':"', at) ? endOfText(text, at, line) : endOfToken(text, at, line)
    yield { text: text.slice(at, end), line }
    at = skipBlanks(text, end)
  }
}

const isLineEnd = (text: string, at: number) => text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n')

function skipBlanks(text: string, at: number): number {
  let end = at
  for (BETWEEN.lastIndex = at; BETWEEN.test(text); ) end = BETWEEN.lastIndex
  return end
}

function endOfToken(text: string, at: number, line: number): number {
  TOKEN.lastIndex = at
  if (!TOKEN.test(text))
    throw new FormatError(`'${shortened(text.slice(at, at + 20).trim(), 20)}' is not a term of Elixir`, line)
  return TOKEN.lastIndex
}

function endOfText(text: string, start: number, line: number): number {
  for (let at = text.indexOf('"', start) + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return text[at + 1] === ':' ? at + 2 : at + 1
  }
  throw new FormatError('a text does not end', line)
}

const unquoted = (text: string): string => /^"(.*)"$/s.exec(text)?.[1] ?? text
