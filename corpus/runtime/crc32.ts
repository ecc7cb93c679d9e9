/** CRC-32 as in gzip (RFC 1952 8), and the CRC-32 of concatenated bytes. */
import { crc32 } from './platform.ts'

export { crc32 }

const POLYNOMIAL = 0xedb88320

/**
 * Returns a·b modulo the polynomial; bit 31 is the coefficient of x⁰. Masks replace branches, which mispredict on
 * random bits.
 */
function multiply(a: number, b: number): number {
  let product = 0
  for (let rest = a; rest !== 0; rest <<= 1) {
    product ^= b & (rest >> 31)
    b = (b >>> 1) ^ (POLYNOMIAL & -(b & 1))
  }
  return product
}

/** x^(2^n): each entry is the square of the previous entry. */
const POWERS = new Int32Array(32)
POWERS[0] = 1 << 30
for (let n = 1; n < 32; n++) POWERS[n] = multiply(POWERS[n - 1]!, POWERS[n - 1]!)

/** Returns x^(8·length), the factor that appending `length` bytes applies to a CRC. */
function shift(length: number): number {
  let product = 1 << 31
  for (let n = 3; length > 0; n++, length = Math.floor(length / 2)) {
    if (length % 2 === 1) product = multiply(POWERS[n & 31]!, product)
  }
  return product
}

/** Cached shifts of the usual lengths. 0 means "not computed yet"; no shift is 0. */
const SHIFTS = new Int32Array(1 << 16)

/** Returns the CRC-32 of A followed by B, given both CRCs and the length of B in bytes. */
export function crc32Combine(crcA: number, crcB: number, lengthB: number): number {
  let by: number
  if (lengthB < SHIFTS.length) {
    by = SHIFTS[lengthB]!
    if (by === 0) SHIFTS[lengthB] = by = shift(lengthB)
  } else {
    by = shift(lengthB)
  }
  return (multiply(by, crcA | 0) ^ crcB) >>> 0
}
