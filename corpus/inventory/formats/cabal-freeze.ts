/** `cabal.project.freeze` of Cabal: the field `constraints` has the version of each package. */
import { shortened } from '../../command/format.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { linesOf } from './text.ts'

/** Fields that `cabal freeze` writes. */
const FIELDS = ['constraints', 'active-repositories', 'index-state', 'with-compiler']

/** The other parts of a project file (Cabal, "cabal.project reference"). */
const STANZA = /^(?:package|program-options|repository|source-repository-package|if|elif|else)\b/

/** A qualifier (`any.`, `setup.`, `name:setup.`), a name, and what is required of it. */
const CONSTRAINT = /^(?:any\.|(?:[A-Za-z0-9-]+:)?setup\.)?([A-Za-z0-9-]+)(?:\s+(.*)|((?:==|[<>^]).*))$/s
const PIN = /^==\s*(\d+(?:\.\d+)*)$/
/** Flags and stanzas state no version. */
const NO_VERSION = /^(?:[+-]\S+(?:\s+[+-]\S+)*|source|test|bench)$/

export function parseCabalFreeze(text: string): Inventory {
  const found = new InventoryBuilder()
  let isKnown = false
  for (const { words, line } of constraintsOf(text, () => (isKnown = true))) {
    const [, name, after, attached] = CONSTRAINT.exec(words) ?? []
    const wanted = (after ?? attached ?? '').trim()
    if (name === undefined) found.skip(words, 'malformed', line)
    else if (wanted === 'installed') found.skip(name, 'no-version', line)
    else if (!NO_VERSION.test(wanted)) {
      // The build has each version of a choice.
      const versions = wanted.split('||').map((one) => PIN.exec(one.trim())?.[1])
      if (versions.includes(undefined)) found.skip(words, 'not-pinned', line)
      else for (const version of versions) found.add('Hackage', name, version, { line })
    }
  }
  if (!isKnown) throw new FormatError(`it has none of the fields ${FIELDS.join(', ')}`, 1)
  return found
}

/** Returns the items of `constraints`. Calls `known` for a field of the format. Fields of a stanza do not count. */
function* constraintsOf(text: string, known: () => void): Generator<{ words: string; line: number }> {
  let inConstraints = false
  for (const [i, line] of linesOf(text).entries()) {
    if (/^\s*(?:--.*)?$/s.test(line)) continue
    let rest = line
    if (/^\S/.test(line)) {
      const [, field = '', value = ''] = /^([A-Za-z-]+)\s*:(.*)$/s.exec(line) ?? []
      if (field === '' && !STANZA.test(line)) {
        throw new FormatError(`'${shortened(line.trim(), 60)}' is neither a field nor a stanza`, i + 1)
      }
      if (FIELDS.includes(field.toLowerCase())) known()
      inConstraints = field.toLowerCase() === 'constraints'
      rest = value
    }
    if (!inConstraints) continue
    for (const item of rest.split(',')) {
      const words = item.trim()
      if (words !== '') yield { words, line: i + 1 }
    }
  }
}
