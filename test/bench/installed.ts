/** The programs of a checkout as npm installs them: packed and compiled. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** What packing reads. */
const SOURCES = ['.ci', 'LICENSE', 'README.md', 'builder', 'corpus', 'gateway', 'package.json', 'tsconfig.json']

/**
 * Packs a checkout into a new `folder`, and returns the folder of its package. The package uses the `node_modules` of
 * the checkout.
 */
export function installed(checkout: string, folder: string): string {
  const modules = join(checkout, 'node_modules')
  // npm compiles within the folder that it packs.
  const copy = join(folder, 'checkout')
  mkdirSync(copy, { recursive: true })
  for (const name of SOURCES) cpSync(join(checkout, name), join(copy, name), { recursive: true })
  for (const above of [copy, folder]) symlinkSync(modules, join(above, 'node_modules'))
  const npm = ['pack', '--json', '--pack-destination', folder]
  const packed = execFileSync('npm', npm, { cwd: copy, encoding: 'utf8', stdio: 'pipe' })
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }]
  execFileSync('tar', ['-xzf', filename], { cwd: folder })
  return join(folder, 'package')
}
