/** Bundles the explorer: `node gateway/explorer/bundle.ts <folder>`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { BROWSER, licencesOf } from '../../corpus/reader/browser/bundle.ts'
import { DOCUMENT } from '../routes/table.ts'
import { type Explorer, type Mode, OPENAPI_FILE, PAGE_POLICY, pageName, typeOf } from './explorer.ts'

const APP = join(import.meta.dirname, 'app')

const MODES: readonly Mode[] = ['gateway', 'static']

/** @throws Error for faults in the sources */
export async function bundleExplorer(): Promise<Explorer> {
  const { outputFiles, metafile } = await build({
    ...BROWSER,
    entryPoints: [join(APP, 'main.tsx')],
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    outdir: join(APP, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
  })
  const files = new Map(outputFiles.map(({ path, contents }) => [path.slice(APP.length + 1), Buffer.from(contents)]))
  for (const name of ['icon.svg', 'favicon.ico', 'robots.txt']) files.set(name, readFileSync(join(APP, name)))
  files.set(OPENAPI_FILE, Buffer.from(JSON.stringify(DOCUMENT)))
  files.set('LICENSES.txt', Buffer.from(licencesOf(metafile)))
  for (const path of files.keys()) typeOf(path)
  const [script, { cssBundle }] = Object.entries(metafile.outputs).find(([, { entryPoint }]) =>
    entryPoint?.endsWith('main.tsx'),
  )!
  const asset = (path: string) => `assets/${path.split('/').at(-1)}`
  const template = readFileSync(join(APP, 'index.html'), 'utf8')
  const page = (mode: Mode) => [
    // A gateway sends the policy as a header, which can also forbid frames.
    ...(mode === 'static' ? [`<meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}" />`] : []),
    `<meta name="vulnshelf-mode" content="${mode}" />`,
    `<link rel="stylesheet" href="${asset(cssBundle!)}" />`,
    `<script type="module" src="${asset(script)}"></script>`,
  ]
  return {
    files,
    page: (mode) => Buffer.from(template.replace(/<!-- bundle\.ts .*?-->/, page(mode).join('\n    '))),
  }
}

if (process.argv[1] === import.meta.filename) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) {
    process.stderr.write('bundle: state the folder: node gateway/explorer/bundle.ts <folder>\n')
    process.exit(2)
  }
  const { files, page } = await bundleExplorer()
  for (const [path, content] of [...files, ...MODES.map((mode) => [pageName(mode), page(mode)] as const)]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}
