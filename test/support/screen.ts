/** What a terminal shows after it received some output. Knows the movements that a progress bar makes, and no others. */

const ESCAPE = '\x1b'
const PARTS = new RegExp(`${ESCAPE}\\[[\\d;?]*[A-Za-z]|${ESCAPE}.|.`, 'gsu')

/** @throws Error for an escape sequence that this terminal does not know, such as a hidden cursor */
export function screenOf(output: string): string[] {
  const lines = ['']
  let row = 0
  let column = 0
  for (const [part] of output.matchAll(PARTS)) {
    if (part === '\r') column = 0
    else if (part === '\n') {
      row++
      if (row === lines.length) lines.push('')
    } else if (part === '\x1b[1A') row = Math.max(0, row - 1)
    else if (part === '\x1b[K') lines[row] = lines[row]!.slice(0, column)
    else if (part.startsWith(ESCAPE)) throw new Error(`unknown escape sequence ${JSON.stringify(part)}`)
    else {
      lines[row] = lines[row]!.slice(0, column).padEnd(column) + part + lines[row]!.slice(column + 1)
      column++
    }
  }
  return lines
}
