/** Writes KEV: the catalog of the last night at its usual path, earlier ones in folders named after their dates. */
import { cutOf, DAY_MS, dateOf, nightDate } from '../calendar.ts'
import { FIXES } from '../phrases.ts'
import { weaknessPhrase } from '../record/text.ts'
import { escapedJson } from '../text-file.ts'
import type { Facts, World } from '../world.ts'
import type { SampleFeed, WrittenFile } from './feed.ts'

const FILE = 'known_exploited_vulnerabilities.json'
/** CISA sets a due date after three weeks. */
const DUE_DAYS = 21
/** 293 of 1,404 entries. */
const RANSOMWARE_SHARE = 0.21

export const kev: SampleFeed = {
  name: 'kev',
  write: async (world, folder) => {
    const listed: Facts[] = []
    for (let index = 0; index < world.records; index++) {
      const facts = world.facts(index)
      if (facts.kevAddedAt !== null) listed.push(facts)
    }
    listed.sort((a, b) => b.kevAddedAt! - a.kevAddedAt! || b.index - a.index)
    const files: WrittenFile[] = []
    for (let night = world.nights - 1; night >= 0; night--) {
      const entries = listed.filter((one) => one.kevNight <= night).map((one) => entryOf(world, one))
      const path = night === world.nights - 1 ? FILE : `${nightDate(night)}/${FILE}`
      files.push(await folder.write(path, catalog(night, entries), entries.length))
    }
    return files
  },
}

function catalog(night: number, entries: readonly object[]): string {
  const date = nightDate(night)
  const released = new Date(cutOf(night) - 5 * 3_600_000).toISOString().replace('Z', '6Z')
  const file = {
    title: 'Catalog of Known Exploited Vulnerabilities (synthetic sample)',
    catalogVersion: date.replaceAll('-', '.'),
    dateReleased: released,
    count: entries.length,
    vulnerabilities: entries,
  }
  return escapedJson(file)
}

function entryOf(world: World, facts: Facts): object {
  const random = world.random(facts.id, 'kev')
  const { name, effect } = weaknessPhrase(facts.weakness)
  return {
    cveID: facts.id,
    vendorProject: facts.vendor.name,
    product: facts.product,
    vulnerabilityName: `${facts.vendor.name} ${facts.product} ${name} Vulnerability`,
    dateAdded: dateOf(facts.kevAddedAt!),
    shortDescription: `${facts.vendor.name} ${facts.product} has a flaw that allows an attacker to ${effect}.`,
    requiredAction: random.pick(FIXES),
    dueDate: dateOf(facts.kevAddedAt! + DUE_DAYS * DAY_MS),
    knownRansomwareCampaignUse: random.chance(RANSOMWARE_SHARE) ? 'Known' : 'Unknown',
    notes: `https://advisories.${facts.vendor.key}.example/${facts.id} ; https://catalogue.example.gov/${facts.id}`,
    cwes: random.chance(0.11) ? [] : [`CWE-${facts.weakness}`],
  }
}
