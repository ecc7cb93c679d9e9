/** Writes Metasploit's module metadata, `modules_metadata_base.json`, gzipped: one object with a member per module. */
import { cutOf, DAY_MS, dateOf, FIRST_NIGHT } from '../calendar.ts'
import { type Coverage, coverageOf } from '../coverage.ts'
import { quantiles, weighted } from '../distribution.ts'
import { attackKind } from '../exploits/attack.ts'
import { cpeKey } from '../names.ts'
import { type Edition, writeTexts } from '../nightly.ts'
import { OUTCOMES, PEOPLE } from '../phrases.ts'
import type { Random } from '../random.ts'
import { weaknessPhrase } from '../record/text.ts'
import { type Facts, publishedFrom, type World } from '../world.ts'
import { archiveId } from './exploitdb.ts'
import type { SampleFeed } from './feed.ts'

/** 2,618 CVEs in 5,700 modules of 2025-02-01, more often for KEV. About 3,000 modules name no CVE. See `ARCHIVED`. */
const SHARE = 0.006
const KEV_SHARE = 0.35
const WITHOUT_CVE = 0.0078

/** Types of modules with a CVE: three in four are exploits. */
const TYPES = weighted([
  ['exploit', 1900],
  ['auxiliary', 680],
  ['post', 20],
])
const RANKS = weighted([
  [600, 1180],
  [500, 280],
  [400, 250],
  [300, 560],
  [200, 165],
  [100, 13],
  [0, 60],
])
const TYPES_WITHOUT_CVE = weighted([
  ['payload', 1463],
  ['auxiliary', 640],
  ['post', 380],
  ['exploit', 590],
  ['encoder', 49],
  ['nop', 13],
  ['evasion', 9],
])
/** Folder, `platform` and `arch` of an exploit. */
const PLATFORMS = weighted<readonly [folder: string, platform: string, arch: string]>([
  [['windows', 'Windows', 'x86, x64'], 1195],
  [['linux', 'Linux,Unix', 'cmd, x86, x64'], 505],
  [['multi', 'Linux,Windows', 'java'], 300],
  [['multi', 'PHP', 'php'], 168],
  [['unix', 'Unix', 'cmd'], 221],
  [['osx', 'OSX', 'x64'], 40],
  [['android', 'Android', 'armle'], 10],
])
const PLURALS: Record<string, string> = { auxiliary: 'auxiliary', post: 'post', evasion: 'evasion' }
/** Lines of a description after the first two. */
const LINES = quantiles('0:0 0.3:1 0.5:2 0.75:5 0.9:9 0.99:18 1:45')
const WEB_PORTS = [80, 8080, 443, 8000, 8888, 8880, 8008, 3000, 8443]

export const metasploit: SampleFeed = {
  name: 'metasploit',
  write: (world, folder) =>
    writeTexts(
      world,
      folder,
      { path: 'modules_metadata_base.json.gz', gzip: true, head: '{\n', between: ',\n', tail: '\n}\n' },
      (facts) => modulesOf(world, facts),
    ),
}

function* modulesOf(world: World, facts: Facts): Generator<Edition[]> {
  const coverage = coverageOf(world, facts, 'metasploit', facts.kevAddedAt === null ? SHARE : KEV_SHARE)
  if (coverage) {
    for (let position = 0; position < (coverage.several ? 2 : 1); position++) {
      const editions = [{ night: coverage.from, text: withCve(world, facts, coverage, position, coverage.from) }]
      if (coverage.changedIn !== null)
        editions.push({
          night: coverage.changedIn,
          text: withCve(world, facts, coverage, position, coverage.changedIn),
        })
      yield editions
    }
  }
  const other = world.random(facts.id, 'module-without-cve')
  if (publishedFrom(facts) === 0 && (other.chance(WITHOUT_CVE) || (facts.showcase ?? -1) % 10 === 3))
    yield [{ night: 0, text: withoutCve(facts, other) }]
}

