/** The files that `vulnshelf check` reads: operands, folders, patterns, what cannot be read. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readInventories } from '../../../builder/check/read.ts'
import { temporaryFolder } from '../../support/dist.ts'

const folder = temporaryFolder('check-read')
const npmLock = (name: string) =>
  JSON.stringify({ lockfileVersion: 3, packages: { [`node_modules/${name}`]: { version: '1.0.0' } } })

/** Writes files into a folder of their own, and returns its path. */
function tree(name: string, files: Record<string, string>): string {
  const root = join(folder.path, name)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

/** Returns what is read of a folder, with paths below it. */
async function read(root: string, exclude: string[] = [], operands = [root]) {
  const { inventories, notChecked, unreadable } = await readInventories(operands, exclude)
  const below = (file: string) => file.replace(`${root}/`, '')
  return {
    files: inventories.map(({ file }) => below(file)),
    notChecked: notChecked.map(({ file, reason }) => `${below(file)}: ${reason}`),
    unreadable: unreadable.map(({ file, message }) => `${below(file)}: ${message.replaceAll(`${root}/`, '')}`),
  }
}

test('a folder is searched for files with known names, in the order of their paths', async () => {
  const root = tree('search', {
    'package-lock.json': npmLock('root'),
    'api/requirements.txt': 'a==1\n',
    'api/deep/down/go.mod': 'module a\ngo 1.22\n',
    'other.json': npmLock('content alone'),
    'node_modules/a/package-lock.json': npmLock('a'),
    'vendor/b/composer.lock': '{}',
    '.git/package-lock.json': npmLock('git'),
  })
  symlinkSync(root, join(root, 'loop'))
  symlinkSync(join(root, 'other.json'), join(root, 'yarn.lock'))
  assert.equal(await read(root), {
    files: ['package-lock.json', 'api/requirements.txt', 'api/deep/down/go.mod'],
    notChecked: [],
    unreadable: [],
  })
})

test('a file that several operands name is read once, with the first path', async () => {
  const root = tree('twice', { 'package-lock.json': npmLock('a'), 'b/yarn.lock': '# yarn lockfile v1\n' })
  const operands = [join(root, 'b/yarn.lock'), root, `${root}/b/../package-lock.json`]
  assert.equal((await read(root, [], operands)).files, ['b/yarn.lock', 'package-lock.json'])
})

test('patterns of the user and of .gitignore files exclude files and folders, those of the deepest folder first', async () => {
  const files = {
    '.gitignore': 'generated/\n*.purl\n/top.purls\n',
    'generated/package-lock.json': npmLock('a'),
    'a/generated/package-lock.json': npmLock('a'),
    'a/one.purl': 'pkg:npm/a@1\n',
    'b/.gitignore': '!kept.purl\n',
    'b/kept.purl': 'pkg:npm/a@1\n',
    'b/top.purls': 'pkg:npm/a@1\n',
    'c/examples/package-lock.json': npmLock('a'),
    'c/package-lock.json': npmLock('a'),
  }
  const root = tree('ignored', { ...files, 'top.purls': 'pkg:npm/a@1\n' })
  const all = ['b/kept.purl', 'b/top.purls', 'c/package-lock.json', 'c/examples/package-lock.json']
  assert.equal((await read(root)).files, all)
  assert.equal((await read(root, ['examples', '/b/*.purls'])).files, ['b/kept.purl', 'c/package-lock.json'])
  // A file that the user names is read in any case.
  assert.equal((await read(root, ['*'], [join(root, 'a/one.purl')])).files, ['a/one.purl'])
})

test('the .gitignore files above a folder count up to the root of the repository', async () => {
  const root = tree('repository', {
    '.gitignore': 'left.purl\n',
    'inner/.git/HEAD': '',
    'inner/.gitignore': 'out.purl\n',
    'inner/a/out.purl': 'pkg:npm/a@1\n',
    'inner/a/left.purl': 'pkg:npm/a@1\n',
  })
  assert.equal((await read(root, [], [join(root, 'inner/a')])).files, ['inner/a/left.purl'])
})

test('manifests and lock files that are not read are named, unless a lock file has their versions', async () => {
  const root = tree('manifests', {
    'package.json': '{}',
    'yarn.lock': '# yarn lockfile v1\n',
    'workspace/package.json': '{}',
    'rust/Cargo.toml': '',
    'carthage/Cartfile.resolved': '',
    'python/requirements.in': 'a',
    'python/requirements.txt': 'a==1\n',
    'python/setup.py': '',
  })
  const { files, notChecked } = await read(root)
  assert.equal(files, ['yarn.lock', 'python/requirements.txt'])
  assert.equal(notChecked, [
    'carthage/Cartfile.resolved: a file of Carthage, whose format is not read',
    'rust/Cargo.toml: a manifest of Cargo: it states no versions in use. Check Cargo.lock',
  ])
})

test('workflows are found by their folder, also from inside it', async () => {
  const workflow = 'on: push\njobs:\n  a:\n    steps:\n    - uses: a/b@v1\n'
  const root = tree('workflows', {
    '.github/workflows/ci.yml': workflow,
    '.github/actions/own/action.yml': 'runs:\n  using: composite\n  steps: []\n',
    '.github/dependabot.yml': 'version: 2\n',
    'other/ci.yml': workflow,
    'dart/pubspec.yaml': 'name: a\n',
  })
  assert.equal(await read(root), {
    files: ['.github/actions/own/action.yml', '.github/workflows/ci.yml'],
    notChecked: ['dart/pubspec.yaml: a manifest of Dart: it states no versions in use. Check pubspec.lock'],
    unreadable: [],
  })
  assert.equal((await read(root, [], [join(root, '.github/workflows')])).files, ['.github/workflows/ci.yml'])
})

test('go.sum counts only where go.mod does not name all modules', async () => {
  const sum = 'example.com/a v1.0.0 h1:abc=\n'
  const root = tree('go', {
    'new/go.mod': 'module a\ngo 1.22\nrequire example.com/a v1.2.0\n',
    'new/go.sum': sum,
    'old/go.mod': 'module a\ngo 1.16\nrequire example.com/a v1.2.0\n',
    'old/go.sum': sum,
    'alone/go.sum': sum,
  })
  assert.equal((await read(root)).files, ['alone/go.sum', 'new/go.mod', 'old/go.mod', 'old/go.sum'])
  assert.equal((await read(root, [], [join(root, 'new/go.mod'), join(root, 'new/go.sum')])).files, [
    'new/go.mod',
    'new/go.sum',
  ])
})

test('a folder without known files is named, and how many were excluded', async () => {
  const root = tree('empty', { 'README.md': '', 'a/package-lock.json': npmLock('a') })
  const [reason] = (await read(root, ['*.json'])).notChecked
  assert.is(reason, `${root}: no lock file or SBOM in this folder; 1 file excluded`)
  mkdirSync(join(root, 'none'))
  const none = join(root, 'none')
  assert.equal((await read(none, [], [none])).notChecked, [`${none}: no lock file or SBOM in this folder`])
})

test('what cannot be read is named with its line, and the other files are read', async () => {
  const root = tree('broken', {
    'a/package-lock.json': '{\n"packages": 1}',
    'b/package-lock.json': npmLock('b'),
    'c/package.json': '{}',
  })
  execFileSync('mkfifo', [join(root, 'fifo')])
  const operands = [
    join(root, 'a'),
    join(root, 'b'),
    join(root, 'c/package.json'),
    join(root, 'none'),
    join(root, 'fifo'),
  ]
  const { files, unreadable } = await read(root, [], operands)
  assert.equal(files, ['b/package-lock.json'])
  assert.is(unreadable.length, 4)
  assert.match(unreadable[0]!, /^a\/package-lock\.json: a\/package-lock\.json:1: not a valid package-lock\.json/)
  assert.match(unreadable[1]!, /^c\/package\.json: c\/package\.json is a manifest of npm/)
  assert.match(unreadable[2]!, /^none: cannot read none: ENOENT/)
  assert.match(unreadable[3]!, /^fifo: cannot read fifo: .*is a FIFO/)
})

test('more entries than the bound in all files are an error', async () => {
  const many = Array.from({ length: 260_000 }, (_, i) => `pkg:npm/a@${i}`).join('\n')
  const root = tree('many', { 'a.purl': many, 'b.purl': many })
  const error = await read(root).catch((thrown: Error) => thrown)
  assert.match((error as Error).message, /^the files have more than 500,000 packages and other entries, the limit/)
})

test.after(() => folder.remove())

test.run()
