/** Writes the CVE list v5: a zip of all records for each night, and a zip of the changes for each later night. */
import { cveBlock } from '../../model/ids/cve-id.ts'
import { nightDate } from '../calendar.ts'
import { type Entries, edited, type SampleFeed, zipOutput } from '../outputs.ts'
import { cveRecord } from '../records/record.ts'
import type { Facts } from '../world.ts'

export const cvelist: SampleFeed = async (world, folder) => {
  const item = (facts: Facts) =>
    edited(
      facts.born,
      facts.change?.night ?? null,
      (night) => `${JSON.stringify(cveRecord(world, facts, night), null, 2)}\n`,
    )
  const all: Entries = (facts) => [{ name: `cves/${cveBlock(facts.id)}/${facts.id}.json`, item: item(facts) }]
  const delta: Entries = (facts) =>
    facts.born > 0 || facts.change ? [{ name: `deltaCves/${facts.id}.json`, item: item(facts) }] : []
  return [
    await zipOutput(world, folder, (night) => `cvelistv5/${nightDate(night)}_all_CVEs.zip`, all),
    await zipOutput(world, folder, (night) => `cvelistv5/${nightDate(night)}_delta_CVEs.zip`, delta, true),
  ]
}
