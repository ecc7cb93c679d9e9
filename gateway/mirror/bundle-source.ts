/** Copies from a bundle: reads file positions first, and files on request. */
import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { POINTER_NAME } from '../../corpus/snapshot/files/layout.ts'
import { TransferError } from '../../corpus/transfer/error.ts'
import { MirrorError } from './error.ts'
import type { Source } from './source.ts'
import { BLOCK_BYTES, decodeHeader, paddingOf } from './tar.ts'

interface Position {
  at: number
  size: number
}

/** @throws MirrorError `unusable` if the file is not a bundle, or is truncated */
export function bundleSource(file: string): Source {
  const positions = positionsIn(file)
  return {
    name: file,
    isPart: true,
    isLocal: true,
    async open(path, offset) {
      const position = positions.get(path)
      if (!position) throw new TransferError('missing', notInBundle(path, file))
      if (offset > position.size) throw new TransferError('restart', `${path} has ${position.size} bytes`)
      const body = offset === position.size ? Readable.from([]) : bytesOf(file, position, offset)
      return { body, offset, discard: async () => void body.destroy() }
    },
  }
}

/** `end` is inclusive, so an empty range is impossible. */
const bytesOf = (file: string, { at, size }: Position, offset: number) =>
  createReadStream(file, { start: at + offset, end: at + size - 1 })

const notInBundle = (path: string, file: string) =>
  `${path} is not in ${basename(file)}: it holds what is new since the snapshot that its writer had, which is not the one here, or it was written with --derive and is to be read so`

function positionsIn(file: string): Map<string, Position> {
  const positions = new Map<string, Position>()
  const fd = openSync(file, 'r')
  try {
    const { size: fileSize } = fstatSync(fd)
    const header = Buffer.alloc(BLOCK_BYTES)
    for (let at = 0; ; ) {
      const isWhole = readSync(fd, header, 0, BLOCK_BYTES, at) === BLOCK_BYTES
      const entry = isWhole ? decodeHeader(header) : null
      if (!isWhole && at > 0) throw new MirrorError('unusable', `${file} ends too early: it was not copied whole`)
      if (!entry) throw new MirrorError('unusable', `${file} is no bundle: mirror --bundle writes one`)
      if (entry.kind === 'end') break
      const { name, size } = entry
      at += BLOCK_BYTES
      if (entry.kind === 'file') positions.set(name.replace(/^\.\//, ''), { at, size })
      at += size + paddingOf(size)
      if (at > fileSize) throw new MirrorError('unusable', `${file} ends too early: it was not copied whole`)
    }
  } finally {
    closeSync(fd)
  }
  if (!positions.has(POINTER_NAME)) throw new MirrorError('unusable', `${file} is no bundle: it has no ${POINTER_NAME}`)
  return positions
}
