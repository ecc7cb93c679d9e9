/**
 * Tar for bundles: plain files with USTAR names and sizes (POSIX.1-1988). Bundles need random access and parallel
 * reads, which streaming tar libraries do not offer.
 */

export interface TarEntry {
  name: string
  size: number
}

/** Alignment of headers and files. */
export const BLOCK_BYTES = 512
/** Two blocks of zeros end an archive. */
export const END_BYTES = 2 * BLOCK_BYTES
/** Eleven octal digits. */
export const MAX_ENTRY_BYTES = 0o77777777777

const NAME = { at: 0, length: 100 }
const MODE = { at: 100, length: 8 }
const OWNER = { at: 108, length: 8 }
const GROUP = { at: 116, length: 8 }
const SIZE = { at: 124, length: 12 }
const TIME = { at: 136, length: 12 }
const CHECKSUM = { at: 148, length: 8 }
const TYPE = { at: 156, length: 1 }
const MAGIC = { at: 257, length: 8 }

type Field = typeof NAME

export const paddingOf = (size: number): number => -size & (BLOCK_BYTES - 1)

/** Fixed owner and time: the same files produce the same archive. */
export function encodeHeader({ name, size }: TarEntry): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES)
  header.write(name, NAME.at, NAME.length, 'latin1')
  writeOctal(header, MODE, 0o644)
  for (const field of [OWNER, GROUP, TIME]) writeOctal(header, field, 0)
  writeOctal(header, SIZE, size)
  header.write('0', TYPE.at, 'latin1')
  header.write('ustar\x0000', MAGIC.at, 'latin1')
  writeOctal(header, CHECKSUM, checksumOf(header))
  return header
}

/** `other` is a folder, link or extension to skip; `end` is a block of zeros; null is not a header. */
export function decodeHeader(header: Buffer): (TarEntry & { kind: 'file' | 'other' }) | { kind: 'end' } | null {
  if (header.every((byte) => byte === 0)) return { kind: 'end' }
  const size = readOctal(header, SIZE)
  if (size === null || readOctal(header, CHECKSUM) !== checksumOf(header)) return null
  const type = textOf(header, TYPE)
  return { kind: type === '0' || type === '' ? 'file' : 'other', name: textOf(header, NAME), size }
}

/** The checksum field counts as blanks. */
function checksumOf(header: Buffer): number {
  let sum = CHECKSUM.length * 0x20
  for (const [at, byte] of header.entries()) {
    if (at < CHECKSUM.at || at >= CHECKSUM.at + CHECKSUM.length) sum += byte
  }
  return sum
}

function writeOctal(header: Buffer, { at, length }: Field, value: number): void {
  header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1')
}

function readOctal(header: Buffer, field: Field): number | null {
  const digits = textOf(header, field).trim()
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : null
}

function textOf(header: Buffer, { at, length }: Field): string {
  const text = header.toString('latin1', at, at + length)
  const end = text.indexOf('\0')
  return end < 0 ? text : text.slice(0, end)
}
