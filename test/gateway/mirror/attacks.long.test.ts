/**
 * What somebody on the way, or at the source, may try, each against a mirror of a genuine signed repository: it is refused
 * with its name, the snapshot that is here stays, and a gateway goes on serving it. The names are The Update Framework's.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { noProgress } from '../../../corpus/command/progress.ts'
import { openSource } from '../../../corpus/repository/source.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import {
  manifestName,
  manifestPath,
  objectName,
  pointerPath,
  readCurrent,
} from '../../../corpus/snapshot/files/layout.ts'
import type { FileEntry } from '../../../corpus/snapshot/files/manifest.ts'
import { encodePointer, type SignedPointer } from '../../../corpus/snapshot/files/pointer.ts'
import type { TrustedKey } from '../../../corpus/snapshot/files/signature.ts'
import { mirror } from '../../../gateway/mirror/mirror.ts'
import { openRegistry } from '../../../gateway/snapshots/registry.ts'
import { stateOf } from '../../cli/command.ts'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { NOW, openWorld, type World } from '../../support/publisher.ts'
import { ownSample } from '../../support/samples.ts'
import { listLog } from '../../support/server.ts'
import { serveFolder, type WebFolder } from '../../support/web-folder.ts'
import { copyResigned, makeSigner, replaceObject, signDist } from './repository.ts'

const folder = temporaryFolder('attacks')
const test = suite('attacks')
// A worker that loads tables does not keep the process alive. A file that runs alone has nothing else that does.
const alive = setInterval(() => {}, 60_000)
test.after(() => {
  clearInterval(alive)
  folder.remove()
})

const signer = await makeSigner()
const stranger = await makeSigner()
const first = await ownSample('small', folder.path)
const [, second] = first.nights as [string, string]
await signDist(first.dist, signer)
const later = join(folder.path, 'later')
cpSync(first.dist, later, { recursive: true })
await ingestAndBuild({ feeds: first.feeds, corpus: first.corpus, dist: later, asOf: second })
await signDist(later, signer)
const laterFiles = readCurrent(later).manifest.files
const [largest] = laterFiles.toSorted((a, b) => b.size - a.size) as [FileEntry]
const isHere = new Set(readCurrent(first.dist).manifest.files.map((file) => file.sha256))
/** What no delta pack leads to. */
const [fresh, otherFresh] = laterFiles.filter((file) => file.derived && !isHere.has(file.sha256)) as [
  FileEntry,
  FileEntry,
]

interface Attack {
  /** What the attacker offers; the second night unless it says otherwise. */
  dist?: string
  /** What is mirrored before; the first night unless it says otherwise. */
  before?: string
  keys?: readonly TrustedKey[]
  change?(repository: WebFolder): void
}

const mirrorTo = (dist: string, from: string, { effects }: World, keys: readonly TrustedKey[] = [signer.publicKey]) =>
  mirror(openSource(from, effects), { dist, keys }, effects, noProgress)

/** Mirrors of the good nights. Each attack gets a copy. */
const mirrored = new Map<string, string>()
for (const dist of [first.dist, later]) {
  const world = openWorld()
  const to = join(folder.path, `mirror-of-${mirrored.size}`)
  await mirrorTo(to, dist, world)
  mirrored.set(dist, to)
  await world.close()
}

let count = 0
function copyOfMirror(night: string): string {
  const dist = join(folder.path, `mirror-${count++}`)
  cpSync(mirrored.get(night)!, dist, { recursive: true })
  return dist
}

/** Lets the attacker have a go at a mirror of a good night; gives why nothing came of it. */
async function attacked({
  dist: offered = later,
  before = first.dist,
  keys = [signer.publicKey],
  change,
}: Attack): Promise<string> {
  const dist = copyOfMirror(before)
  const world = openWorld()
  const repository = await serveFolder(offered)
  const registry = openRegistry(dist, { pollMs: 0, log: listLog().log })
  try {
    const served = registry.current
    const state = stateOf(dist)
    change?.(repository)
    const error = await mirrorTo(dist, repository.url, world, keys).then(
      () => null,
      (reason: unknown) => reason,
    )
    if (!(error instanceof Error) || !('code' in error)) throw new Error(`it got through: ${error}`)
    for (const [name, digest] of Object.entries(state)) assert.is(stateOf(dist)[name], digest, name)
    assert.equal(readFileSync(pointerPath(dist)), readFileSync(pointerPath(before)))
    await registry.refresh()
    assert.is(registry.current, served)
    assert.is(registry.figures.refusals, 0)
    return `${error.code}: ${error.message}`
  } finally {
    registry.close()
    await repository.close()
    await world.close()
  }
}

