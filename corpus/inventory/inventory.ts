/** The packages that a lock file or SBOM names. */
import { shortened } from '../command/format.ts'
import { foldName } from '../model/packages/name.ts'
import { PurlError, type PurlPackage, packageOfPurl } from '../model/packages/purl.ts'
import { assertCount, MAX_ENTRIES } from './bounds.ts'
import { FormatError } from './error.ts'

export interface Component {
  /** As in the OSV schema. Null for a purl whose type no ecosystem has. */
  ecosystem: string | null
  name: string
  version: string
  /** As stated. Null in files without purls. */
  purl: string | null
  /** The source package of a distribution's package. Null if the file states none. */
  source: string | null
  /** Number of the line, from 1. Null if unknown. */
  line: number | null
  /** The groups of dependencies that need it, or `main` alone. Null if the file does not state them. */
  groups: readonly Group[] | null
}

/** The groups of dependencies that `--omit` can leave out. */
export const OPTIONAL_GROUPS = ['dev', 'optional', 'peer'] as const
export type OptionalGroup = (typeof OPTIONAL_GROUPS)[number]
/** `main`: what a program needs at run time. */
export type Group = 'main' | OptionalGroup

/** Whether only development needs a package. */
export const isForDevelopment = ({ groups }: Pick<Component, 'groups'>): boolean =>
  groups !== null && groups.length > 0 && groups.every((group) => group === 'dev')

export type SkipReason =
  | 'local' // a folder or workspace of the project itself
  | 'no-version'
  | 'no-purl' // a component of an SBOM
  | 'malformed-purl'
  | 'not-pinned' // a requirement that several versions meet
  | 'not-followed' // a line that names another file
  | 'not-listed' // packages that the file does not name
  | 'incomplete' // a list of an SBOM that states so
  | 'bundled' // inside another package, without a version
  | 'variable' // a requirement with a variable of the environment
  | 'malformed' // an entry that cannot be read
  | 'no-advisories' // a module of JSR, or from an address; a package of Swift's registry
  | 'managed' // the version is in a parent or a list of versions
  | 'transitive' // dependencies of dependencies
  | 'platform' // comes with the language or its SDK, and has no version of its own
  | 'in-snapshot' // the packages of a snapshot of Stackage
  | 'commit' // an action at a commit
  | 'image' // an image of a container

/** An entry that cannot be checked. */
export interface SkippedEntry {
  /** The text of the entry if it has no name. */
  name: string
  reason: SkipReason
  line: number | null
}

export interface Inventory {
  components: Component[]
  skipped: SkippedEntry[]
}

/** Equal for components that are the same version of a package, under any spelling of its name. */
export const componentKey = ({ ecosystem, name, version, purl, source }: Component): string =>
  JSON.stringify(ecosystem === null ? [purl] : [ecosystem, foldName(ecosystem, name), version, source])

/** What reports call a package: `npm/lodash`; the purl where no ecosystem has its type. */
export const packageName = ({ ecosystem, name, purl }: Component): string =>
  shortened(ecosystem === null ? (purl ?? name) : `${ecosystem}/${name}`, 200)

interface EntryFacts extends Partial<Pick<Component, 'line' | 'groups'>> {
  /** Whether only development needs it, where a file states no other groups. */
  dev?: boolean | null
  /** The source package that the file states beside the purl, in the form of `upstream` in a purl. */
  source?: string | null
  /** The distribution that the file states beside the purl, in the form of `distro` in a purl. */
  distro?: string | null
}

/** Ranges of versions, which GitHub's SBOM API states for requirements: `^4.17.0`, `>= 2, < 3`, `4.*.*`. */
const RANGE = /^[<>^~!=]|[*|]/

function groupsOf({ groups, dev = null }: EntryFacts): readonly Group[] | null {
  if (groups !== undefined) return groups && joinedGroups(groups)
  return dev === null ? null : [dev ? 'dev' : 'main']
}

/** Returns each group once; of groups with `main`, this alone. Null for none, so that the package is never omitted. */
export function joinedGroups(groups: readonly Group[]): readonly Group[] | null {
  if (groups.includes('main')) return ['main']
  return groups.length === 0 ? null : [...new Set(groups)]
}

/** @throws FormatError for a value that is no text */
function versionOf(name: string, version: unknown, line: number | null): string | null {
  if (version === undefined || version === null || version === '') return null
  if (typeof version === 'string') return version
  throw new FormatError(`the version of '${shortened(name, 100)}' is not a text`, line)
}

function parsedPurl(purl: string, distro: string | null): PurlPackage | null {
  try {
    return packageOfPurl(purl, distro)
  } catch (error) {
    if (error instanceof PurlError) return null
    throw error
  }
}

/** Collects the entries of one file. Its methods throw a FormatError or a BoundError. */
export class InventoryBuilder implements Inventory {
  readonly components: Component[] = []
  readonly skipped: SkippedEntry[] = []

  /** Adds a package, or skips it without a version. */
  add(ecosystem: string, name: string, version: unknown, { line = null, ...facts }: EntryFacts = {}): void {
    if (name === '') throw new FormatError('an entry has no name', line)
    const stated = versionOf(name, version, line)
    if (stated === null) this.skip(name, 'no-version', line)
    else this.#push({ ecosystem, name, version: stated, purl: null, source: null, line, groups: groupsOf(facts) })
  }

  /** Adds the package of a purl. `version` counts if the purl has none. */
  addPurl(purl: string, version: unknown, facts: EntryFacts = {}): void {
    const { line = null, source = null, distro = null } = facts
    const found = parsedPurl(purl, distro)
    const stated = found?.version ?? versionOf(purl, version, line)
    if (found === null) this.skip(purl, 'malformed-purl', line)
    else if (stated === null) this.skip(purl, 'no-version', line)
    else if (RANGE.test(stated)) this.skip(purl, 'not-pinned', line)
    else {
      const { ecosystem, name } = found
      this.#push({
        ecosystem,
        name,
        version: stated,
        purl,
        source: found.source ?? source,
        line,
        groups: groupsOf(facts),
      })
    }
  }

  skip(name: string, reason: SkipReason, line: number | null = null): void {
    this.skipped.push({ name, reason, line })
    this.#assertCount()
  }

  #push(component: Component): void {
    this.components.push(component)
    this.#assertCount()
  }

  #assertCount(): void {
    assertCount(this.components.length + this.skipped.length, MAX_ENTRIES, 'entries')
  }
}
