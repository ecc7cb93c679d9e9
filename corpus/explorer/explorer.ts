/** The files of the explorer: as the package has them, or bundled from their sources in a checkout. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { CodedError } from '../errors/coded-error.ts'

/** The source of the data: the API of a gateway, or a reader of the snapshot in the folder of the page. */
export type Mode = 'gateway' | 'static'

export interface Explorer {
  /** The files except the page, by their paths. Those in `assets/` are named by a hash of their content. */
  files: ReadonlyMap<string, Buffer>
  page(mode: Mode): Buffer
}

/** The files that `bundle.ts` wrote into the package. */
const BUILT = join(import.meta.dirname, 'built')

/** Files of the explorer outside `assets/`. */
export const ROOT_FILES = ['icon.svg', 'favicon.ico', 'robots.txt', 'LICENSES.txt'] as const

/** The description of the API, which the static mode reads. A gateway answers it below `/api/v1`. */
export const OPENAPI_FILE = 'openapi.json'

/** Allows scripts, styles and requests of the explorer's own host only. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
]

/** The policy in the static page, which compiles SQLite. `frame-ancestors` is not allowed in it (CSP 3, 6.4.2). */
export const PAGE_POLICY = POLICY.join('; ').replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'")
export const HEADER_POLICY = [...POLICY, "frame-ancestors 'none'"].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
}

/** Returns the media type. @throws Error for an extension that no file of the explorer has */
export function typeOf(path: string): string {
  const type = TYPES[extname(path)]
  if (type === undefined) throw new Error(`the explorer has no files such as ${path}`)
  return type
}

const COMPRESSED = new Set(['.ico', '.woff2'])

export const isCompressible = (path: string): boolean => !COMPRESSED.has(extname(path))

export const pageName = (mode: Mode): string => `${mode}.html`

export class ExplorerError extends CodedError<'unbundled'> {}

/** Reads the explorer from the package, or bundles it. @throws ExplorerError if esbuild is missing, or for faults */
export async function openExplorer(): Promise<Explorer> {
  if (existsSync(BUILT)) return readBuilt(BUILT)
  try {
    // By its URL: the package has neither esbuild nor what it bundles.
    const { bundleExplorer } = (await import(new URL('./bundle.ts', import.meta.url).href)) as {
      bundleExplorer(): Promise<Explorer>
    }
    return await bundleExplorer()
  } catch (cause) {
    const why = (cause as Error).message.split('\n', 1)[0]
    const message = `cannot bundle the explorer: ${why}. Run \`npm ci\` in the checkout, or use the installed package`
    throw new ExplorerError('unbundled', message, { cause })
  }
}

function readBuilt(folder: string): Explorer {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
  const all = new Map(names.map((name) => [name.split(sep).join('/'), readFileSync(join(folder, name))]))
  const pages = new Map<Mode, Buffer>()
  for (const mode of ['gateway', 'static'] as const) {
    const page = all.get(pageName(mode))
    if (page === undefined) throw new Error(`the explorer has no ${pageName(mode)}; install the package again`)
    pages.set(mode, page)
    all.delete(pageName(mode))
  }
  return { files: all, page: (mode) => pages.get(mode)! }
}
