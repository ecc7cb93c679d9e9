/** Bundles the reader for browsers as one ES module, and SQLite beside it: `node corpus/reader/browser/bundle.ts <folder>`. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { directImports } from './direct-imports.ts'

const HERE = import.meta.dirname
/** The folder of `package.json`: names in a bundle do not depend on where it is made. */
const ROOT = join(HERE, '../../..')

const AFFECTED = join(HERE, '../../answers/plan/affected-on-demand.ts')

/** In place of what only the description of the API needs. Its schemas are larger than everything else. */
const WITHOUT_DESCRIPTION = `
exports.openapiDocument = () => {
  throw new TypeError('a reader in a browser does not describe the API; ask a gateway for /openapi.json')
}`

/** Settings of esbuild for browsers, and what it needs for code that imports `reader.ts`. */
export const BROWSER = {
  absWorkingDir: ROOT,
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2024',
  minify: true,
  legalComments: 'none',
  metafile: true,
  write: false,
  // The first search loads SQLite.
  splitting: true,
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.wasm': 'file' },
  inject: [join(HERE, 'buffer.ts')],
  plugins: [
    {
      name: 'vulnshelf-browser',
      setup({ onLoad, onResolve }) {
        // Its WebAssembly becomes a file beside the scripts, with a name of its own.
        onLoad({ filter: /sqlite-wasm\/dist\/index\.mjs$/ }, ({ path }) => ({
          contents: `import wasm from './sqlite3.wasm'\n${readFileSync(path, 'utf8').replaceAll('new URL("sqlite3.wasm"', 'new URL(wasm')}`,
        }))
        onResolve({ filter: /\/answers\/schemas\.ts$|^\.\.?\/(schemas|openapi\/document)\.ts$/ }, ({ path }) => ({
          path,
          namespace: 'described',
        }))
        onLoad({ filter: /.*/, namespace: 'described' }, () => ({ contents: WITHOUT_DESCRIPTION, loader: 'js' }))
        // Versions are compared by a script of its own.
        onResolve({ filter: /^\.\.\/plan\/affected(-product)?\.ts$/ }, () => ({ path: AFFECTED }))
        onResolve({ filter: /\/platform\.ts$/ }, () => ({ path: join(HERE, 'platform.ts') }))
        // Only code that is not in the bundle uses them, so these imports are left out.
        onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }))
      },
    },
    directImports,
  ],
} satisfies BuildOptions

export interface Bundle {
  /** By path: `reader.js`, and SQLite. */
  files: ReadonlyMap<string, Buffer>
  /** The licences of the packages in it. */
  licences: string
}

export async function bundleReader(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({ ...BROWSER, entryPoints: [join(HERE, 'reader.ts')], outdir: HERE })
  const files = new Map(outputFiles.map(({ path, contents }) => [relative(HERE, path), Buffer.from(contents)]))
  return { files, licences: licencesOf(metafile) }
}

/** Returns the licences of the packages in bundles. @throws Error for a package without one */
export function licencesOf(...bundles: readonly Metafile[]): string {
  const inputs = bundles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
  const packages = inputs.flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? (/^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []) : [],
  )
  return [...new Set(packages)]
    .sort()
    .map((path) => {
      const licence = licenceIn(join(ROOT, path))
      if (!licence) throw new Error(`${path} has no licence file`)
      return `${path.replace(/^.*node_modules\//, '')}\n\n${licence.trim()}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}

function licenceIn(folder: string): string | undefined {
  const file = existsSync(folder) && readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  if (file) return readFileSync(join(folder, file), 'utf8')
  // SQLite's package states it in a comment.
  const script = join(folder, 'dist/index.mjs')
  const text = existsSync(script) ? readFileSync(script, 'utf8') : ''
  const start = text.search(/^\*\* LICENSE for /m)
  return start === -1 ? undefined : text.slice(start, text.indexOf('*/', start)).replace(/^\*\* ?/gm, '')
}

if (process.argv[1] === import.meta.filename) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) {
    process.stderr.write('bundle: state the folder: node corpus/reader/browser/bundle.ts <folder>\n')
    process.exit(2)
  }
  const { files, licences } = await bundleReader()
  mkdirSync(folder, { recursive: true })
  for (const [path, bytes] of files) writeFileSync(join(folder, path), bytes)
  writeFileSync(join(folder, 'reader.LICENSES.txt'), licences)
}
