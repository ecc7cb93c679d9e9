/** Bundles the explorer: `node gateway/explorer/bundle.ts <folder>`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { BROWSER } from '../../corpus/reader/browser/bundle.ts'

const APP = join(import.meta.dirname, 'app')

export type Mode = 'gateway' | 'static'

export interface Explorer {
  /** The files except the page, by their paths. Those in `assets/` are named by a hash of their content. */
  files: Map<string, Buffer>
  page(mode: Mode): Buffer
}

export async function bundleExplorer(): Promise<Explorer> {
  const { outputFiles, metafile } = await build({
    ...BROWSER,
    entryPoints: [join(APP, 'main.tsx')],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    outdir: join(APP, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    metafile: true,
    write: false,
  })
  const files = new Map(outputFiles.map(({ path, contents }) => [path.slice(APP.length + 1), Buffer.from(contents)]))
  files.set('icon.svg', readFileSync(join(APP, 'icon.svg')))
  const [script, { cssBundle }] = Object.entries(metafile.outputs).find(([, { entryPoint }]) =>
    entryPoint?.endsWith('main.tsx'),
  )!
  const asset = (path: string) => `assets/${path.split('/').at(-1)}`
  const template = readFileSync(join(APP, 'index.html'), 'utf8')
  return {
    files,
    page: (mode) =>
      Buffer.from(
        template.replace(
          /<!-- bundle\.ts .*?-->/,
          [
            `<meta name="vulnshelf-mode" content="${mode}" />`,
            `<link rel="stylesheet" href="${asset(cssBundle!)}" />`,
            `<script type="module" src="${asset(script)}"></script>`,
          ].join('\n    '),
        ),
      ),
  }
}
