/** Writes the nuclei template index, `cves.json`: one JSON object per line, by CVE id. */
import { coverageOf } from '../coverage.ts'
import { quantiles } from '../distribution.ts'
import { attackKind } from '../exploits/attack.ts'
import { writeTexts } from '../nightly.ts'
import { OUTCOMES } from '../phrases.ts'
import type { Random } from '../random.ts'
import { weaknessPhrase } from '../record/text.ts'
import type { Facts, World } from '../world.ts'
import type { SampleFeed } from './feed.ts'
import { nvdScore } from './nvd/metrics.ts'

/** 4,107 templates for about 340,000 CVEs, nearly all for web products. */
const WEB_SHARE = 0.0148
const OTHER_SHARE = 0.001
const KEV_SHARE = 0.3
/** Length in characters. */
const DESCRIPTION_LENGTH = quantiles('0:60 0.1:120 0.5:240 0.75:330 0.9:450 0.99:780 1:3100')

export const nuclei: SampleFeed = {
  name: 'nuclei',
  write: (world, folder) =>
    writeTexts(world, folder, { path: 'cves.json', gzip: false }, function* (facts) {
      const kind = attackKind(facts, world.random(facts.id, 'template-kind'))
      const share = kind === 'webapps' ? WEB_SHARE : OTHER_SHARE
      const coverage = coverageOf(world, facts, 'nuclei', facts.kevAddedAt === null ? share : KEV_SHARE)
      if (!coverage) return
      const editions = [{ night: coverage.from, text: line(world, facts, '') }]
      if (coverage.changedIn !== null)
        editions.push({ night: coverage.changedIn, text: line(world, facts, ' Checked against the fixed release.') })
      yield editions
    }),
}

function line(world: World, facts: Facts, addition: string): string {
  const random = world.random(facts.id, 'template')
  const { name, effect } = weaknessPhrase(facts.weakness)
  const score = nvdScore(world, facts)
  const folder = random.chance(0.97) ? 'http' : random.pick(['network', 'javascript'])
  const template = {
    ID: facts.id,
    Info: {
      Name: `${facts.vendor.name} ${facts.product} - ${name}`,
      Severity: String(score.baseSeverity).toLowerCase(),
      Description: `${described(`${facts.product} lets an attacker ${effect}.`, random)}${addition}\n`,
      Classification: { CVSSScore: String(score.baseScore) },
    },
    file_path: `${folder}/cves/${facts.id.slice(4, 8)}/${facts.id}.yaml`,
  }
  return `${JSON.stringify(template)}\n`
}

function described(first: string, random: Random): string {
  const target = DESCRIPTION_LENGTH(random.float())
  let text = first
  while (text.length < target - 40) text += ` ${random.pick(OUTCOMES)}`
  return text
}
