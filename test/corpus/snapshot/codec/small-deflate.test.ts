/** Small inputs on one stream give the bytes of separate streams, whatever the internals of Node's stream. */
import { constants, createDeflateRaw, deflateRawSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Internals, openSmallDeflate, SMALL_MAX } from '../../../../corpus/snapshot/codec/small-deflate.ts'

const OPTIONS = { level: 6, windowBits: 12, memLevel: 5, finishFlush: constants.Z_FULL_FLUSH }
const textOf = (length: number) => Buffer.from(Array.from({ length }, (_, i) => 97 + ((i * 7 + (i >> 4)) % 23)))
const INPUTS = [SMALL_MAX, 151, 900, 3000, 152, 0, SMALL_MAX, 1].map(textOf)

/** Returns a stream of Node with a wrapped handle; `calls` counts its writes. */
function wrapped(change: (handle: NonNullable<Internals['_handle']>) => NonNullable<Internals['_handle']> | null) {
  const made = { count: 0, calls: 0 }
  const make = (): Internals => {
    made.count++
    const stream = createDeflateRaw(OPTIONS) as unknown as Internals
    const handle = stream._handle as Required<NonNullable<Internals['_handle']>>
    const counted = {
      reset: () => handle.reset(),
      writeSync: (...args: Parameters<typeof handle.writeSync>) => {
        made.calls++
        handle.writeSync(...args)
      },
    }
    return { _handle: change(counted), _writeState: stream._writeState! }
  }
  return { make, made }
}

function assertSame(deflate: (plain: Uint8Array) => Buffer, what: string) {
  for (const plain of INPUTS) assert.equal(deflate(plain), deflateRawSync(plain, OPTIONS), `${what}: ${plain.length}`)
}

test('one stream gives the bytes of fresh ones, in any order of lengths', () => {
  const { make, made } = wrapped((handle) => handle)
  const deflate = openSmallDeflate('26.10.0', make)
  const probes = made.calls
  assertSame(deflate, 'one stream')
  assert.ok(made.calls >= probes + INPUTS.length)
})

test('a stream without its handle, or with less of it, is not used', () => {
  for (const lacks of ['handle', 'writeSync', 'reset'] as const) {
    const { make, made } = wrapped((handle) => (lacks === 'handle' ? null : { ...handle, [lacks]: undefined }))
    assertSame(openSmallDeflate('26.10.0', make), `without ${lacks}`)
    assert.is(made.calls, 0)
  }
  const { make } = wrapped((handle) => handle)
  assertSame(
    openSmallDeflate('26.10.0', () => ({ _handle: make()._handle! })),
    'without its state',
  )
})

test('a handle that keeps what it had before is found out by the probes', () => {
  const { make, made } = wrapped((handle) => ({ ...handle, reset: () => {} }))
  const deflate = openSmallDeflate('26.10.0', make)
  const probes = made.calls
  assert.ok(probes > 0)
  assertSame(deflate, 'without resetting')
  assert.is(made.calls, probes)
})

test('on another major version of node the handle is not even looked at', () => {
  for (const version of ['22.19.0', '27.0.0', '']) {
    const { make, made } = wrapped((handle) => handle)
    assertSame(openSmallDeflate(version, make), version)
    assert.is(made.count, 0)
  }
})

test.run()
