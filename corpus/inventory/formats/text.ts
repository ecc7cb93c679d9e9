/** Lines of text formats. */
import { assertLines } from '../bounds.ts'

/** Returns the lines, without their ends. @throws BoundError */
export function linesOf(text: string): string[] {
  assertLines(text)
  return text.split(/\r\n|\n|\r/)
}

/** Returns the number of the line of a position, from 1. */
export function lineAt(text: string, position: number): number {
  let line = 1
  for (const match of text.matchAll(/\r\n|\n|\r/g)) {
    if (match.index >= position) break
    line++
  }
  return line
}
