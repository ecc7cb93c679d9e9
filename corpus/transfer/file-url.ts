/** `file:` URLs of this machine. */
import { fileURLToPath } from 'node:url'

/** Returns the path of a `file:` URL. Null if it has none here: another host, or an encoded `/`. */
export function pathOfFileUrl(url: string | URL): string | null {
  try {
    return fileURLToPath(url)
  } catch {
    return null
  }
}

/** Returns the error message for such a URL. A `file:` URL contains no password. */
export const noPathHere = (url: string | URL): string =>
  `${url} is no path of this machine: write the path itself, or file:///path`
