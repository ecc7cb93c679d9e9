/** Searches a folder for lock files and SBOMs. */
import { type Dirent, existsSync, readdirSync } from 'node:fs'
import { dirname, posix, relative, resolve, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { counted } from '../../corpus/command/format.ts'
import type { NotChecked } from '../../corpus/inventory/findings.ts'
import { isReadFile, toolOfManifest, toolsOfLock, unreadFile } from '../../corpus/inventory/formats/table.ts'
import { compareText } from '../../corpus/model/sources.ts'
import { readRegularFile } from '../../corpus/runtime/regular-file.ts'
import type { UnreadableFile } from './read.ts'

export interface FoundFiles {
  /** Files whose format is read, with the path of the folder as the user typed it. By path. */
  files: string[]
  /** Files of formats that are not read; the folder itself if nothing in it is read. */
  notChecked: NotChecked[]
  /** Folders that cannot be read. */
  unreadable: UnreadableFile[]
}

/** Packages that tools copied there. Lock files name them. */
const SKIPPED = ['.git', 'node_modules', 'vendor']

/** Size of a `.gitignore`, in bytes. */
const MAX_PATTERNS = 1 << 20

/** Patterns that apply to the files below a folder. */
interface Rules {
  /** The absolute path of the folder. */
  base: string
  patterns: Ignore
}

/**
 * Returns the files that formats know by name. Symbolic links are not followed.
 * @param excluded patterns as in a .gitignore file in the folder
 */
export function searchFolder(folder: string, excluded: readonly string[]): FoundFiles {
  const found: FoundFiles = { files: [], notChecked: [], unreadable: [] }
  const root = resolve(folder)
  const always: Rules = { base: root, patterns: ignore().add([...excluded]) }
  /** Known files that a pattern excludes. */
  let left = 0
  /** `above` has the tools with a lock file in a folder above, up to `root`. */
  const visit = (path: string, rules: readonly Rules[], above: readonly string[]) => {
    const absolute = resolve(root, path)
    const shown = path === '' ? folder : posix.join(folder, path)
    let entries: Dirent[]
    try {
      entries = readdirSync(absolute, { withFileTypes: true }).sort((a, b) => compareText(a.name, b.name))
    } catch (cause) {
      found.unreadable.push({ file: shown, message: `cannot read the folder ${shown}: ${(cause as Error).message}` })
      return
    }
    const own = [...rules, ...rulesIn(absolute)]
    const isExcluded = (entry: Dirent) => isIgnored(absolute, entry, [always]) || isIgnored(absolute, entry, own)
    const files = entries.filter((entry) => entry.isFile())
    const locked = [...new Set([...above, ...files.flatMap(({ name }) => toolsOfLock(name))])]
    for (const file of files) {
      const { name } = file
      const isRead = isReadFile(name, resolve(absolute, name)) && !isSuperseded(name, files)
      const reason = isRead ? null : notReadReason(name, locked)
      if (!isRead && reason === null) continue
      if (isExcluded(file)) left++
      else if (isRead) found.files.push(posix.join(shown, name))
      else found.notChecked.push({ ...wholeFile(posix.join(shown, name)), name, reason: reason! })
    }
    for (const entry of entries) {
      if (!entry.isDirectory() || SKIPPED.includes(entry.name) || isExcluded(entry)) continue
      visit(posix.join(path, entry.name), own, locked)
    }
  }
  visit('', rulesAbove(root), [])
  if (found.files.length === 0) {
    const excludedText = left === 0 ? '' : `; ${counted(left, 'file')} excluded`
    found.notChecked.push({
      ...wholeFile(folder),
      name: folder,
      reason: `no lock file or SBOM in this folder${excludedText}`,
    })
  }
  return found
}

const wholeFile = (file: string) => ({ file, version: null, line: null })

/** pip-compile writes the versions in use into a file beside `requirements.in`. */
const isSuperseded = (name: string, files: readonly Dirent[]) =>
  name.endsWith('.in') && files.some((other) => other.name === `${name.slice(0, -'.in'.length)}.txt`)

/** Null if the file is no manifest or lock file, or if a lock file beside or above it has its versions. */
function notReadReason(name: string, locked: readonly string[]): string | null {
  const tool = toolOfManifest(name)
  return tool !== null && locked.includes(tool) ? null : unreadFile(name)
}

function rulesIn(folder: string): Rules[] {
  try {
    return [
      { base: folder, patterns: ignore().add(readRegularFile(resolve(folder, '.gitignore'), MAX_PATTERNS).toString()) },
    ]
  } catch {
    // There is none, or it cannot be read: then more files are checked.
    return []
  }
}

/** Those of the repository that the folder is in, from its root. */
function rulesAbove(folder: string): Rules[] {
  const parents: string[] = []
  for (let at = folder; !existsSync(resolve(at, '.git')); parents.unshift(at)) {
    const parent = dirname(at)
    if (parent === at) return []
    at = parent
  }
  return parents.flatMap(rulesIn)
}

/** The rules of the deepest folder count, and there the last pattern (gitignore(5)). */
function isIgnored(folder: string, entry: Dirent, rules: readonly Rules[]): boolean {
  for (const { base, patterns } of rules.toReversed()) {
    const path = relative(base, resolve(folder, entry.name)).split(sep).join('/')
    const { ignored, unignored } = patterns.test(entry.isDirectory() ? `${path}/` : path)
    if (ignored || unignored) return ignored
  }
  return false
}
