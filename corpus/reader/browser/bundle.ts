/** Bundles the reader for browsers as one ES module without imports: `node corpus/reader/browser/bundle.ts <folder>`. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build, type Metafile } from 'esbuild'

const HERE = import.meta.dirname
/** The folder of `package.json`: names in a bundle do not depend on where it is made. */
const ROOT = join(HERE, '../../..')

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
  inject: [join(HERE, 'buffer.ts')],
  plugins: [
    {
      name: 'vulnshelf-browser',
      setup({ onResolve }) {
        onResolve({ filter: /\/platform\.ts$/ }, () => ({ path: join(HERE, 'platform.ts') }))
        // Only code that is not in the bundle uses them, so these imports are left out.
        onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }))
      },
    },
  ],
} satisfies BuildOptions

export interface Bundle {
  code: string
  /** The licences of the packages in it. */
  licences: string
}

export async function bundleReader(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({ ...BROWSER, entryPoints: [join(HERE, 'reader.ts')] })
  return { code: outputFiles[0]!.text, licences: licencesOf(metafile) }
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
      const folder = join(ROOT, path)
      const file = existsSync(folder) && readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
      if (!file) throw new Error(`${path} has no licence file`)
      return `${path.replace(/^.*node_modules\//, '')}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}

if (process.argv[1] === import.meta.filename) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) {
    process.stderr.write('bundle: state the folder: node corpus/reader/browser/bundle.ts <folder>\n')
    process.exit(2)
  }
  const { code, licences } = await bundleReader()
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'reader.js'), code)
  writeFileSync(join(folder, 'reader.LICENSES.txt'), licences)
}
