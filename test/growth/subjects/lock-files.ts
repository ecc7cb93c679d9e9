/** The readers of lock files and SBOMs, on files that grow. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { InventoryError } from '../../../corpus/inventory/error.ts'
import { formatOf } from '../../../corpus/inventory/formats/table.ts'
import { inventoryOf } from '../../../corpus/inventory/read.ts'
import type { Random } from '../../../corpus/sample/random.ts'
import { type Growing, type OpenSubjects, repeated, type Subject } from '../subject.ts'

const folder = join(import.meta.dirname, '../../corpus/inventory/lock-files')

const FILES = [
  ...['npm1/package-lock.json', 'npm3/package-lock.json', 'pnpm7/pnpm-lock.yaml', 'pnpm9/pnpm-lock.yaml'],
  ...['yarn1/yarn.lock', 'yarn4/yarn.lock', 'composer/composer.lock', 'cargo/Cargo.lock', 'poetry2/poetry.lock'],
  ...['pip/requirements.txt', 'go/go.sum', 'go/go.mod', 'bundler/Gemfile.lock', 'sbom/bom.json'],
  ...['sbom/audited.spdx.json', 'purls.txt', 'uv/uv.lock', 'pdm/pdm.lock', 'pylock/pylock.toml'],
  ...['pipenv/Pipfile.lock', 'bun/bun.lock', 'deno/deno.lock', 'maven/pom.xml', 'gradle/gradle.lockfile'],
  ...['gradle/verification-metadata.xml', 'nuget/packages.lock.json', 'nuget/packages.config', 'nuget/app.deps.json'],
  'nuget/project.assets.json',
  ...['pub/pubspec.lock', 'mix/mix.lock', 'swift3/Package.resolved', 'cocoapods/Podfile.lock', 'conan1/conan.lock'],
  ...['conan2/conan.lock', 'renv/renv.lock', 'cabal/cabal.project.freeze', 'stack/stack.yaml.lock'],
  ...['julia1/Manifest.toml', 'julia2/Manifest.toml', 'github/.github/workflows/ci.yml', 'github/action.yml'],
  ...['sbom/image.cdx.xml', 'sbom/image.spdx.yaml', 'sbom/image.spdx', 'sbom/image.spdx3.json', 'sbom/image.syft.json'],
  ...['sbom/image.cdx.intoto.json', 'sbom/image.spdx.intoto.jsonl'],
]

const YAML = /\.ya?ml|pubspec|Podfile/

function sizeOf(path: string): number {
  // The parser of YAML takes a hundred times as long as the others.
  if (YAML.test(path)) return 100
  // Its lines have thousands of characters each.
  return path.endsWith('.jsonl') ? 50 : 500
}

const PARTS = [
  ...'{}[]"\':,\n>#\\/@%=a0|!\r\t()~\u00e9',
  ...['<text>', '</text>', '<a>', '</a>', '<!--', '-->', 'Tag: ', 'SPDXRef-a ', 'e30='],
  ...['  ', '- ', '&a ', '*a ', '1.0', '"a": ', 'a: ', 'a = ', '[[package]]\n', 'pkg:', 'pkg:npm/a@1\n'],
  ...['<a>', '</a>', '<a b="', '<!--', '<![CDATA[', '&#1;', '/*', `\${a}`, 'a:b:1=c\n'],
]

const read = (name: string, text: string): (() => void) => {
  const bytes = Buffer.from(text)
  return () => {
    try {
      inventoryOf(name, name, bytes)
    } catch (error) {
      if (!(error instanceof InventoryError)) throw error
    }
  }
}

/** Some lines of the file `n` times, with or without other numbers each time. */
function moreLines(name: string, text: string, random: Random): Growing {
  const lines = text.split('\n')
  const from = random.int(lines.length)
  const block = lines.slice(from, from + random.between(1, 12))
  const isNumbered = random.chance(0.7)
  return (n) => {
    const copies = Array.from({ length: n }, (_, i) => {
      const copy = block.join('\n')
      // As a name and as a version.
      return isNumbered ? copy.replaceAll(/[0-9]+|(?<=[a-z]{3})(?=["':@ /])/g, String(i)) : copy
    })
    return read(name, [...lines.slice(0, from), ...copies, ...lines.slice(from)].join('\n'))
  }
}

/** A text without lines of its own in a random place of the file. */
function longerText(name: string, text: string, random: Random): Growing {
  const at = random.int(text.length)
  const textOf = repeated(random, PARTS)
  return (n) => read(name, text.slice(0, at) + textOf(4 * n) + text.slice(at))
}

const subjects: Subject[] = FILES.map((path) => {
  const text = readFileSync(join(folder, path), 'utf8')
  const name = basename(path)
  const after =
    (unit: string): Growing =>
    (n) =>
      read(name, text + unit.repeat(4 * n))
  const isYaml = YAML.test(path)
  return {
    name: `${formatOf(name, text)?.name}: ${path}`,
    size: sizeOf(path),
    worst: {
      'line feeds': after('\n'),
      blanks: after(' '),
      'carriage returns': after('\r'),
      'open brackets': after('['),
      quotes: after('"'),
      ...(isYaml && {
        'flow lists': (n) => read(name, `lockfileVersion: '9.0'\npackages: ${'['.repeat(n)}${']'.repeat(n)}`),
        'flow lists of one list': (n) => read(name, `lockfileVersion: '9.0'\npackages: [${'[],'.repeat(n)}]`),
      }),
      ...(name === 'pnpm-lock.yaml' && {
        'bundled packages of one name': (n) =>
          read(
            name,
            `lockfileVersion: '9.0'\npackages:\n${'  a@1: {bundledDependencies: [x]}\n'.repeat(n)}snapshots:\n${'  a@1(b): {dependencies: {y: z}}\n'.repeat(n)}`,
          ),
      }),
    },
    generated: (random) => (random.chance(0.6) ? moreLines : longerText)(name, text, random),
  }
})

export const open: OpenSubjects = async () => ({ subjects })
