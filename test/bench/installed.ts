/** The programs of a checkout as npm installs them: packed and compiled, so that nothing transforms TypeScript while they run. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { copyCheckout } from '../mutation/checkout.ts'

/**
 * Packs a checkout into a new `folder`, and returns the folder of its package. It uses the `node_modules` of the
 * checkout.
 */
export function installed(checkout: string, folder: string): string {
  mkdirSync(folder, { recursive: true })
  // npm compiles within the folder that it packs.
  const { path } = copyCheckout(folder, checkout)
  const npm = ['pack', '--json', '--pack-destination', folder]
  const packed = execFileSync('npm', npm, { cwd: path, encoding: 'utf8', stdio: 'pipe' })
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }]
  execFileSync('tar', ['-xzf', filename], { cwd: folder })
  const programs = join(folder, 'package')
  symlinkSync(join(checkout, 'node_modules'), join(programs, 'node_modules'))
  return programs
}
