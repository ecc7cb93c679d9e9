/** A copy of the checkout's tracked files, for code that is changed on purpose: the working tree is never touched. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

export interface Checkout {
  path: string
  /** Puts `replace` in the place of `find`; the result takes it back. Throws where `find` does not occur exactly once. */
  change(file: string, find: string, replace: string): () => void
}

/** The files of the working tree that git tracks, in `folder`; beside them what the checkout has beside itself. */
export function copyCheckout(folder: string): Checkout {
  const path = join(folder, 'checkout')
  for (const file of trackedFiles()) {
    const to = join(path, file)
    mkdirSync(dirname(to), { recursive: true })
    copyFileSync(join(ROOT, file), to)
  }
  symlinkSync(join(ROOT, 'node_modules'), join(path, 'node_modules'))
  const shared = join(ROOT, '../shared')
  if (existsSync(shared)) symlinkSync(shared, join(folder, 'shared'))
  return {
    path,
    change(file, find, replace) {
      const [at, text] = [join(path, file), readFileSync(join(path, file), 'utf8')]
      const times = occurrences(text, find)
      if (times !== 1) throw new Error(`the text to find occurs ${times} times in ${file}`)
      // As a function, so that `$&` and the like in it mean nothing.
      writeFileSync(
        at,
        text.replace(find, () => replace),
      )
      return () => writeFileSync(at, text)
    },
  }
}

export function occurrences(text: string, find: string): number {
  return text.split(find).length - 1
}

/** Those that are still there: one may have been removed and not yet committed. */
function trackedFiles(): string[] {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean)
  return files.filter((file) => existsSync(join(ROOT, file)))
}
