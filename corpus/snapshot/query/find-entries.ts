/** The WebAssembly of `find-entries.wat`, which compares sixteen bytes at once. */

// To update it after a change of find-entries.wat: VULNSHELF_TEST_WRITE=1 npm test -- query/find-entries
const WASM_BINARY =
  'AGFzbQEAAAABCwFgBn9/f39/fwF/AhEBBXRleHRzBm1lbW9yeQIAAQMCAQAHDwELZmluZEVudHJpZXMAAArxAgHuAgIKfwJ7IAAtAAD9DyEQIAAgAWpBAWstAAD9DyERAkADQCAGIARPDQEgAiADIAZBAnRqKAIAQQJ0aigCACEJIAkoAgAaIAkoAkAaIAZBAWohBgwACwtBACEGAkADQCAGIARPDQEgAiADIAZBAnRqKAIAQQJ0aiEIIAgoAgAhCUEBIAgoAgQgAWtqIQoCQANAIAkgCk4NASAJ/QAAACAQ/SMgCSABakEBa/0AAAAgEf0j/U79ZCELAkADQCALRQ0BIAkgC2hqIQwgDCAKTg0DIAsgC0EBa3EhC0EAIQ0DQEH//wMgDCANav0AAAAgACANav0AAAD9I/1kcyEOIAEgDWshDyAPQRBJBEAgDkEgIA9rdCEOCyAODQEgDUEQaiENIA0gAUkNAAsgBSAHQQJ0aiAMNgIAIAMgB0ECdGogAyAGQQJ0aigCADYCACAHQQFqIQcMAwsLIAlBEGohCQwACwsgBkEBaiEGDAALCyAHCw=='

/** All parameters but `length` and `count` are addresses in the memory. */
type FindEntries = (
  needle: number,
  length: number,
  starts: number,
  entries: number,
  count: number,
  positions: number,
) => number

interface Memory {
  readonly buffer: ArrayBuffer
}

/** TypeScript has these types for browsers only. */
interface WebAssemblyTypes {
  Memory: new (size: { initial: number }) => Memory
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: { texts: { memory: Memory } }) => { exports: { findEntries: FindEntries } }
}

const PAGE_BYTES = 64 * 1024
const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyTypes }
let compiled: object | null = null

export interface SearchableMemory {
  bytes: Uint8Array
  findEntries: FindEntries
}

/** Returns memory of at least `size` bytes, and the function of `find-entries.wat` for texts in it. */
export function searchableMemory(size: number): SearchableMemory {
  compiled ??= new WebAssembly.Module(Buffer.from(WASM_BINARY, 'base64'))
  const memory = new WebAssembly.Memory({ initial: Math.ceil(size / PAGE_BYTES) })
  const { findEntries } = new WebAssembly.Instance(compiled, { texts: { memory } }).exports
  return { bytes: new Uint8Array(memory.buffer), findEntries }
}
