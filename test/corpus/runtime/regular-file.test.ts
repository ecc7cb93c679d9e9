/** Files that are none: a read never waits, and never takes more than its bound. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { writingTo } from '../../../corpus/command/system-error.ts'
import {
  FileError,
  openRegularFileHandle,
  readRegularFile,
  streamRegularFile,
} from '../../../corpus/runtime/regular-file.ts'
import { temporaryFolder } from '../../support/dist.ts'

const folder = temporaryFolder('regular-file')
const at = (name: string) => join(folder.path, name)
const socket = createServer().listen(at('socket'))
execFileSync('mkfifo', [at('fifo')])
mkdirSync(at('folder'))
writeFileSync(at('file'), 'content')

const NOT_REGULAR: [path: string, kind: string][] = [
  ['/dev/zero', 'device'],
  [at('fifo'), 'FIFO'],
  [at('folder'), 'folder'],
  [at('socket'), 'socket'],
]

for (const [path, kind] of NOT_REGULAR) {
  test(`a ${kind} is refused, also behind a link`, async () => {
    const link = at(`link-${kind}`)
    symlinkSync(path, link)
    for (const one of [path, link]) {
      const refusal = (error: Error) => error instanceof FileError && error.message.startsWith(`${one} is a ${kind};`)
      assert.throws(() => readRegularFile(one, 100), refusal)
      assert.throws(() => streamRegularFile(one), refusal)
      const error = await openRegularFileHandle(one).catch((thrown: Error) => thrown)
      // The system does not open a socket.
      assert.ok((error as NodeJS.ErrnoException).code === 'ENXIO' || refusal(error as Error), String(error))
    }
  })
}

test('no command writes in place of a device, a FIFO, a socket or a stream', async () => {
  symlinkSync(at('fifo'), at('output'))
  for (const path of ['/dev/null', '/dev/stdout', '/dev/fd/1', at('fifo'), at('socket'), at('output')]) {
    let ran = false
    const work = async () => {
      ran = true
    }
    const error = await writingTo(path, work).catch((thrown: Error) => thrown)
    assert.ok(error instanceof FileError && error.message.startsWith(`${path} is a `), String(error))
    assert.is(ran, false)
  }
  for (const [path, message] of [
    ['-', "'-' is no path, and standard output is not supported; state"],
    ['', 'the path of the output is empty; state'],
  ] as const) {
    const error = await writingTo(path, async () => assert.unreachable()).catch((thrown: Error) => thrown)
    assert.ok(error instanceof FileError && error.message.startsWith(message), String(error))
  }
  for (const path of [at('file'), at('folder'), at('new')]) assert.is(await writingTo(path, async () => path), path)
})

test('a regular file is read up to its bound, also behind a link', async () => {
  symlinkSync(at('file'), at('link'))
  writeFileSync(at('empty'), '')
  writeFileSync(at('large'), 'x'.repeat(300_000))
  for (const name of ['file', 'link']) {
    assert.is(readRegularFile(at(name), 7).toString(), 'content')
    assert.throws(() => readRegularFile(at(name), 6), `${at(name)} is larger than 6 bytes, the limit`)
  }
  assert.is(readRegularFile(at('empty'), 0).length, 0)
  assert.is(readRegularFile(at('large'), 1 << 20).length, 300_000)
  assert.throws(() => readRegularFile(at('none'), 7), /ENOENT/)
  const chunks: Buffer[] = []
  for await (const chunk of streamRegularFile(at('file'), { start: 3, end: 5 })) chunks.push(chunk)
  assert.is(Buffer.concat(chunks).toString(), 'ten')
})

test('a file in /proc, whose stated size is 0, is read up to the bound', () => {
  const status = readRegularFile('/proc/self/status', 1 << 20).toString()
  assert.match(status, /^Name:/)
  assert.is(status.split('\n').length, readFileSync('/proc/self/status', 'utf8').split('\n').length)
  assert.throws(() => readRegularFile('/proc/self/status', 20), /larger than 20 bytes/)
})

test('standard input and a process substitution may be pipes', () => {
  const module = join(import.meta.dirname, '../../../corpus/runtime/regular-file.ts')
  const program = `import { readRegularFile } from ${JSON.stringify(module)}
    process.stdout.write(readRegularFile(process.argv.at(-1), 100_000))`
  const read = (words: string) =>
    spawnSync('bash', ['-c', words, process.execPath, program], { encoding: 'utf8', timeout: 60_000 })
  const node = '"$0" --input-type=module -e "$1" --'
  assert.is(read(`printf abc | ${node} /dev/stdin`).stdout, 'abc')
  assert.is(read(`${node} <(printf abc; head -c 90000 /dev/zero)`).stdout, `abc${'\0'.repeat(90_000)}`)
  assert.match(read(`${node} <(head -c 100001 /dev/zero)`).stderr, /larger than 100000 bytes, the limit/)
  assert.match(read(`${node} /dev/stdin < /dev/zero`).stderr, /larger than 100000 bytes, the limit/)
})

test.after(() => {
  socket.close()
  folder.remove()
})

test.run()
