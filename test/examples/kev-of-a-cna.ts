/** Lists the known exploited CVEs of a CNA: `npx tsx test/examples/kev-of-a-cna.ts <folder|url> <cna>`. */
import { openReader } from 'vulnshelf/reader'

const [address, assigner] = process.argv.slice(2)
if (!address || !assigner) throw new Error('usage: kev-of-a-cna.ts <folder|url> <cna>')

const reader = await openReader(address)
try {
  for await (const { cve_id, kev, title } of reader.walk({ assigner, kev: true })) {
    console.log(`${cve_id}\t${kev.date_added}\t${title}`)
  }
} finally {
  await reader.close()
}
