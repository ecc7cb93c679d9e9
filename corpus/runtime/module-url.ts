/** Addresses of modules that start as threads or processes. */
import { extname } from 'node:path'

/**
 * Returns the URL of a TypeScript module relative to the module at `base`: of its source in a checkout, of its compiled
 * form in the installed package.
 */
export function moduleUrl(path: `./${string}.ts`, base: string): URL {
  const url = new URL(path, base)
  url.pathname = url.pathname.replace(/\.ts$/, extname(new URL(base).pathname))
  return url
}
