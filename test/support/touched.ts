/** Which test files a change touches: those that import a changed file, or name it as a file that they read or start. */
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
/** The test of all regular expressions. */
const PATTERNS = 'test/growth/patterns.long.test.ts'
/** A change of these can change any test. */
const EVERYTHING = /^(?:package(?:-lock)?\.json|tsconfig\.json)$/

/** Returns the files that differ from a commit, and new ones, as paths from the root of the checkout. */
export function changedSince(base: string): string[] {
  const lines = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean)
  return [
    ...lines('diff', '--name-only', '--relative', base, '--'),
    ...lines('ls-files', '--others', '--exclude-standard'),
  ]
}

/** Returns the files of a list that a change of other files touches. All paths are relative to the root. */
export function touchedBy(changed: readonly string[], files: readonly string[]): string[] {
  if (changed.some((path) => EVERYTHING.test(path))) return [...files]
  const hasDocument = changed.some((path) => path.endsWith('.md'))
  const hasSource = changed.some((path) => /^(?:builder|corpus|gateway)\/.*\.tsx?$/.test(path))
  return files.filter((file) => {
    // These read every document.
    if (hasDocument && file.startsWith('test/docs/')) return true
    // It reads every source.
    if (hasSource && file === PATTERNS) return true
    const read = readBy(file)
    return changed.some((path) => read.has(path))
  })
}

/** Returns the file itself and all that it names, directly or by others. */
export function readBy(file: string): Set<string> {
  const found = new Set([file])
  for (const one of found) for (const next of namedIn(one)) found.add(next)
  return found
}

const named = new Map<string, string[]>()

/** A text in quotes that is the path of a file, from the folder of the source or from the root. */
function namedIn(file: string): string[] {
  if (!/\.[jt]sx?$/.test(file)) return []
  const known = named.get(file)
  if (known) return known
  const texts = Array.from(
    readFileSync(join(ROOT, file), 'utf8').matchAll(/['"`]([\w./-]+\.\w+)['"`]/g),
    ([, text]) => text!,
  )
  const paths = texts.flatMap((text) => [relative(ROOT, join(ROOT, dirname(file), text)), text])
  const files = [...new Set(paths)].filter((path) => !path.startsWith('..') && isFile(join(ROOT, path)))
  named.set(file, files)
  return files
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