function withCve(world: World, facts: Facts, coverage: Coverage, position: number, night: number): string {
  const random = world.random(facts.id, `module-${position}`)
  // If a CVE has two modules, the first exploits it and the second scans for it.
  const type = coverage.several ? (['exploit', 'auxiliary'][position] ?? 'auxiliary') : TYPES(random.float())
  const kind = attackKind(facts, world.random(facts.id, 'module-kind'))
  const [folder, platform, arch] = PLATFORMS(random.float())
  const key = `${cpeKey(facts.product).replaceAll('.', '_')}_${facts.id.toLowerCase().replaceAll('-', '_')}`
  const { name, effect } = weaknessPhrase(facts.weakness)
  const web = kind === 'webapps'
  const positions: Record<string, string> = {
    exploit: `${folder}/${kind === 'local' ? 'local' : web ? 'http' : 'misc'}/${key}`,
    auxiliary: `${random.pick(['scanner/http', 'gather', 'admin/http', 'dos/misc'])}/${key}`,
    post: `${folder}/gather/${key}`,
  }
  const archived = archiveId(world, facts, night)
  const disclosedAt = Math.min(facts.publishedAt + random.int(20) * DAY_MS, FIRST_NIGHT)
  const changedAt =
    night > 0 ? cutOf(night) - DAY_MS / 2 : Math.min(disclosedAt + random.int(900) * DAY_MS, FIRST_NIGHT)
  return member({
    ...identity(type, positions[type]!, `${facts.vendor.name} ${facts.product} ${name}`, changedAt),
    rank: type === 'exploit' ? RANKS(random.float()) : 300,
    disclosure_date: random.chance(0.9) ? dateOf(Math.min(disclosedAt, changedAt)) : null,
    author: [`${random.pick(PEOPLE)} <finder@example.org>`, random.pick(PEOPLE)],
    description: `This module exploits a flaw in ${facts.product} that lets an attacker\n          ${effect}.${night > coverage.from ? ' It now checks the version first.' : ''}${explained(random)}`,
    references: [
      `CVE-${facts.id.slice(4)}`,
      ...(archived === null ? [] : [`EDB-${archived}`]),
      `CWE-${facts.weakness}`,
      `URL-https://research.example.net/notes/${facts.id}`,
    ],
    platform: type === 'auxiliary' ? '' : platform,
    arch: type === 'auxiliary' ? '' : arch,
    ...(web ? { rport: 80, autofilter_ports: WEB_PORTS, autofilter_services: ['http', 'https'] } : {}),
    targets: type === 'exploit' ? ['Automatic', `${facts.product} on ${platform.split(',')[0]}`] : null,
    check: type === 'exploit' && random.chance(0.6),
    post_auth: random.chance(0.3),
    notes: random.chance(0.2)
      ? { Stability: ['crash-safe'], SideEffects: ['ioc-in-logs'], Reliability: ['repeatable-session'] }
      : {},
    session_types: type === 'post' || kind === 'local' ? ['shell', 'meterpreter'] : false,
    needs_cleanup: type === 'exploit' ? random.pick([true, null]) : false,
  })
}

/** Returns further lines of a description, indented as in upstream's file. */
function explained(random: Random): string {
  return Array.from({ length: Math.floor(LINES(random.float())) }, () => `\n          ${random.pick(OUTCOMES)}`).join(
    '',
  )
}

function withoutCve(facts: Facts, random: Random): string {
  const type = TYPES_WITHOUT_CVE(random.float())
  const [folder, platform, arch] = PLATFORMS(random.float())
  const key = `${cpeKey(facts.product).replaceAll('.', '_')}_${facts.index}`
  const changedAt = Math.min(facts.publishedAt + random.int(900) * DAY_MS, FIRST_NIGHT)
  const path = type === 'auxiliary' ? `scanner/misc/${key}` : `${folder}/${type === 'post' ? 'gather/' : ''}${key}`
  return member({
    ...identity(type, path, `${facts.product} ${type} without a CVE`, changedAt),
    author: [random.pick(PEOPLE)],
    description: `Works with ${facts.product} in any version; no flaw of it is needed.`,
    platform,
    arch,
    session_types: type === 'post' ? ['meterpreter'] : false,
  })
}

interface Module {
  name: string
  type: string
  ref_name: string
  fullname: string
  [key: string]: unknown
}

/** Returns the members of a module in upstream's order, with empty defaults. */
function identity(type: string, refName: string, name: string, changedAt: number): Module {
  return {
    name,
    fullname: `${type}/${refName}`,
    aliases: [],
    rank: 300,
    disclosure_date: null,
    type,
    author: [],
    description: '',
    references: [],
    platform: '',
    arch: '',
    rport: null,
    autofilter_ports: [],
    autofilter_services: [],
    targets: null,
    mod_time: `${new Date(changedAt).toISOString().slice(0, 19).replace('T', ' ')} +0000`,
    path: `/modules/${PLURALS[type] ?? `${type}s`}/${refName}.rb`,
    is_install_path: true,
    ref_name: refName,
    check: false,
    post_auth: false,
    default_credential: false,
    notes: {},
    session_types: false,
    needs_cleanup: null,
    actions: [],
  }
}

/** Returns a module as a member of the object, indented as upstream's. */
function member(module: Module): string {
  const text = JSON.stringify(module, null, 2).replaceAll('\n', '\n  ')
  return `  ${JSON.stringify(`${module.type}_${module.ref_name}`)}: ${text}`
}
