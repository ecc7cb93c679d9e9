/** Opens the files of a bundle. Their positions are read first. */
import { closeSync, fstatSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { openRegularFile } from '../runtime/regular-file.ts'
import { POINTER_NAME } from '../snapshot/index.ts'
import { TransferError } from '../transfer/error.ts'
import { openRange, readSpans } from './folder-source.ts'
import type { Source } from './source.ts'
import { BLOCK_BYTES, decodeHeader, paddingOf } from './tar.ts'

interface Position {
  at: number
  size: number
}

/** @throws TransferError `unusable` if the file is not a bundle, or is truncated */
export function bundleSource(file: string): Source {
  const positions = positionsIn(file)
  return {
    name: file,
    isLocal: true,
    isBundle: true,
    async open(path, from, to) {
      const position = positions.get(path)
      if (!position) throw new TransferError('missing', notInBundle(path, file))
      return openRange(file, () => file, from, to, position)
    },
    async readSpans(path, spans) {
      const position = positions.get(path)
      if (!position) throw new TransferError('missing', notInBundle(path, file))
      return readSpans(file, () => file, spans, position.at)
    },
    close: async () => {},
  }
}

const notInBundle = (path: string, file: string) =>
  `${path} is not in ${basename(file)}: it contains only files that are new since an earlier snapshot; mirror the bundle before it first, or use --derive if it was written with --derive`

function positionsIn(file: string): Map<string, Position> {
  const positions = new Map<string, Position>()
  const fd = openRegularFile(file)
  try {
    const { size: fileSize } = fstatSync(fd)
    const header = Buffer.alloc(BLOCK_BYTES)
    for (let at = 0; ; ) {
      const isWhole = readSync(fd, header, 0, BLOCK_BYTES, at) === BLOCK_BYTES
      const entry = isWhole ? decodeHeader(header) : null
      if (!isWhole && at > 0) throw new TransferError('unusable', `${file} ends too early: it was not copied whole`)
      if (!entry)
        throw new TransferError(
          'unusable',
          `${file} is not a bundle; create one with vulnshelf-gateway mirror --bundle`,
        )
      if (entry.kind === 'end') break
      const { name, size } = entry
      at += BLOCK_BYTES
      if (entry.kind === 'file') positions.set(name.replace(/^\.\//, ''), { at, size })
      at += size + paddingOf(size)
      if (at > fileSize) throw new TransferError('unusable', `${file} ends too early: it was not copied whole`)
    }
  } finally {
    closeSync(fd)
  }
  if (!positions.has(POINTER_NAME))
    throw new TransferError('unusable', `${file} is not a bundle: it has no ${POINTER_NAME}`)
  return positions
}
