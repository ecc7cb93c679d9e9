/**
 * CRC-32 of a few bytes inside a buffer. zlib's call takes at least 150 ns and a view 20 ns more; for 70 bytes this
 * takes 60 ns.
 */

/** Processes four bytes per step. Table `n` contains the CRC of a byte followed by `n` zero bytes. */
const TABLE = 256
const tables = new Int32Array(4 * TABLE)
for (let byte = 0; byte < TABLE; byte++) {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (0xedb88320 & -(rest & 1))
  tables[byte] = rest
}
for (let at = TABLE; at < tables.length; at++) {
  const before = tables[at - TABLE]!
  tables[at] = (before >>> 8) ^ tables[before & 0xff]!
}

/** Continues `crc` with the bytes from `from` to `to` (exclusive). */
export function shortCrc32(bytes: Uint8Array, from: number, to: number, crc: number): number {
  let rest = ~crc
  let at = from
  for (; at + 4 <= to; at += 4) {
    rest ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    rest =
      tables[3 * TABLE + (rest & 0xff)]! ^
      tables[2 * TABLE + ((rest >>> 8) & 0xff)]! ^
      tables[TABLE + ((rest >>> 16) & 0xff)]! ^
      tables[rest >>> 24]!
  }
  for (; at < to; at++) rest = (rest >>> 8) ^ tables[(rest ^ bytes[at]!) & 0xff]!
  return ~rest >>> 0
}
