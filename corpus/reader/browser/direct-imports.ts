/** Makes the first script of a page small: it gets neither code of other pages nor descriptions of routes. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'esbuild'

const CORPUS = join(import.meta.dirname, '../..')
const FACE = join(CORPUS, 'snapshot/index.ts')

const ANSWERS = join(CORPUS, 'answers')
/** The texts and examples of routes and of their parameters. Only the description of the API shows them, and the bundle leaves it out. */
const DESCRIPTIONS =
  /(^ +(?:summary|description|example):\s*|\bdescribed\(\s*)(?:'[^'\n]*'|"[^"\n]*"|`(?:[^`\\]|\\.)*`)/gm

/** An import or export of names. */
const NAMED = /^(import|export) \{([^{}]*)\} from '([^'\n]+)'/gm

export const directImports: Plugin = {
  name: 'vulnshelf-direct-imports',
  setup({ onLoad }) {
    const files = filesOfFace()
    // Otherwise everything that any script imports from the public face of the format is in the first one.
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!path.startsWith(CORPUS)) return undefined
      const source = readFileSync(path, 'utf8')
      const undescribed = path.startsWith(ANSWERS) ? source.replace(DESCRIPTIONS, "$1''") : source
      const text = undescribed.replace(NAMED, (statement, verb: string, names: string, from: string) => {
        if (path === FACE || join(dirname(path), from) !== FACE) return statement
        return values(names)
          .map((name) => `${verb} { ${name} } from ${JSON.stringify(files.get(name.split(' ')[0]!))}`)
          .join('\n')
      })
      return { contents: text, loader: 'ts' }
    })
  },
}

/** Returns the names in braces, without types. */
const values = (names: string): string[] =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))

/** Returns the file of each name that the face exports. */
function filesOfFace(): Map<string, string> {
  const statements = [...readFileSync(FACE, 'utf8').matchAll(NAMED)]
  return new Map(
    statements.flatMap(([, , names, from]) =>
      values(names!).map((name) => [name, join(dirname(FACE), from!)] as const),
    ),
  )
}
