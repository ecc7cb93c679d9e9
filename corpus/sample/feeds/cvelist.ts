/** Writes the CVE list v5: a zip of all records for each night, and a zip of the changes for each later night. */
import { cveBlock } from '../../model/ids/cve-id.ts'
import { nightDate } from '../calendar.ts'
import { edited, type SampleFeed, zipOutput } from '../outputs.ts'
import { cveRecord } from '../records/record.ts'
import type { Facts } from '../world.ts'

export const cvelist: SampleFeed = async (world, folder) => {
  const item = (facts: Facts, name: string) => {
    const text = (night: number) => `${JSON.stringify(cveRecord(world, facts, night), null, 2)}\n`
    return edited(facts.born, facts.change?.night ?? null, text, name)
  }
  const all = (facts: Facts) => [item(facts, `cves/${cveBlock(facts.id)}/${facts.id}.json`)]
  const delta = (facts: Facts) => (facts.born > 0 || facts.change ? [item(facts, `deltaCves/${facts.id}.json`)] : [])
  return [
    await zipOutput(world, folder, (night) => `cvelistv5/${nightDate(night)}_all_CVEs.zip`, all),
    await zipOutput(world, folder, (night) => `cvelistv5/${nightDate(night)}_delta_CVEs.zip`, delta, true),
  ]
}
