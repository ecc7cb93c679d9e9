/** The shortened answers in gateway/API.md. */

const MAX_LINES = 12
const WIDTH = 120
const MAX_TEXT = 60
const LEFT_OUT = '…'

/** The largest number of members of an object, by depth: of the answer, of its members and rows, and of deeper objects. */
type Limits = readonly [number, ...number[]]

const LIMITS: readonly Limits[] = [40, 12, 8, 6, 5, 4, 3].flatMap((answer) =>
  [40, 20, 16, 12, 10, 8, 6, 5, 4, 3].flatMap((member) =>
    [40, 8, 6, 4, 3, 2].map((deep): Limits => [answer, member, deep]),
  ),
)

/**
 * Returns an answer as indented JSON of at most 12 lines of 120 characters. `…` stands for left-out rows, members and ends
 * of texts. Of all such forms it is the one with the most content.
 * @param leftOut names of members to leave out first
 */
export function shortenedAnswer(answer: unknown, leftOut: readonly string[] = []): string {
  const value = without(leftOut, answer)
  const forms = LIMITS.map((limits) => linesOf(value, limits, 0)).filter(({ length }) => length <= MAX_LINES)
  const content = (lines: readonly string[]) => lines.join('').replace(/[\s…]/g, '').length
  const [best] = forms.sort((a, b) => content(b) - content(a))
  if (!best) throw new Error(`no form of the answer has at most ${MAX_LINES} lines: ${JSON.stringify(answer)}`)
  return best.join('\n')
}

/** Returns the lines of a value, which follows `used` characters of its first line. Only the first line has no indent. */
function linesOf(value: unknown, limits: Limits, depth: number, used = 0): string[] {
  const compact = compactOf(value, limits)
  const isPlain = typeof value !== 'object' || value === null
  if (isPlain || (depth > 0 && 2 * depth + used + compact.length + 2 <= WIDTH)) return [compact]
  const isList = Array.isArray(value)
  const members = isList
    ? firstOf(value).map((item) => (item === LEFT_OUT ? [LEFT_OUT] : linesOf(item, limits, depth + 1)))
    : membersOf(value, limits).map(([name, member]) => {
        if (name === LEFT_OUT) return [LEFT_OUT]
        const [first, ...rest] = linesOf(member, innerOf(limits), depth + 1, name.length + 4)
        return [`"${name}": ${first}`, ...rest]
      })
  const indent = '  '.repeat(depth)
  return [isList ? '[' : '{', ...joined(members, `${indent}  `), `${indent}${isList ? ']' : '}'}`]
}

const innerOf = ([outer, ...inner]: Limits): Limits => (inner.length === 0 ? [outer] : (inner as unknown as Limits))

/** Puts members of one line side by side, as many as fit. */
function joined(members: readonly string[][], indent: string): string[] {
  const lines: string[] = []
  let open = false
  members.forEach((member, i) => {
    const end = i < members.length - 1 ? ',' : ''
    const [first = ''] = member
    const isShort = member.length === 1
    if (isShort && open && fits(`${lines.at(-1)} ${first}${end}`)) lines[lines.length - 1] += ` ${first}${end}`
    else {
      lines.push(`${indent}${first}${isShort ? end : ''}`, ...member.slice(1, -1))
      if (!isShort) lines.push(`${member.at(-1)}${end}`)
    }
    open = isShort
  })
  return lines
}

function compactOf(value: unknown, limits: Limits): string {
  if (typeof value === 'string' && value.length > MAX_TEXT) return JSON.stringify(value.slice(0, MAX_TEXT) + LEFT_OUT)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) {
    return `[${firstOf(value)
      .map((item) => (item === LEFT_OUT ? LEFT_OUT : compactOf(item, limits)))
      .join(', ')}]`
  }
  const members = membersOf(value, limits).map(([name, member]) =>
    name === LEFT_OUT ? LEFT_OUT : `"${name}": ${compactOf(member, innerOf(limits))}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

const fits = (line: string) => line.length <= WIDTH

/** Keeps three plain values, or one object. */
function firstOf(items: readonly unknown[]): unknown[] {
  const most = typeof items[0] === 'object' ? 1 : 3
  return items.length > most ? [...items.slice(0, most), LEFT_OUT] : [...items]
}

/** Keeps the first members and the last one. */
function membersOf(value: object, [most]: Limits): [string, unknown][] {
  const members = Object.entries(value)
  if (members.length <= most) return members
  return [...members.slice(0, most - 1), [LEFT_OUT, null], members.at(-1)!]
}

function without(names: readonly string[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => without(names, item))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value)
  return Object.fromEntries(
    members.map(([name, member]) => (names.includes(name) ? [LEFT_OUT, null] : [name, without(names, member)])),
  )
}
