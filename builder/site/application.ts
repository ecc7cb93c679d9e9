/** The explorer in the folder of a site: its files, and the files of an earlier version that it keeps. */
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Effects } from '../../corpus/command/effects.ts'
import { type Explorer, isCompressible, OPENAPI_FILE, ROOT_FILES } from '../../corpus/explorer/explorer.ts'
import { readRegularFile } from '../../corpus/runtime/regular-file.ts'
import { bytesContent, type Content } from '../publish/content.ts'
import { PublishError } from '../publish/error.ts'

const compress = promisify(gzip)

const PAGE = 'index.html'
/** Only pages of a site contain it. */
const MARK = '<meta name="vulnshelf-mode"'
const ASSETS = 'assets'
/** The largest file of the explorer has 2 MB. */
const MAX_ASSET_BYTES = 64 << 20

/**
 * Returns the files in the order in which they are written: the page comes last, because it names the others. Each text
 * file has a copy with the extension `.gz`, for web servers that send such files.
 */
export async function applicationFiles({ files, page }: Explorer): Promise<Content[][]> {
  const withGzip = async (path: string, bytes: Buffer): Promise<Content[]> => {
    const plain = bytesContent(path, bytes)
    return isCompressible(path) ? [bytesContent(`${path}.gz`, await compress(bytes, { level: 9 })), plain] : [plain]
  }
  const others = await Promise.all([...files].map(([path, bytes]) => withGzip(path, bytes)))
  const [zipped, plain] = await withGzip(PAGE, page('static'))
  return [others.flat(), [zipped!], [plain!]]
}

/**
 * Accepts a folder with a page of a site, or with the files of a first run that was killed.
 * @throws PublishError `unusable` if the folder has other files of the same names, or its assets are elsewhere
 */
export function assertOurs(folder: string, { files }: Explorer): void {
  const assetFolder = join(folder, ASSETS)
  // Files that no version needs are removed there.
  if (lstatSync(assetFolder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new PublishError('unusable', `${assetFolder} is a symbolic link; remove it, or choose another folder`)
  }
  const page = join(folder, PAGE)
  if (existsSync(page) && readRegularFile(page, MAX_ASSET_BYTES).toString().includes(MARK)) return
  const isForeign = (path: string) =>
    existsSync(join(folder, path)) &&
    files.get(path)?.equals(readRegularFile(join(folder, path), MAX_ASSET_BYTES)) !== true
  const assets = assetNames(folder).map((name) => `${ASSETS}/${name}`)
  const foreign = [PAGE, ...ROOT_FILES, OPENAPI_FILE, ...assets].find(isForeign)
  if (foreign === undefined) return
  throw new PublishError(
    'unusable',
    `${join(folder, foreign)} does not belong to a site, and \`vulnshelf site\` would replace or remove it; choose another folder, or move the file`,
  )
}

/** Returns the assets that the page in the folder needs: those named in the page, and in the assets that it loads. */
export function assetsInUse(folder: string): Set<string> {
  const names = assetNames(folder)
  const used = new Set<string>()
  const visit = (path: string) => {
    const text = readRegularFile(path, MAX_ASSET_BYTES).toString('latin1')
    for (const name of names) {
      if (used.has(name) || !text.includes(name)) continue
      used.add(name)
      visit(join(folder, ASSETS, name))
    }
  }
  if (existsSync(join(folder, PAGE))) visit(join(folder, PAGE))
  return used
}

/** Removes the assets that no version needs any more, with their compressed copies. Returns the number of files. */
export async function removeAssetsBut(
  folder: string,
  needed: ReadonlySet<string>,
  effects: Pick<Effects, 'remove'>,
): Promise<number> {
  let removed = 0
  for (const name of readdirSync(join(folder, ASSETS))) {
    if (needed.has(name.replace(/\.gz$/, ''))) continue
    await effects.remove(join(folder, ASSETS, name))
    removed++
  }
  return removed
}

const assetNames = (folder: string): string[] => {
  const assets = join(folder, ASSETS)
  return statSync(assets, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(assets).filter((name) => !name.endsWith('.gz'))
    : []
}
