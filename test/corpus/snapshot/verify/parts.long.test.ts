/** Rows, page starts and buckets of aliases: `verify` compares them with the other files. */
import { test } from 'uvu'
import { sha256 } from '../../../../corpus/runtime/digest.ts'
import type { Table } from '../../../../corpus/snapshot/codec/table.ts'
import { decodePageStarts, pageStartsContent } from '../../../../corpus/snapshot/derive/page-starts.ts'
import type { Role } from '../../../../corpus/snapshot/files/manifest.ts'
import { CONTRADICTS, goodSnapshot, oneFault } from '../forgery.ts'

const good = await goodSnapshot('verify-parts')

test('buckets of aliases, rows and page starts that other files contradict', async () => {
  const changes: [Role, string, (table: Table) => unknown, (bytes: Buffer) => string][] = [
    // The CRC of the first bucket.
    ['aliases', 'buckets', ({ columns }) => columns.buckets!.fill(1, 0, 1), sha256],
    ['columns', 'rows', ({ columns }) => columns.blocks!.fill(7, 1, 2), sha256],
    ['orders', 'epss', ({ columns }) => columns.key!.fill(5, 0, 1), startsContent],
    ['orders', 'cvss', ({ columns }) => columns.numberLow!.fill(5, 0, 1), startsContent],
    ['orders', 'updated', ({ columns }) => columns.pagesAt!.fill(5, 0, 1), startsContent],
  ]
  for (const [role, name, change, contentOf] of changes) {
    oneFault(await good.faultsOfTable(role, name, change as (table: Table) => void, contentOf), role, CONTRADICTS)
  }
})

const startsContent = (bytes: Buffer) => pageStartsContent(decodePageStarts(bytes))

test.after(() => good.remove())

test.run()
