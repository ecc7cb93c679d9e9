/** Requirements of tests in addition to the clone. Tests with a missing requirement are skipped and counted. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Callback, type Context, suite, type Test } from 'uvu'
import { haveNginx } from './nginx.ts'
import { isShared } from './shared.ts'
import { mayMount } from './small-disk.ts'

/** Folders that can exist next to the checkout: upstream's files, and documents about them. */
export const REAL_FEEDS = join(import.meta.dirname, '../../../shared/feeds')

/** An unreachable registry gives no answer. */
const PROBE_MS = 10_000

const runs = (program: string, ...parameters: string[]): boolean =>
  spawnSync(program, parameters, { stdio: 'ignore', timeout: PROBE_MS }).status === 0

/** OSV exports of npm, Packagist and PyPI. */
export const REAL_PACKAGES = join(import.meta.dirname, '../../../shared/feeds-packages')

/** Minimal inputs of package matching, with the right verdicts. */
export const PACKAGE_CASES = join(import.meta.dirname, '../../../shared/cases/packages')

/** CVE records of 2026, in record format 5.2. */
export const REAL_RECORDS = join(import.meta.dirname, '../../../shared/feeds-history/cvelistv5/2026-08-22_all_CVEs.zip')

/** Twelve weekly editions of EPSS. */
export const EPSS_EDITIONS = join(import.meta.dirname, '../../../shared/feeds-history/epss')

/** Lock files and SBOMs, with the packages that they hold. */
export const LOCK_FILES = join(import.meta.dirname, '../../../shared/lockfiles')

/** Comparisons of versions, one file per ecosystem. */
export const VERSION_FIXTURES = join(import.meta.dirname, '../../../shared/fixtures/versions')

/** Where Debian installs Maven's version order. */
export const MAVEN_JAR = '/usr/share/java/maven3-artifact.jar'

/** Where Debian installs Chromium. */
export const CHROMIUM = '/usr/bin/chromium'

/** Checks by the name under which skipped tests are listed. */
const CHECKS = {
  'real records of format 5.2': () => existsSync(REAL_RECORDS),
  'past editions of EPSS': () => existsSync(EPSS_EDITIONS),
  'real feeds': () => existsSync(REAL_FEEDS),
  'real advisories of packages': () => existsSync(REAL_PACKAGES),
  'package cases': () => existsSync(PACKAGE_CASES),
  'lock files': () => existsSync(LOCK_FILES),
  'version fixtures': () => existsSync(VERSION_FIXTURES),
  nginx: haveNginx,
  Chromium: () => runs(CHROMIUM, '--version'),
  Redis: () => runs('redis-server', '--version'),
  'docker-registry': () => runs('docker-registry', '--version'),
  skopeo: () => runs('skopeo', '--version'),
  openssl: () => runs('openssl', 'version'),
  jq: () => runs('jq', '--version'),
  python3: () => runs('python3', '--version'),
  "python3's packaging": () => runs('python3', '-c', 'import packaging.version'),
  "dpkg's Perl library": () => runs('perl', '-MDpkg::Version', '-e1'),
  ruby: () => runs('ruby', '-e', 'Gem::Version'),
  rpm: () => runs('rpm', '--version'),
  Composer: () => runs('composer', '--version'),
  "PHP's composer/semver": () => runs('php', '-r', 'require "Composer/Semver/autoload.php";'),
  'Java and Maven': () => existsSync(MAVEN_JAR) && runs('java', '-version'),
  "npm's semver": () => existsSync(join(import.meta.dirname, '../../node_modules/semver')),
  systemd: () => runs('systemd-analyze', '--version'),
  promtool: () => runs('promtool', '--version'),
  Caddy: () => runs('caddy', 'version'),
  'leave to mount': mayMount,
  'the npm registry': () => runs('npm', 'ping'),
  bash: () => runs('bash', '--version'),
  zsh: () => runs('zsh', '--version'),
  fish: () => runs('fish', '--version'),
  man: () => runs('man', '--version'),
  // Without a document, mandoc reads standard input, which is empty.
  mandoc: () => runs('mandoc', '-Tascii'),
  // The one of util-linux; others have other options.
  script: () => runs('script', '--version'),
}
export type Need = keyof typeof CHECKS

/** `npm test` sets it to `quick`: only tests that need nothing but the clone run. If unset, all possible tests run. */
export const TIER_VARIABLE = 'VULNSHELF_TEST_TIER'

const answers = new Map<Need, boolean>()

/** Returns the first missing requirement of this run. Checks each program once. */
function missingOf(needs: readonly Need[]): Need | undefined {
  if (process.env[TIER_VARIABLE] === 'quick') return needs[0]
  return needs.find((need) => {
    if (!answers.has(need)) answers.set(need, CHECKS[need]())
    return !answers.get(need)
  })
}

export interface Skipped {
  title: string
  need: Need
}

/** The tests of this process that were skipped since the runner's last call of `takeSkipped`. */
const skipped: Skipped[] = []
export const takeSkipped = (): Skipped[] => skipped.splice(0)

export class MissingNeed extends Error {
  readonly need: Need

  constructor(need: Need) {
    super(`these tests need ${need}`)
    this.need = need
  }
}

/**
 * States the requirements of a whole file; call it first. If one is missing, the file counts as one skipped test.
 * @throws MissingNeed
 */
export function needs(...all: Need[]): void {
  const need = missingOf(all)
  if (need === undefined) return
  if (isShared()) throw new MissingNeed(need)
  console.log(`skipped: these tests need ${need}`)
  process.exit()
}

/** Returns a suite of tests with requirements. If one is missing, its tests and hooks do not run. */
export function suiteNeeding<T = Context>(name: string, ...needs: Need[]): Test<T> {
  const real = suite<T>(name)
  const need = missingOf(needs)
  if (need === undefined) return real
  const skip = (title: string, _: Callback<T>) => {
    skipped.push({ title: `${name}: ${title}`, need })
    real.skip()
  }
  const ignore = Object.assign(() => {}, { each: () => {} })
  return Object.assign(skip, { only: skip, skip, before: ignore, after: ignore, run: real.run })
}