/** The second night with a manifest that says something else. */
const resigned = (name: string, change: (files: FileEntry[], dist: string) => void) =>
  copyResigned(later, join(folder.path, name), signer, change)

test('rollback: a genuine older pointer', async () => {
  assert.match(
    await attacked({ dist: first.dist, before: later }),
    /^rollback: the source has version 2, older than the local version 4/,
  )
})

test('wrong signature: an old one, which carries what it was made for, around a pointer of somebody else', async () => {
  const dist = join(folder.path, 'forged')
  cpSync(later, dist, { recursive: true })
  const { pointer } = readCurrent(later)
  const { payload, signatures } = JSON.parse(readFileSync(pointerPath(first.dist), 'utf8')) as SignedPointer
  const hostile = encodePointer({ ...pointer, version: 1000 }).toString('base64url')
  const forged = { payload: hostile, signatures: signatures.map((one) => ({ ...one, payload })) }
  writeFileSync(pointerPath(dist), JSON.stringify(forged))
  assert.match(await attacked({ dist }), /^untrusted: no trusted key has signed latest\.json: .* is invalid$/)
})

test('freeze: a genuine pointer that has expired', async () => {
  const dist = join(folder.path, 'frozen')
  cpSync(later, dist, { recursive: true })
  await signDist(dist, signer, { expires_at: new Date(NOW.getTime() - 1).toISOString() })
  assert.match(await attacked({ dist }), /^expired: latest\.json expired at/)
})

test('mix and match: one snapshot and the manifest, or an object, of another', async () => {
  const { pointer } = readCurrent(later)
  const old = readFileSync(manifestPath(first.dist, readCurrent(first.dist).pointer.manifest.sha256))
  const manifestOf = (bytes: Buffer) => (repository: WebFolder) => {
    const name = manifestName(pointer.manifest.sha256)
    repository.fault = ({ path }) => (path === name ? { kind: 'instead', bytes } : null)
  }
  assert.match(await attacked({ change: manifestOf(old) }), /^(?:digest|too_large): /)
  const padded = Buffer.concat([old, Buffer.alloc(Math.max(0, pointer.manifest.size - old.length), ' ')])
  assert.match(
    await attacked({ change: manifestOf(padded.subarray(0, pointer.manifest.size)) }),
    /^digest: the manifest differs from the digest/,
  )
  const bytes = readFileSync(join(later, objectName(otherFresh.sha256)))
  const swapped = (repository: WebFolder) => {
    repository.fault = ({ path }) => (path === objectName(fresh.sha256) ? { kind: 'instead', bytes } : null)
  }
  assert.match(await attacked({ change: swapped }), /^(?:digest|cut|restart): /)
})

test('mix and match: another snapshot under the version that is here', async () => {
  const dist = join(folder.path, 'same-version')
  cpSync(later, dist, { recursive: true })
  await signDist(dist, signer, { version: readCurrent(first.dist).pointer.version })
  assert.match(await attacked({ dist }), /^contradiction: version 2 of the source is another snapshot/)
})

test('endless data: a pointer, a manifest, an object without an end', async () => {
  for (const beginning of ['latest.json', 'manifests/', `objects/${fresh.sha256.slice(0, 2)}/${fresh.sha256}`]) {
    const change = (repository: WebFolder) => {
      repository.fault = ({ path }) => (path.startsWith(beginning) ? { kind: 'endless' } : null)
    }
    assert.match(await attacked({ change }), /^(?:too_large|restart): /, beginning)
  }
})

