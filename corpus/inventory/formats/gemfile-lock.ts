/** `Gemfile.lock` of Bundler. */
import { shortened } from '../../command/format.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { linesOf } from './text.ts'

/** Sections with the gems of one source each, below `specs:`. */
const SOURCES = ['GEM', 'GIT', 'PATH', 'PLUGIN SOURCE']
/** Sections of a file without gems. */
const OTHERS = ['PLATFORMS', 'DEPENDENCIES', 'RUBY VERSION', 'CHECKSUMS', 'BUNDLED WITH']

/** A gem has four blanks, its requirements six. The version of a compiled gem ends with its platform. */
export function parseGemfileLock(text: string): Inventory {
  const found = new InventoryBuilder()
  let section = ''
  // Bundler writes an empty file for an empty Gemfile.
  let isKnown = text.trim() === ''
  let inSpecs = false
  for (const [i, line] of linesOf(text).entries()) {
    if (/^\S/.test(line)) {
      section = line.trimEnd()
      if (/^[<=>]{7}/.test(section)) throw new FormatError('it has a conflict of a merge', i + 1)
      isKnown ||= SOURCES.includes(section) || OTHERS.includes(section)
      inSpecs = false
    } else if (line.trimEnd() === '  specs:') inSpecs = SOURCES.includes(section)
    else if (inSpecs && /^ {4}\S/.test(line)) {
      const [, name, version] = /^ {4}(\S+) \(([^()\s-]+)(?:-[^()\s]+)?\)\s*$/.exec(line) ?? []
      if (name === undefined)
        throw new FormatError(`'${shortened(line.trim(), 60)}' is not a gem with its version`, i + 1)
      if (section === 'PATH') found.skip(name, 'local', i + 1)
      else found.add('RubyGems', name, version, { line: i + 1 })
    }
  }
  if (!isKnown) throw new FormatError(`it has none of the sections ${SOURCES.join(', ')}`, 1)
  return found
}
