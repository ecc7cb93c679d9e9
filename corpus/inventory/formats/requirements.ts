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
    if (/^(?:-[rc]|--(?:requirement|constraint)(?=[\s=]|$))/.test(words)) found.skip(words, 'not-followed', line)
    else if (/^(?:-e|--editable(?=[\s=]|$))/.test(words))
      found.skip(words, isAddress(words) ? 'no-version' : 'local', line)
    else if (!words.startsWith('-')) addRequirement(found, words, line)
  }
  const { components, skipped } = found
  const [fault] = skipped
  if (components.length === 0 && fault && skipped.every(({ reason }) => reason === 'malformed')) {
    throw new FormatError(`'${shortened(fault.name, 60)}' is not a requirement`, fault.line)
  }
  return found
}

/** pip replaces it ("Using environment variables"). */
const VARIABLE = /\$\{[A-Z0-9_]+\}/

const isAddress = (words: string) => words.includes('://')

function addRequirement(found: InventoryBuilder, words: string, line: number): void {
  // Options and hashes follow the requirement.
  const requirement = words.split(/\s--?[a-z]/, 1)[0]!.trim()
  const [, name, rest = ''] = REQUIREMENT.exec(requirement) ?? []
  if (VARIABLE.test(requirement)) found.skip(requirement, 'variable', line)
  else if (/^[.~/]|^file:|^[A-Za-z]:\\/.test(requirement)) found.skip(requirement, 'local', line)
  else if (isAddress(requirement.split(';', 1)[0]!) || rest.startsWith('@')) {
    found.skip(name !== undefined && rest.startsWith('@') ? name : requirement, 'no-version', line)
  } else if (name === undefined || !/^(?:$|[<>=!~;(])/.test(rest)) {
    found.skip(requirement, 'malformed', line)
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
    parts.push(isComment ? '' : (continues ? line.slice(0, -1) : line).replace(/(^|\s)#.*$/s, ''))
    if (continues) continue
    const words = parts.join(' ').trim()
    parts = []
    if (words !== '') yield { words, line: first }
  }
}