test('the key of somebody else, a key that has ended, no signature, and a signature of something else', async () => {
  assert.match(await attacked({ keys: [stranger.publicKey] }), /^untrusted: .* is not trusted$/)
  const exp = NOW.getTime() / 1000 - 1
  assert.match(await attacked({ keys: [{ ...signer.publicKey, exp }] }), /^untrusted: .* expired at 2026-/)
  const { expires_at: _, ...pointer } = readCurrent(later).pointer
  for (const [bytes, line] of [
    [encodePointer(pointer), /^untrusted: latest\.json is not signed$/],
    [
      Buffer.from(readFileSync(pointerPath(later), 'utf8').replace(/"payload": "(.{40})./, '"payload": "$1A')),
      /^(?:untrusted|malformed): /,
    ],
  ] as const) {
    const change = (repository: WebFolder) => {
      repository.fault = ({ path }) => (path === 'latest.json' ? { kind: 'instead', bytes } : null)
    }
    assert.match(await attacked({ change }), line)
  }
})

test('a stranger who signs a repository of his own', async () => {
  const dist = join(folder.path, 'strangers')
  cpSync(later, dist, { recursive: true })
  await signDist(dist, stranger)
  assert.match(await attacked({ dist }), /^untrusted: .* is not trusted$/)
  // Nor does it help to be called as the right key is.
  await signDist(dist, { ...stranger, signing: { ...stranger.signing, kid: signer.publicKey.kid } })
  assert.match(await attacked({ dist }), /^untrusted: .* is invalid$/)
})

test('an object that was tampered with, and one that inflates to more than there is room for', async () => {
  const change = (bytes: Buffer | null) => (repository: WebFolder) => {
    repository.fault = ({ path }) => {
      if (path !== objectName(fresh.sha256)) return null
      return bytes ? { kind: 'instead', bytes } : { kind: 'corrupt', at: 4321 }
    }
  }
  assert.match(await attacked({ change: change(null) }), new RegExp(`^digest: .*${fresh.sha256}.*its digest is`))
  const bomb = gzipSync(Buffer.alloc(64 << 20))
  assert.match(await attacked({ change: change(bomb) }), /^(?:digest|cut|restart): /)
})

test('a signer whose tables inflate to a thousand times their size: what is copied of him is not served', async () => {
  for (const role of ['about', 'rejected', 'stats'] as const) {
    const bomb = gzipSync(Buffer.alloc(64 << 20, ' '))
    const dist = await resigned(`bomb-${role}`, (files, at) => {
      const file = files.find((one) => one.role === role)!
      replaceObject(at, file, bomb)
      file.content = sha256(Buffer.alloc(64 << 20, ' '))
    })
    const target = copyOfMirror(first.dist)
    const world = openWorld()
    const registry = openRegistry(target, { pollMs: 0, log: listLog().log })
    try {
      const served = registry.current
      await mirrorTo(target, dist, world)
      await registry.refresh()
      assert.is(registry.current, served)
      assert.is(registry.figures.refusals, 1)
    } finally {
      registry.close()
      await world.close()
    }
  }
})

test('a signed manifest whose files lie elsewhere', async () => {
  for (const [i, path] of ['../../../../tmp/x', '..%2f..%2flatest.json', '/etc/passwd'].entries()) {
    const dist = await resigned(`elsewhere-${i}`, (files) => {
      files[0]!.sha256 = path
    })
    assert.match(await attacked({ dist }), /^malformed: the manifest has an invalid list of files$/)
  }
})

test('a signed manifest of huge files, and a pointer to a huge manifest', async () => {
  const dist = await resigned('huge', (files) => {
    files[0]!.size = 2 ** 52
  })
  assert.match(
    await attacked({ dist }),
    /^too_large: the snapshot has \d+ bytes; the limit is 1000000000000; raise --max-bytes to accept it$/,
  )
  const full = await resigned('full', (files) => {
    files[0]!.size = 9e11
  })
  assert.match(await attacked({ dist: full }), /^no_space: /)
  const pointing = join(folder.path, 'huge-manifest')
  cpSync(later, pointing, { recursive: true })
  const { manifest } = readCurrent(later).pointer
  await signDist(pointing, signer, { manifest: { ...manifest, size: 2 ** 45 } })
  assert.match(
    await attacked({ dist: pointing }),
    /^malformed: latest\.json states a manifest of 35184372088832 bytes; it must have 1 to 8388608$/,
  )
})

test('a size that is not the true one', async () => {
  for (const [i, by] of [1, -1].entries()) {
    const dist = await resigned(`size-${i}`, (files) => {
      const file = files.find(({ sha256: digest }) => digest === largest.sha256)!
      file.size += by
    })
    assert.match(await attacked({ dist }), /^(?:cut|restart|digest): /)
  }
})

test.run()
