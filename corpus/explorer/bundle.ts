/** Bundles the explorer: `node corpus/explorer/bundle.ts <folder>`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { apiDocument } from '../answers/routes.ts'
import { BROWSER, licencesOf } from '../reader/browser/bundle.ts'
import { type Explorer, type Mode, OPENAPI_FILE, PAGE_POLICY, pageName, typeOf } from './explorer.ts'

const APP = join(import.meta.dirname, 'app')

const MAIN = join(APP, 'main.tsx')
const STYLE = join(APP, 'style.css')
const PAGES_FILE = join(APP, 'pages.ts')

const MODES: readonly Mode[] = ['gateway', 'static']

/** The scripts that run beside the page, by name (`app/workers.ts`). */
const WORKERS = { inventory: 'pages/check/inventory-worker.ts', markdown: 'parts/markdown-worker.ts' }

const SETTINGS = {
  ...BROWSER,
  outdir: join(APP, 'assets'),
  entryNames: '[name]-[hash]',
} satisfies BuildOptions

/**
 * Whatever is loaded later imports the entry point, so that all modules of the first screen are one file. Otherwise
 * esbuild makes a file for each set of pages that share modules.
 */
const together: Plugin = {
  name: 'together',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir, importer }) =>
      kind === 'dynamic-import'
        ? { path: resolve(resolveDir, path), namespace: 'later', pluginData: importer === PAGES_FILE }
        : null,
    )
    onLoad({ filter: /./, namespace: 'later' }, ({ path, pluginData: isPage }) => {
      const from = `from ${JSON.stringify(path)}`
      const contents = `import 'entry-point'; export * ${from}; ${isPage ? `export { default } ${from}` : ''}`
      return { contents, resolveDir: dirname(path) }
    })
    // Without side effects, by package.json, esbuild would leave out the import.
    onResolve({ filter: /^entry-point$|main\.tsx$/ }, () => ({ path: MAIN, sideEffects: true }))
  },
}

/** @throws Error for faults in the sources */
export async function bundleExplorer(): Promise<Explorer> {
  const workers = await build({ ...SETTINGS, entryPoints: Object.values(WORKERS).map((path) => join(APP, path)) })
  const { outputFiles, metafile } = await build({
    ...SETTINGS,
    entryPoints: [MAIN, STYLE],
    plugins: [together, ...BROWSER.plugins],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // The names have a hash of the content, so the page is bundled after them.
    define: { WORKER_FILES: JSON.stringify(filesOf(workers.metafile)) },
  })
  const built = [...workers.outputFiles, ...outputFiles]
  const files = new Map(built.map(({ path, contents }) => [path.slice(APP.length + 1), Buffer.from(contents)]))
  for (const name of ['icon.svg', 'favicon.ico', 'robots.txt']) files.set(name, readFileSync(join(APP, name)))
  files.set(OPENAPI_FILE, Buffer.from(JSON.stringify(apiDocument())))
  files.set('LICENSES.txt', Buffer.from(licencesOf(workers.metafile, metafile)))
  for (const path of files.keys()) typeOf(path)
  const asset = (path: string) => `assets/${path.split('/').at(-1)}`
  const outputs = Object.keys(metafile.outputs)
  const outputOf = (source: string) => outputs.find((path) => metafile.outputs[path]!.entryPoint?.endsWith(source))!
  const [script, style] = [outputOf('main.tsx'), outputOf('style.css')]
  const chunks = (mode: Mode) => importsOf(metafile, [script, outputOf(`data/${mode}.ts`)])
  const template = readFileSync(join(APP, 'index.html'), 'utf8')
  const page = (mode: Mode) => [
    // A gateway sends the policy as a header, which can also forbid frames.
    ...(mode === 'static' ? [`<meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}" />`] : []),
    `<meta name="vulnshelf-mode" content="${mode}" />`,
    `<link rel="stylesheet" href="${asset(style)}" />`,
    `<script type="module" src="${asset(script)}"></script>`,
    // Otherwise the browser finds each chunk only when it has those that import it.
    ...chunks(mode).map((path) => `<link rel="modulepreload" href="${asset(path)}" />`),
  ]
  return {
    files,
    page: (mode) => Buffer.from(template.replace(/<!-- bundle\.ts [^<>]*-->/, page(mode).join('\n    '))),
  }
}

/** Returns the files of the workers in `assets/`, by name. */
function filesOf({ outputs }: Metafile): Record<string, string> {
  const byPath = new Map(Object.entries(outputs).map(([path, { entryPoint }]) => [entryPoint, path.split('/').at(-1)!]))
  return Object.fromEntries(
    Object.entries(WORKERS).map(([name, path]) => [name, byPath.get(`corpus/explorer/app/${path}`)!]),
  )
}

/** Returns the scripts that these import, directly or through others, and those after the first. */
function importsOf({ outputs }: Metafile, scripts: readonly string[]): string[] {
  const found = new Set(scripts)
  for (const path of found) {
    for (const { path: imported, kind } of outputs[path]!.imports) if (kind === 'import-statement') found.add(imported)
  }
  return [...found].slice(1)
}

if (process.argv[1] === import.meta.filename) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) {
    process.stderr.write('bundle: state the folder: node corpus/explorer/bundle.ts <folder>\n')
    process.exit(2)
  }
  const { files, page } = await bundleExplorer()
  for (const [path, content] of [...files, ...MODES.map((mode) => [pageName(mode), page(mode)] as const)]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}
