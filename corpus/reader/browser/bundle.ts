/** Bundles the reader for browsers, as one ES module without imports. */
import { join } from 'node:path'
import { build } from 'esbuild'

const HERE = import.meta.dirname

/** Returns the bundle. It throws where an API of Node is left that is not replaced. */
export async function bundleReader(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(HERE, 'reader.ts')],
    inject: [join(HERE, 'buffer.ts')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    minify: true,
    legalComments: 'none',
    write: false,
    plugins: [
      {
        name: 'node',
        setup({ onResolve }) {
          onResolve({ filter: /\/platform\.ts$/ }, () => ({ path: join(HERE, 'platform.ts') }))
          // Nothing of the bundle may use them. Imports by code that is not in the bundle are left out.
          onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }))
        },
      },
    ],
  })
  return outputFiles[0]!.text
}
