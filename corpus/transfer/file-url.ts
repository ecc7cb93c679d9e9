/** Addresses of files on this machine, as people write them. */
import { fileURLToPath } from 'node:url'

/** The path that a `file:` URL means; null where it means none here: another host, a `/` that is encoded. */
export function pathOfFileUrl(url: string | URL): string | null {
  try {
    return fileURLToPath(url)
  } catch {
    return null
  }
}

/** What to say of one that means none; its text holds no password. */
export const noPathHere = (url: string | URL): string =>
  `${url} is no path of this machine: write the path itself, or file:///path`
