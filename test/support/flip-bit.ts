import { readFileSync, writeFileSync } from 'node:fs'

/** Flips a bit of the byte at `at`; by default in the middle of the file. */
export function flipBit(path: string, at?: number): void {
  const bytes = readFileSync(path)
  bytes[at ?? bytes.length >> 1]! ^= 4
  writeFileSync(path, bytes)
}

/** Runs `work` while a bit of the byte at `at` is flipped. */
export function whileFlipped(path: string, at: number, work: () => void): void {
  flipBit(path, at)
  try {
    work()
  } finally {
    flipBit(path, at)
  }
}
