/**
 * Lock files that tools wrote for one project with aliases, overrides, folders, archives, Git, workspaces, patches and
 * bundled packages, each with the packages that the tool lists itself (`npm ls`, `pnpm ls`, `yarn list`, `yarn info`,
 * `bundle list`, `go list -m`, `poetry show`, `pipenv requirements`, `bun pm ls`, `deno info`, `cargo tree`, `pdm export`,
 * `mix deps`, `stack ls dependencies`, the plan of `cabal build`). Projects of the last five are their own, with packages
 * in folders that take the place of a registry. The `pom.xml` is written by hand, and the list is what Maven's model builder
 * makes of it, with its profile. In `listed.json`, aliases have the real name, and folders of the project are left out.
 * Checksums and fields that the readers ignore are removed from the files.
 */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { inventoryOf } from '../../../corpus/inventory/read.ts'

const folder = join(import.meta.dirname, 'written-by-tools')
const textOf = (path: string) => readFileSync(join(folder, path), 'utf8')
const listed = JSON.parse(textOf('listed.json')) as Record<string, string[]>

/** What a file names and the tool does not list, and the other way round. */
const DIFFERENCES: Readonly<Record<string, { added?: string[]; missing?: string[] }>> = {
  // npm does not list an optional package of another system.
  'npm-11/package-lock.json': { added: ['fsevents 2.3.2'] },
  // Nor does Bun. An archive beside the project has its version in the name of the file alone.
  'bun-1.4/bun.lock': { added: ['fsevents 2.3.2'], missing: ['own-tar 1.2.3'] },
  // The file has no packages of the compiler, as it has none of a Stackage snapshot.
  'stack-2.7/stack.yaml.lock': {
    missing: [
      ...['array 0.5.4.0', 'base 4.15.1.0', 'containers 0.6.4.1', 'deepseq 1.4.5.0', 'ghc-bignum 1.1'],
      ...['ghc-prim 0.7.0', 'rts 1.0.2'],
    ],
  },
  // lockfileVersion 1 has addresses in place of their versions.
  'npm-6/package-lock.json': { missing: ['git-dep 1.4.0', 'own-tar 1.2.3'] },
}

/** Entries that are named as not checked. */
const SKIPPED: Readonly<Record<string, string[]>> = {
  'npm-6/package-lock.json': ['no-version git-dep', 'local own-lib', 'no-version own-tar'],
  'npm-11/package-lock.json': ['local own-lib', 'local packages/a', 'local packages/b'],
  'pnpm-7/pnpm-lock.yaml': ['local file:own-lib'],
  'pnpm-8/pnpm-lock.yaml': ['local file:own-lib', 'bundled ms'],
  'pnpm-12/pnpm-lock.yaml': ['local own-lib@file:own-lib', 'bundled ms'],
  'yarn-1/yarn.lock': ['local own-lib', 'local own-link'],
  'bundler-2/Gemfile.lock': ['local own'],
  'bun-1.4/bun.lock': ['local @own/a', 'local own-lib', 'no-version own-tar', 'local own-lib'],
  'deno-2.9/deno.lock': ['local packages/own'],
  'maven-3.8/pom.xml': ['transitive transitive dependencies'],
  'go-1.19/go.mod': ['local example.com/loc'],
  'pipenv-2022/Pipfile.lock': ['local own'],
  'poetry-1.3/poetry.lock': ['local ownlib'],
  'cargo-1.95/Cargo.lock': ['local app', 'local own'],
  'mix-1.14/mix.lock': ['no-version leaf', 'no-version mid'],
}
const YARN = ['local @own/a', 'local @own/b', 'local audited', 'local linked', 'local own-lib', 'local ported']

for (const [path, packages] of Object.entries(listed)) {
  test(`${path} has the packages that its tool lists`, () => {
    const found = inventoryOf(path, basename(path), Buffer.from(textOf(path)))
    const { added = [], missing = [] } = DIFFERENCES[path] ?? {}
    const names = found.components.map(({ name, version }) => `${name} ${version}`)
    assert.equal(new Set(names), new Set([...packages.filter((one) => !missing.includes(one)), ...added].sort()))
    const skipped = SKIPPED[path] ?? (/^yarn-[24]/.test(path) ? YARN : [])
    assert.equal(
      found.skipped.map(({ reason, name }) => `${reason} ${name}`),
      skipped,
    )
  })
}

test.run()
