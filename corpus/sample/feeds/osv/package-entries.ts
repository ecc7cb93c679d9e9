/** The entries of the further package advisories: malicious packages, flaws in several databases, Debian. */
import type { Advisory } from '../../advisories/advisory.ts'
import { cutOf, DAY_MS, FIRST_NIGHT, HOUR_MS } from '../../calendar.ts'
import { beforeChange, flawsOf } from '../../packages/flaws.ts'
import { type Item, pairsAt } from '../../packages/items.ts'
import { malwareOf } from '../../packages/malware.ts'
import { projectAt, projectRank } from '../../packages/projects.ts'
import { Random } from '../../random.ts'
import { type Facts, publishedFrom, type World } from '../../world.ts'
import { modifiedAt, secondOf } from '../ghsa.ts'
import { copyEntry, DATABASES, type Exported, exported, fractionOf, NUMBERS_EACH, withdrawnMember } from './entries.ts'

/** Debian's releases, oldest first. */
const DEBIAN_RELEASES = [11, 12, 13]

export function* packageEntries(
  world: World,
  facts: Facts,
  withdrawn: ReadonlyMap<number, number>,
): Generator<Exported> {
  for (const [position, pair] of pairsAt(world, facts, withdrawn).entries()) {
    const { kind } = pair[0]!
    if (kind === 'flaw') yield* flawEntries(world, facts, pair)
    else {
      for (const [half, item] of pair.entries()) {
        if (kind === 'malware') yield malwareEntry(world, item)
        else yield debianEntry(world, facts, item, position === 0 && half === 0)
      }
    }
  }
}

/** Numbers of ids after those of the advisories that GitHub's repository has. */
const numberOf = (world: World, item: Item) => world.records * NUMBERS_EACH + item.number

function* flawEntries(world: World, facts: Facts, pair: readonly Item[]): Generator<Exported> {
  for (const { flaw, items } of flawsOf(world, facts, pair)) {
    const { ecosystem, advisory, database } = flaw
    const about = { ...facts, product: advisory.packages[0]!.package.repository.replace(/^.*\//, '') }
    const [first, second] = items
    yield exported([ecosystem], first!, (night) => copyEntry(world, about, editionOf(advisory, first!, night), night))
    if (!second || !database) continue
    const { from, changedIn, withdrawnIn } = second
    const copy = { ...database, from, changedIn, withdrawnIn }
    yield exported([ecosystem], second, (night) =>
      DATABASES.get(ecosystem)!(world, about, copy, night, numberOf(world, second)),
    )
  }
}

function editionOf(advisory: Advisory, item: Item, night: number): Advisory {
  return item.changedIn === null || isChangedBy(item, night) ? advisory : beforeChange(advisory)
}

const isChangedBy = ({ changedIn }: Item, night: number) => changedIn !== null && changedIn <= night

/** Returns the dates of an entry that is published at a time and has the nights of an item. */
function datesOf(item: Item, publishedAt: number, night: number) {
  const dated = { ...item, publishedAt }
  const modified = fractionOf(modifiedAt(dated, night), item.number)
  return { modified, published: secondOf(publishedAt), ...withdrawnMember(dated, night) }
}

function malwareEntry(world: World, item: Item): Exported {
  const { ecosystem, name, purl, isEverything, versions, publishedAt } = malwareOf(world, item)
  const random = new Random(world.seed, item.number, 'malware-entry')
  const [sha256, isReported, year] = [random.hex(64), random.chance(0.3), secondOf(publishedAt).slice(0, 4)]
  return exported([ecosystem], item, (night) => {
    const isChanged = isChangedBy(item, night)
    // A change adds the last version.
    const listed = isChanged ? versions : versions.slice(0, -1)
    const dates = datesOf(item, publishedAt, night)
    return {
      schema_version: '1.7.3',
      id: `MAL-${year}-${numberOf(world, item)}`,
      ...dates,
      summary: `Malicious code in ${name} (${ecosystem})`,
      details: `The package ${name} sends what it finds in the environment to a host of its author.${isChanged ? '\n\nThe list of versions was checked again.' : ''}`,
      affected: [
        {
          package: { ecosystem, name, purl },
          ...(isEverything
            ? { ranges: [{ type: ecosystem === 'npm' ? 'SEMVER' : 'ECOSYSTEM', events: [{ introduced: '0' }] }] }
            : {}),
          ...(listed.length > 0 ? { versions: listed } : {}),
          database_specific: {
            cwes: [{ cweId: 'CWE-506', name: 'Embedded Malicious Code' }],
            source: `https://malware.example.org/${ecosystem}/${encodeURIComponent(name)}.json`,
          },
        },
      ],
      ...(isReported
        ? { references: [{ type: 'REPORT', url: `https://malware.example.org/reports/${sha256.slice(0, 8)}` }] }
        : {}),
      credits: [{ name: 'Package Watch', type: 'FINDER', contact: ['https://malware.example.org'] }],
      database_specific: {
        'malicious-packages-origins': [
          {
            source: 'package-watch',
            sha256,
            import_time: dates.modified,
            modified_time: dates.published,
            versions: listed,
          },
        ],
      },
    }
  })
}

/**
 * Returns an entry of Debian's security tracker, which has one for each CVE (`isTracker`), or an advisory of Debian's
 * security team. Each release has its own range.
 */
function debianEntry(world: World, facts: Facts, item: Item, isTracker: boolean): Exported {
  const random = new Random(world.seed, item.number, 'debian')
  const name = projectAt(world.seed, projectRank(world, random), 'PyPI').name
  const upstream = publishedFrom(facts) === facts.born ? [facts.id] : []
  const id = isTracker && upstream.length > 0 ? `DEBIAN-${facts.id}` : `DSA-${numberOf(world, item)}-1`
  const publishedAt =
    item.from > 0 ? cutOf(item.from) - 3 * HOUR_MS : Math.min(facts.publishedAt + 2 * DAY_MS, FIRST_NIGHT)
  const base = `${random.chance(0.1) ? '1:' : ''}${random.between(0, 9)}.${random.int(20)}.${random.int(10)}`
  const revision = random.between(1, 6)
  const releases = DEBIAN_RELEASES.slice(random.int(DEBIAN_RELEASES.length))
  const isFixed = !random.chance(0.2)
  const urgency = random.pick(['not yet assigned', 'low', 'medium', 'high', 'unimportant'])
  return exported(['Debian'], item, (night) => ({
    schema_version: '1.7.3',
    id,
    ...datesOf(item, publishedAt, night),
    ...(upstream.length > 0 ? { upstream } : {}),
    ...(id.startsWith('DSA-') ? { summary: `${name} - security update` } : {}),
    details: `The package ${name} has a flaw.${isChangedBy(item, night) ? ' Its releases were checked again.' : ''}`,
    affected: releases.map((release) => ({
      package: { ecosystem: `Debian:${release}`, name, purl: `pkg:deb/debian/${name}?arch=source` },
      ranges: [
        {
          type: 'ECOSYSTEM',
          events: [{ introduced: '0' }, ...(isFixed ? [{ fixed: `${base}-${revision}+deb${release}u1` }] : [])],
        },
      ],
      versions: [`${base}~rc1-1`, ...Array.from({ length: revision }, (_, i) => `${base}-${i + 1}`)],
      ecosystem_specific: { urgency },
    })),
    references: [{ type: 'ADVISORY', url: `https://security-tracker.debian.example/tracker/${facts.id}` }],
  }))
}
