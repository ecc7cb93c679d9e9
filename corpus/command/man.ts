/** Writes the manual pages of both programs into a folder: `node corpus/command/man.ts <folder>`. For packing. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const PROGRAMS = { vulnshelf: 'builder/bin.js', 'vulnshelf-gateway': 'gateway/bin.js' }
/** Variables that change a default of an option. */
const SETTINGS = /^(?:VULNSHELF_|REDIS_URL$)/

/** Returns the pages, with file names such as `vulnshelf.1`. They do not depend on the machine or its environment. */
export function manPages(): { name: string; text: string }[] {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !SETTINGS.test(name)))
  return Object.entries(PROGRAMS).map(([program, path]) => ({
    name: `${program}.1`,
    text: execFileSync(process.execPath, [join(root, path), 'man'], { env, encoding: 'utf8' }),
  }))
}

if (process.argv[1] === import.meta.filename) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) {
    process.stderr.write('man: state the folder: node corpus/command/man.ts <folder>\n')
    process.exit(2)
  }
  mkdirSync(folder, { recursive: true })
  for (const { name, text } of manPages()) writeFileSync(join(folder, name), text)
}
