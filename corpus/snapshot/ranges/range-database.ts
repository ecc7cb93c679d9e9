/**
 * SQLite's WebAssembly build on a database of which parts are read. SQLite reads synchronously, so a statement that needs
 * a page that is not in memory fails, and runs again when the page has arrived.
 */
import type { Database, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { generationalCache } from '../../runtime/generational-cache.ts'
import { remembered } from '../../runtime/remembered.ts'
import {
  CRC_BYTES,
  checkPage,
  checkQuerySchema,
  MAX_PAGE_BYTES,
  SnapshotError,
  type Span,
  type Statement,
  type StatementRow,
} from '../index.ts'

export interface RangeDatabase {
  /** @throws SnapshotError, and errors of `read` */
  rows(statement: Statement): Promise<StatementRow[]>
  close(): void
}

/** Returns the bytes of each span. */
type ReadSpans = (spans: readonly Span[]) => Promise<Uint8Array[]>

/** A file that SQLite has open. `read` returns false if the bytes are not in memory. */
interface OpenFile {
  size: number
  read(into: Uint8Array, at: number): boolean
}

const VFS = 'vulnshelf'
/** Pages are read in blocks. A block that follows the last one read is read with more of those behind it. */
const BLOCK_BYTES = 32 * 1024
const MOST_BLOCKS = 16
/** Memory for blocks, per database. */
const KEPT_BYTES = 64 * 1024 * 1024
/** SQLite's own cache: only pages that a statement uses again and again. */
const CACHE_KIB = 1024

interface Engine {
  sqlite: Sqlite3Static
  files: Map<string, OpenFile>
}

const engines = new Map<string, Promise<Engine>>()
let opened = 0

/** Loads SQLite at the first search. */
async function loadEngine(): Promise<Engine> {
  const { default: init } = await import('@sqlite.org/sqlite-wasm')
  const sqlite = await init()
  // A statement that waits for a page would be a warning.
  sqlite.config.warn = () => {}
  return { sqlite, files: installVfs(sqlite) }
}

/** Opens a `query.db` of `size` bytes. */
export async function openRangeDatabase(size: number, readSpans: ReadSpans): Promise<RangeDatabase> {
  const [head] = await readSpans([{ at: 0, length: Math.min(size, MAX_PAGE_BYTES) }])
  const { pageSize, pages } = checkQuerySchema(Buffer.from(head!))
  const end = pages * pageSize
  if (size !== end + pages * CRC_BYTES) {
    throw new SnapshotError('malformed', `query.db has ${size} bytes, which do not fit its ${pages} pages`)
  }
  const [trailer] = await readSpans([{ at: end, length: size - end }])
  const crcs = new DataView(trailer!.buffer, trailer!.byteOffset, trailer!.length)
  const { sqlite, files } = await remembered(engines, VFS, loadEngine)
  const blockBytes = Math.max(BLOCK_BYTES, pageSize)
  const blocks = generationalCache<number, Uint8Array>(KEPT_BYTES, ({ length }) => length)
  const wanted = new Set<number>()
  let misses = 0
  let loading: Promise<void> | null = null
  /** The block behind the last ones that were read, and their number. */
  const sequence = { next: -1, length: 1 }

  const file: OpenFile = {
    size: end,
    read(into, at) {
      const first = Math.floor(at / blockBytes)
      const last = Math.floor((at + into.length - 1) / blockBytes)
      let isWhole = true
      for (let number = first; number <= last; number++) {
        const block = blocks.get(number)
        if (!block) {
          wanted.add(number)
          misses++
          isWhole = false
          continue
        }
        const from = Math.max(at, number * blockBytes)
        into.set(block.subarray(from - number * blockBytes, at + into.length - number * blockBytes), from - at)
      }
      return isWhole
    },
  }

  /** Reads the blocks that statements want, in one go. */
  async function load(): Promise<void> {
    await null
    const numbers = [...wanted]
    wanted.clear()
    loading = null
    if (numbers.length === 1 && numbers[0] === sequence.next) {
      sequence.length = Math.min(2 * sequence.length, MOST_BLOCKS)
      for (let i = 1; i < sequence.length; i++) numbers.push(numbers[0] + i)
    } else sequence.length = 1
    const spans = numbers
      .map((number) => ({ number, at: number * blockBytes, length: Math.min(blockBytes, end - number * blockBytes) }))
      .filter(({ number, length }) => length > 0 && !blocks.get(number))
    sequence.next = Math.max(...numbers) + 1
    if (spans.length === 0) return
    const parts = await readSpans(spans)
    for (const [i, { number }] of spans.entries()) {
      const block = parts[i]!
      for (let at = 0; at < block.length; at += pageSize) {
        const page = (number * blockBytes + at) / pageSize
        checkPage(page, block.subarray(at, at + pageSize), crcs.getUint32(page * CRC_BYTES, true))
      }
      blocks.set(number, block)
    }
  }

  const name = `query-${opened++}`
  files.set(name, file)

  /** Runs `work` until no page is absent that it reads. */
  async function whenRead<T>(work: () => T): Promise<T> {
    for (;;) {
      const before = misses
      try {
        return work()
      } catch (cause) {
        if (misses === before) throw new SnapshotError('malformed', 'query.db cannot be read', { cause })
      }
      loading ??= load()
      await loading
    }
  }

  const database: Database = await whenRead(() => new sqlite.oo1.DB({ filename: name, flags: 'r', vfs: VFS }))
  const rows = ({ sql, values }: Statement): Promise<StatementRow[]> =>
    whenRead(() => database.selectArrays(sql, values))

  for (const pragma of [
    'trusted_schema = OFF',
    'cell_size_check = ON',
    'locking_mode = EXCLUSIVE',
    `cache_size = -${CACHE_KIB}`,
    'query_only = ON',
  ]) {
    await rows({ sql: `PRAGMA ${pragma}`, values: [], isLong: false })
  }
  return {
    rows,
    close() {
      database.close()
      files.delete(name)
    },
  }
}

/** The members of its structures, which the types of the package name otherwise. */
interface Structures {
  sqlite3_io_methods: new () => { pointer: number; $iVersion: number }
  sqlite3_vfs: new () => { $iVersion: number; $szOsFile: number; $mxPathname: number; $zName: number }
  sqlite3_file: {
    new (pointer: number): { $pMethods: number; dispose(): void }
    structInfo: { sizeof: number }
  }
}

/** Installs a file system whose files are in the map that it returns. It only reads. */
function installVfs(sqlite: Sqlite3Static): Map<string, OpenFile> {
  const { wasm, vfs: api } = sqlite
  const capi = sqlite.capi as unknown as Omit<typeof sqlite.capi, keyof Structures> & Structures
  const files = new Map<string, OpenFile>()
  const open = new Map<number, OpenFile>()
  const io = new capi.sqlite3_io_methods()
  io.$iVersion = 1
  const vfs = new capi.sqlite3_vfs()
  vfs.$iVersion = 1
  vfs.$szOsFile = capi.sqlite3_file.structInfo.sizeof
  vfs.$mxPathname = 64
  vfs.$zName = wasm.allocCString(VFS, false)
  const done = () => 0
  const refused = () => capi.SQLITE_READONLY
  api.installVfs({
    io: {
      struct: io,
      methods: {
        xClose(pointer: number) {
          open.delete(pointer)
          return 0
        },
        xRead(pointer: number, into: number, length: number, at: bigint) {
          const file = open.get(pointer)!
          const bytes = wasm.heap8u().subarray(into, into + length)
          const there = Math.max(0, Math.min(length, file.size - Number(at)))
          if (there > 0 && !file.read(bytes.subarray(0, there), Number(at))) return capi.SQLITE_IOERR
          if (there === length) return 0
          bytes.fill(0, there)
          return capi.SQLITE_IOERR_SHORT_READ
        },
        xWrite: refused,
        xTruncate: refused,
        xSync: done,
        xFileSize(pointer: number, into: number) {
          wasm.poke64(into, BigInt(open.get(pointer)!.size))
          return 0
        },
        xLock: done,
        xUnlock: done,
        xCheckReservedLock(_: number, into: number) {
          wasm.poke32(into, 0)
          return 0
        },
        xFileControl: () => capi.SQLITE_NOTFOUND,
        xSectorSize: () => 512,
        xDeviceCharacteristics: () => capi.SQLITE_IOCAP_IMMUTABLE,
      },
    },
    vfs: {
      struct: vfs,
      methods: {
        xOpen(_: number, name: number, pointer: number, flags: number, flagsInto: number) {
          const file = name === 0 ? undefined : files.get(wasm.cstrToJs(name) ?? '')
          if (!file) return capi.SQLITE_CANTOPEN
          const handle = new capi.sqlite3_file(pointer)
          handle.$pMethods = io.pointer
          handle.dispose()
          open.set(pointer, file)
          wasm.poke32(flagsInto, flags)
          return 0
        },
        xDelete: refused,
        xAccess(_: number, _name: number, _flags: number, into: number) {
          wasm.poke32(into, 0)
          return 0
        },
        xFullPathname(_: number, name: number, length: number, into: number) {
          return wasm.cstrncpy(into, name, length) < length ? 0 : capi.SQLITE_CANTOPEN
        },
      },
    },
  } as never)
  return files
}
