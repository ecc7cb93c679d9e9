/** Writes the CNA list, `CNAsList.json`: one file for all nights. */

import { type Cna, contactOf, hostOf } from '../cnas.ts'
import { weighted } from '../distribution.ts'
import { Random } from '../random.ts'
import type { World } from '../world.ts'
import type { SampleFeed } from './feed.ts'

/** Weights: counts in the list of 2024-10-08 with 412 CNAs. */
const TYPES = weighted<readonly string[]>([
  [['Vendor'], 185],
  [['Vendor', 'Open Source'], 70],
  [['Vendor', 'Researcher'], 38],
  [['Researcher'], 26],
  [['CERT'], 16],
  [['Vendor', 'Open Source', 'Researcher'], 14],
  [['Open Source'], 14],
  [['Hosted Service', 'Vendor'], 5],
  [['Bug Bounty Provider'], 4],
])
const COUNTRIES = weighted([
  ['USA', 223],
  ['China', 22],
  ['Germany', 18],
  ['UK', 12],
  ['Japan', 12],
  ['Taiwan', 11],
  ['Israel', 10],
  ['Switzerland', 9],
  ['Canada', 8],
  ['India', 8],
  ['South Korea', 7],
  ['Netherlands', 6],
])

export const cna: SampleFeed = {
  name: 'cna',
  write: async (world, folder) => {
    const root = world.cnas[0]!
    const entries = world.cnas.map((one) => entryOf(world, one, root))
    return [await folder.write('CNAsList.json', `${JSON.stringify(entries, null, 2)}\n`, entries.length)]
  },
}

function entryOf(world: World, one: Cna, root: Cna): object {
  const random = new Random(world.seed, 'cna-entry', one.rank)
  const host = hostOf(one)
  const isRoot = one.rank === 0
  const page = (label: string, path: string) => [{ label, url: `https://${host}/${path}` }]
  return {
    shortName: one.shortName,
    cnaID: `CNA-${random.between(1999, 2026)}-${String(one.rank + 1).padStart(4, '0')}`,
    organizationName: one.organisation,
    scope: isRoot
      ? 'All vulnerabilities that no other authority covers'
      : `Products of ${one.organisation}, supported or not`,
    contact: [
      {
        email: [{ label: 'Email', emailAddr: contactOf(one) }],
        contact: page('Contact page', 'security'),
        form: [],
      },
    ],
    disclosurePolicy: [{ label: 'Policy', language: '', url: `https://${host}/policy` }],
    securityAdvisories: {
      alerts: [],
      advisories: random.chance(0.95) ? page('Advisories', 'advisories') : [],
    },
    resources: [],
    CNA: {
      isRoot,
      root: { shortName: 'n/a', organizationName: 'n/a' },
      type: [...TYPES(random.float())],
      TLR: { shortName: root.shortName, organizationName: root.organisation },
      roles: isRoot
        ? [
            { helpText: '', role: 'Top-Level Root' },
            { helpText: '', role: 'CNA-LR' },
          ]
        : [{ helpText: '', role: 'CNA' }],
    },
    country: COUNTRIES(random.float()),
  }
}
