/** Writes PoC-in-GitHub: for each CVE with claimed proofs of concept, a list of their repositories. */
import { cutOf, DAY_MS, FIRST_NIGHT } from '../calendar.ts'
import { type Coverage, coverageOf } from '../coverage.ts'
import { quantiles } from '../distribution.ts'
import { nightPath, writeZips } from '../nightly.ts'
import type { Random } from '../random.ts'
import { weaknessPhrase } from '../record/text.ts'
import { escapedJson } from '../text-file.ts'
import * as words from '../words.ts'
import type { Facts, World } from '../world.ts'
import type { SampleFeed } from './feed.ts'

/** 5,781 CVEs of 2024-10-10, most of them from 2015 on. */
const SHARE = 0.03
const OLD_SHARE = 0.002
const KEV_SHARE = 0.6
/** Repositories per CVE, and stars per repository. */
const REPOSITORIES = quantiles('0:1 0.6:1.9 0.85:4 0.97:15 1:60')
const STARS = quantiles('0:0 0.5:1 0.8:6 0.95:90 0.99:600 1:4000')
const YEAR_DAYS = 365

export const poc: SampleFeed = {
  name: 'poc',
  write: (world, folder) =>
    writeZips(world, folder, {
      positionOf: (night) => nightPath(world, night, 'PoC-in-GitHub.zip'),
      entriesOf: function* (facts) {
        const year = facts.id.slice(4, 8)
        const share = facts.kevAddedAt !== null ? KEV_SHARE : Number(year) >= 2015 ? SHARE : OLD_SHARE
        const coverage = coverageOf(world, facts, 'poc', share)
        if (!coverage) return
        const first = repositories(world, facts, coverage)
        const editions = [{ night: coverage.from, text: escapedJson(first) }]
        if (coverage.changedIn !== null) {
          const random = world.random(facts.id, 'poc-new')
          const more = [...first, repository(facts, cutOf(coverage.changedIn) - DAY_MS / 2, random)]
          editions.push({ night: coverage.changedIn, text: escapedJson(more) })
        }
        yield { name: `${year}/${facts.id}.json`, editions }
      },
    }),
}

function repositories(world: World, facts: Facts, coverage: Coverage): object[] {
  const random = world.random(facts.id, 'poc-repositories')
  const count = Math.floor(REPOSITORIES(random.float())) + (coverage.several ? 1 : 0)
  return Array.from({ length: count }, () => {
    const since = facts.publishedAt + random.int(YEAR_DAYS) * DAY_MS
    const until = coverage.from > 0 ? cutOf(coverage.from) - DAY_MS / 2 : FIRST_NIGHT - DAY_MS / 2
    return repository(facts, coverage.from > 0 ? until : Math.min(since, until), random)
  })
}

function repository(facts: Facts, createdAt: number, random: Random): object {
  const root = random.pick(words.FIRST_SYLLABLES) + random.pick(words.MIDDLE_SYLLABLES)
  const login = `${root.toLowerCase()}${random.pick(['', 'sec', '-labs', '0x'])}${random.int(1000)}`
  const name = random.pick([facts.id, `${facts.id}-PoC`, `exploit-${facts.id.toLowerCase()}`])
  const address = `https://forge.example.com/${login}`
  const stars = Math.floor(STARS(random.float()))
  const forks = Math.floor(stars / random.between(2, 6))
  const owner = random.between(10_000, 180_000_000)
  const pushedAt = Math.min(createdAt + random.int(40) * DAY_MS, Math.max(createdAt, FIRST_NIGHT - DAY_MS / 2))
  const time = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`
  return {
    id: random.between(10_000_000, 900_000_000),
    name,
    full_name: `${login}/${name}`,
    owner: {
      login,
      id: owner,
      avatar_url: `https://avatars.example.com/u/${owner}?v=4`,
      html_url: address,
    },
    html_url: `${address}/${name}`,
    description: random.chance(0.4) ? null : `${weaknessPhrase(facts.weakness).name} – ${facts.product}`,
    fork: random.chance(0.05),
    created_at: time(createdAt),
    updated_at: time(pushedAt),
    pushed_at: time(pushedAt),
    stargazers_count: stars,
    watchers_count: stars,
    has_discussions: false,
    forks_count: forks,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: random.chance(0.15) ? ['exploit', 'poc'] : [],
    visibility: 'public',
    forks,
    watchers: stars,
    score: 0,
    subscribers_count: random.between(1, 5),
  }
}
