/** `requirements.txt` of pip. Only pinned requirements name a version. */
import { shortened } from '../../command/format.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { linesOf } from './text.ts'

/** PEP 508: a name, extras, and what follows it. */
const REQUIREMENT = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(.*)$/s
/** PEP 440: `==1.0` or `===1.0`, without a wildcard. Other clauses can stand beside it. */
const PIN = /(?:^|[,(\s])===?\s*([^\s,;()*]+)\s*(?=$|[,;)\s])/

export function parseRequirements(text: string): Inventory {
  const found = new InventoryBuilder()
  for (const { words, line } of logicalLines(text)) {
    if (/^(?:-r|-c|--requirement|--constraint)\b/.test(words)) found.skip(words, 'not-followed', line)
    else if (/^(?:-e|--editable)\b/.test(words)) found.skip(words, isAddress(words) ? 'no-version' : 'local', line)
    else if (!words.startsWith('-')) addRequirement(found, words, line)
  }
  return found
}

const isAddress = (words: string) => words.includes('://')

function addRequirement(found: InventoryBuilder, words: string, line: number): void {
  // Options and hashes follow the requirement.
  const requirement = words.split(/\s--?[a-z]/, 1)[0]!.trim()
  const [, name, rest = ''] = REQUIREMENT.exec(requirement) ?? []
  if (/^[.~/]|^file:|^[A-Za-z]:\\/.test(requirement)) found.skip(requirement, 'local', line)
  else if (isAddress(requirement.split(';', 1)[0]!) || rest.startsWith('@')) {
    found.skip(name !== undefined && rest.startsWith('@') ? name : requirement, 'no-version', line)
  } else if (name === undefined || !/^(?:$|[<>=!~;(])/.test(rest)) {
    throw new FormatError(`'${shortened(requirement, 60)}' is not a requirement`, line)
  } else {
    const version = PIN.exec(rest.split(';', 1)[0]!)?.[1]
    if (version === undefined) found.skip(requirement, 'not-pinned', line)
    else found.add('PyPI', name, version, { line })
  }
}

/** Joins lines that end with a backslash. Removes comments and empty lines. */
function* logicalLines(text: string): Generator<{ words: string; line: number }> {
  let parts: string[] = []
  let first = 0
  for (const [i, line] of [...linesOf(text), ''].entries()) {
    if (parts.length === 0) first = i + 1
    const isComment = /^\s*#/.test(line)
    const continues = !isComment && line.endsWith('\\')
    parts.push(isComment ? '' : (continues ? line.slice(0, -1) : line).replace(/(^|\s)#.*$/, ''))
    if (continues) continue
    const words = parts.join(' ').trim()
    parts = []
    if (words !== '') yield { words, line: first }
  }
}
