/** Links, anchors and paths in the documentation lead to something. */
import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { anchorsOf, linksOf, pages, pathsOf, readPage, root } from './markdown.ts'

const all = pages()

test('every relative link leads to a file, and every anchor to a heading', () => {
  const broken: string[] = []
  let seen = 0
  for (const page of all) {
    for (const link of linksOf(page)) {
      seen++
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page.path : normalize(join(dirname(page.path), path))
      const isFound = existsSync(join(root, target)) && (anchor === undefined || hasAnchor(target, anchor))
      if (!isFound) broken.push(`${page.path}: ${link}`)
    }
  }
  assert.ok(seen > 40, `only ${seen} links found: the pattern no longer fits the pages`)
  assert.equal(broken, [])
})

function hasAnchor(path: string, anchor: string): boolean {
  return path.endsWith('.md') && anchorsOf(readPage(path)).has(anchor)
}

test('no page of the package links to a file that the package does not have', () => {
  const words = ['pack', '--dry-run', '--ignore-scripts', '--json']
  const [{ files }] = JSON.parse(execFileSync('npm', words, { cwd: root, encoding: 'utf8' })) as [
    { files: { path: string }[] },
  ]
  const packed = new Set(files.map(({ path }) => path))
  const inPackage = all.filter(({ path }) => packed.has(path))
  assert.ok(inPackage.length > 10, `only ${inPackage.length} pages`)
  const broken = inPackage.flatMap((page) =>
    linksOf(page)
      .map((link) => link.split('#')[0]!)
      .filter((path) => path !== '' && !packed.has(normalize(join(dirname(page.path), path))))
      .map((path) => `${page.path}: ${path}`),
  )
  assert.equal(broken, [])
})

test('every path in backticks exists', () => {
  const broken: string[] = []
  let seen = 0
  for (const page of all) {
    for (const path of pathsOf(page)) {
      seen++
      const stat = statSync(join(root, path), { throwIfNoEntry: false })
      if (!stat || (path.endsWith('/') && !stat.isDirectory())) broken.push(`${page.path}: ${path}`)
    }
  }
  assert.ok(seen > 100, `only ${seen} paths found: the pattern no longer fits the pages`)
  assert.equal(broken, [])
})

test('RULES.md has the rules 1 to 34 in their order', () => {
  const numbers = Array.from(readPage('corpus/model/RULES.md').prose.matchAll(/^### (\d+)\. \S/gm), ([, n]) =>
    Number(n),
  )
  assert.equal(
    numbers,
    Array.from({ length: 34 }, (_, i) => i + 1),
  )
})

test.run()
