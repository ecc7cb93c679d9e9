/** Lists the known exploited CVEs of a CNA: `node kev-of-a-cna.ts <folder|url> <cna>`, with vulnshelf installed. */
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
