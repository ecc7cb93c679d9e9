import { readFileSync, writeFileSync } from 'node:fs'

/** Changes a byte of each occurrence of `text` in a file. In a `query.db`, texts are folded, and items are not. */
export function damageText(path: string, text: string): void {
  const bytes = readFileSync(path)
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes[at + 1]! ^= 4
  writeFileSync(path, bytes)
}
