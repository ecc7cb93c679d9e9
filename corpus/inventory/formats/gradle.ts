/** Files of Gradle: `gradle.lockfile`, and `verification-metadata.xml`. */
import { shortened } from '../../command/format.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { linesOf } from './text.ts'
import { childrenOf, parseXml } from './xml.ts'

/**
 * Lines `group:name:version=configurations`. The files of Gradle 6 and older, one for each configuration, have no
 * configurations in the lines.
 */
export function parseGradleLockfile(text: string): Inventory {
  const found = new InventoryBuilder()
  for (const [i, line] of linesOf(text).entries()) {
    const words = line.trim()
    // Configurations without packages.
    if (words === '' || words.startsWith('#') || words.startsWith('empty=')) continue
    const [, name, version, configurations] = /^([^\s:=]+:[^\s:=]+):([^\s:=]+)(?:=(\S*))?$/.exec(words) ?? []
    if (name === undefined) found.skip(words, 'malformed', i + 1)
    else found.add('Maven', name, version, { line: i + 1, dev: isForTests(configurations) })
  }
  const [fault] = found.skipped
  if (fault && found.components.length === 0) {
    throw new FormatError(`'${shortened(fault.name, 60)}' is not a package with its version`, fault.line)
  }
  return found
}

/** `testRuntimeClasspath`, and `debugUnitTestCompileClasspath` of Android. */
const isForTests = (configurations: string | undefined): boolean | null =>
  configurations ? configurations.split(',').every((one) => /^test|Test[A-Z]/.test(one)) : null

/** Packages of which Gradle checks the files: those of all builds since the file was begun. */
export function parseGradleVerification(text: string): Inventory {
  const root = parseXml(text)
  if (root.name !== 'verification-metadata') {
    throw new FormatError('its root element is not <verification-metadata>', root.line)
  }
  const found = new InventoryBuilder()
  const components = childrenOf(root, 'components').flatMap((list) => childrenOf(list, 'component'))
  for (const { attributes, line } of components) {
    const [group, name] = [attributes.get('group'), attributes.get('name')]
    if (!group || !name) throw new FormatError('a component has no group or no name', line)
    found.add('Maven', `${group}:${name}`, attributes.get('version'), { line })
  }
  return found
}
