/** The formats of lock files and SBOMs, and how each is recognized: by the name of the file, else by its content. */
import type { Inventory } from '../inventory.ts'
import { parseBunLock } from './bun-lock.ts'
import { parseCabalFreeze } from './cabal-freeze.ts'
import { parseComposerLock } from './composer-lock.ts'
import { parseConanLock } from './conan-lock.ts'
import { parseDenoLock } from './deno-lock.ts'
import { parseGemfileLock } from './gemfile-lock.ts'
import { parseGitHubActions } from './github-actions.ts'
import { parseGoMod, parseGoSum } from './go.ts'
import { parseGradleLockfile, parseGradleVerification } from './gradle.ts'
import { parseJuliaManifest } from './julia-manifest.ts'
import { parseMixLock } from './mix-lock.ts'
import { parseNpmLock } from './npm-lock.ts'
import { parseNugetLibraries, parseNugetLock, parsePackagesConfig } from './nuget.ts'
import { parsePackageResolved } from './package-resolved.ts'
import { parsePnpmLock } from './pnpm-lock.ts'
import { parsePodfileLock } from './podfile-lock.ts'
import { parsePom } from './pom.ts'
import { parsePubspecLock } from './pubspec-lock.ts'
import { parsePurls } from './purls.ts'
import { parsePdmLock, parsePipfileLock, parsePoetryLock, parsePylock, parseUvLock } from './python-lock.ts'
import { parseRenvLock } from './renv-lock.ts'
import { parseRequirements } from './requirements.ts'
import {
  parseCycloneDx,
  parseCycloneDxXml,
  parseSpdx,
  parseSpdxTagValue,
  parseSpdxYaml,
  parseStatements,
  parseSyft,
} from './sbom/sbom.ts'
import { parseStackLock } from './stack-lock.ts'
import { parseCargoLock } from './toml-lock.ts'
import { parseYarnLock } from './yarn-lock.ts'

export interface Format {
  /** For reports and messages. */
  name: string
  file: RegExp
  /** Matches the path of a file whose name says nothing. */
  path?: RegExp
  /**
   * Text that files of this format have, and files of formats below in this table. A pattern that begins at each line ends
   * in it: else its time grows with the square of the length.
   */
  content: RegExp
  /** @throws FormatError */
  parse(text: string): Inventory
}

/** Ruby and other languages have lines `module Name` too; a go.mod has a version or requirements. */
const GO_MOD = /^(?:go \d+\.\d\S*|require(?: ?\(| \S+ v\d\S*))[ \t]*(?:\/\/|$)/m

/** What can precede the root element. */
const XML_HEAD = String.raw`^\s*(?:<[?!][^>]*>\s*)*`
/** A workflow has the keys `on` and `jobs`, an action `runs` with `using`. Others have some of them: `jobs` of CircleCI. */
const WORKFLOW =
  /^(?=(?:.*[\r\n])?(?:on|"on"|'on'):)(?=(?:.*[\r\n])?jobs:)|^(?=(?:.*[\r\n])?runs:[ \t]*(?:#[^\r\n]*)?[\r\n])(?=.*[\r\n][ \t]+using:)/s

/** The first pattern that matches the content selects the format. */
export const FORMATS: readonly Format[] = [
  {
    name: 'statement of in-toto',
    file: /\.(?:cdx|spdx|syft|sbom)\.(?:intoto|att)\.jsonl?$/i,
    content:
      /^\s*\{.*"(?:_type"\s*:\s*"https:\/\/in-toto\.io\/Statement\/|payloadType"\s*:\s*"application\/vnd\.in-toto\+json")/s,
    parse: parseStatements,
  },
  {
    name: 'CycloneDX JSON',
    file: /^bom\.json$|\.cdx\.json$/i,
    content: /^\s*\{.*"bomFormat"\s*:\s*"CycloneDX"/s,
    parse: parseCycloneDx,
  },
  {
    name: 'SPDX JSON',
    file: /\.spdx3?\.json(?:ld)?$/i,
    content: /^\s*\{.*(?:"spdxVersion"\s*:|"@context"\s*:[\s[]*"https:\/\/spdx\.)/s,
    parse: parseSpdx,
  },
  {
    name: 'syft JSON',
    file: /(?:^|\.)syft\.json$/i,
    content: /^\s*\{.*"descriptor"\s*:\s*\{\s*"name"\s*:\s*"syft"/s,
    parse: parseSyft,
  },
  {
    name: 'CycloneDX XML',
    file: /^bom\.xml$|\.(?:cdx|bom)\.xml$/i,
    content: /^\s*<.*=\s*["']http:\/\/cyclonedx\.org\/schema\/bom\/\d/s,
    parse: parseCycloneDxXml,
  },
  {
    name: 'SPDX YAML',
    file: /\.spdx\.ya?ml$/i,
    content: /^["']?spdxVersion["']?[ \t]*:/m,
    parse: parseSpdxYaml,
  },
  {
    name: 'SPDX tag-value',
    file: /\.spdx(?:\.tag)?$/i,
    content: /^SPDXVersion[ \t]*:/m,
    parse: parseSpdxTagValue,
  },
  {
    name: 'bun.lock',
    file: /^bun\.lock$/,
    content: /^\s*\{(?=.*"workspaces"\s*:\s*\{\s*""\s*:).*"lockfileVersion"\s*:/s,
    parse: parseBunLock,
  },
  {
    name: 'deno.lock',
    file: /^deno\.lock$/,
    content: /^\s*\{\s*"version"\s*:\s*"[2-5]"\s*,/,
    parse: parseDenoLock,
  },
  {
    name: 'packages.lock.json',
    file: /^packages(?:\.[^/]*)?\.lock\.json$/,
    content: /^\s*\{.*"contentHash"\s*:/s,
    parse: parseNugetLock,
  },
  {
    name: '*.deps.json',
    file: /\.deps\.json$/,
    content: /^\s*\{.*"runtimeTarget"\s*:/s,
    parse: parseNugetLibraries,
  },
  {
    name: 'project.assets.json',
    file: /^project\.assets\.json$/,
    content: /^\s*\{.*"projectFileDependencyGroups"\s*:/s,
    parse: parseNugetLibraries,
  },
  {
    name: 'Pipfile.lock',
    file: /^Pipfile\.lock$/,
    content: /^\s*\{.*"pipfile-spec"\s*:/s,
    parse: parsePipfileLock,
  },
  {
    name: 'package-lock.json',
    file: /^\.?package-lock\.json$|^npm-shrinkwrap\.json$/,
    content: /^\s*\{.*"lockfileVersion"\s*:/s,
    parse: parseNpmLock,
  },
  {
    name: 'composer.lock',
    file: /^composer\.lock$/,
    content: /^\s*\{.*"packages-dev"\s*:/s,
    parse: parseComposerLock,
  },
  {
    name: 'pnpm-lock.yaml',
    file: /^pnpm-lock\.ya?ml$/,
    content: /^lockfileVersion:/m,
    parse: parsePnpmLock,
  },
  {
    name: 'yarn.lock',
    file: /^yarn\.lock$/,
    content: /^# yarn lockfile v1$|^__metadata:$/m,
    parse: parseYarnLock,
  },
  {
    name: 'Cargo.lock',
    file: /^Cargo\.lock$/i,
    content: /@generated by Cargo|^source = "registry\+/m,
    parse: parseCargoLock,
  },
  {
    name: 'poetry.lock',
    file: /^poetry\.lock$/,
    content: /@generated by Poetry|^content-hash = "/m,
    parse: parsePoetryLock,
  },
  {
    name: 'pdm.lock',
    file: /^pdm\.lock$/,
    content: /@generated by PDM|^content_hash = "/m,
    parse: parsePdmLock,
  },
  {
    name: 'uv.lock',
    file: /^uv\.lock$/,
    content: /^source = \{ (?:registry|virtual|editable) = "[^"\r\n\u2028\u2029]*" \}$/m,
    parse: parseUvLock,
  },
  {
    name: 'pylock.toml',
    file: /^pylock(?:\.[^.]+)?\.toml$/,
    content: /^\[\[packages\]\][ \t]*$/m,
    parse: parsePylock,
  },
  {
    name: 'pom.xml',
    file: /^pom\.xml$|\.pom$/,
    content: new RegExp(`${XML_HEAD}<project[\\s>].*<(?:modelVersion|dependencies)>`, 's'),
    parse: parsePom,
  },
  {
    name: 'verification-metadata.xml',
    file: /^verification-metadata\.xml$/,
    content: new RegExp(`${XML_HEAD}<verification-metadata[\\s>]`),
    parse: parseGradleVerification,
  },
  {
    name: 'packages.config',
    file: /^packages(?:\.[^/]*)?\.config$/,
    content: new RegExp(`${XML_HEAD}<packages>\\s*<package\\s`),
    parse: parsePackagesConfig,
  },
  {
    name: 'gradle.lockfile',
    // Also the files of Gradle 6 and older, one for each configuration.
    file: /gradle\.lockfile$|[cC]lasspath\.lockfile$/,
    content: /^[^\s:=#]+:[^\s:=]+:[^\s:=]+=[A-Za-z][\w,]*$/m,
    parse: parseGradleLockfile,
  },
  {
    name: 'Gemfile.lock',
    file: /^Gemfile\.lock$|^gems\.locked$/,
    // Paket has `specs:` too.
    content: /^(?:GEM|PATH|PLUGIN SOURCE|BUNDLED WITH)$/m,
    parse: parseGemfileLock,
  },
  { name: 'pubspec.lock', file: /^pubspec\.lock$/, content: /^# Generated by pub$/m, parse: parsePubspecLock },
  {
    name: 'mix.lock',
    file: /^mix\.lock$/,
    content: /^\s*%\{\s*(?:"[^"\r\n]*": \{:(?:git|hex|path),|\}\s*$)/,
    parse: parseMixLock,
  },
  {
    name: 'Package.resolved',
    file: /^Package\.resolved$/,
    content: /^\s*\{.*"pins"\s*:/s,
    parse: parsePackageResolved,
  },
  { name: 'Podfile.lock', file: /^Podfile\.lock$/, content: /^PODFILE CHECKSUM: \S+$/m, parse: parsePodfileLock },
  {
    name: 'conan.lock',
    file: /^conan\.lock$/,
    content: /^\s*\{.*"(?:graph_lock|build_requires|python_requires)"\s*:/s,
    parse: parseConanLock,
  },
  { name: 'renv.lock', file: /^renv\.lock$/, content: /^\s*\{\s*"R"\s*:\s*\{/, parse: parseRenvLock },
  {
    name: 'cabal.project.freeze',
    file: /^cabal\.project(?:\.[^.]+)*\.freeze$/,
    content: /^constraints:[ \t]*(?:any\.)?[A-Za-z0-9-]+ ==[\d.]+,?$/m,
    parse: parseCabalFreeze,
  },
  {
    name: 'stack.yaml.lock',
    file: /^stack.*\.ya?ml\.lock$/s,
    content: /^# This file was autogenerated by Stack\.$/m,
    parse: parseStackLock,
  },
  {
    name: 'Manifest.toml',
    file: /^(?:Julia)?Manifest(?:-v[\d.]+)?\.toml$/,
    content: /^manifest_format = "\d[\d.]*"$|^# This file is machine-generated - editing it directly is not advised$/m,
    parse: parseJuliaManifest,
  },
  {
    name: 'GitHub workflow',
    file: /^action\.ya?ml$/,
    path: /(?:^|[\\/])\.github[\\/]workflows[\\/][^\\/]+\.ya?ml$/,
    content: WORKFLOW,
    parse: parseGitHubActions,
  },
  { name: 'go.mod', file: /^go\.mod$/, content: GO_MOD, parse: parseGoMod },
  { name: 'go.sum', file: /^go\.sum$/, content: /^\S+ v\S+ h1:\S+$/m, parse: parseGoSum },
  { name: 'purls, one per line', file: /\.purls?$/, content: /^[ \t]*pkg:\S/im, parse: parsePurls },
  {
    name: 'requirements.txt',
    file: /^(?=.*requirements).*\.(?:txt|in)$/is,
    content: /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[^\]\r\n\u2028\u2029]*\])?[ \t]*==[ \t]*[0-9]/m,
    parse: parseRequirements,
  },
]

const formatNamed = (name: string, path: string): Format | undefined =>
  FORMATS.find((format) => format.file.test(name) || format.path?.test(path))

/** Returns the format of a file. The name is without folders, the path can have none. Null for an unknown format. */
export const formatOf = (name: string, text: string, path = name): Format | null =>
  formatNamed(name, path) ?? FORMATS.find(({ content }) => content.test(text)) ?? null

/** Lock files, SBOMs and manifests that are not read. */
const UNREAD: readonly (readonly [tool: string, file: RegExp])[] = [
  ['Carthage', /^Cartfile\.resolved$/],
  ['Conda', /^(?:conda-lock|environment)\.ya?ml$/],
  ['Gleam', /^manifest\.toml$/],
  ['Paket', /^paket\.lock$/],
  ['pixi', /^pixi\.lock$/],
  ['rebar3', /^rebar\.lock$/],
  ['SPDX in RDF', /\.spdx\.(?:rdf|xml|rdf\.xml)$/i],
  ['Trivy, in its own JSON', /(?:^|\.)trivy\.json$/i],
]

interface Manifest {
  tool: string
  file: RegExp
  /** Lock files that state the versions in use. */
  lock: RegExp
  /** What to check instead, in words. */
  instead: string
}

/** They state ranges of versions, not those in use. */
const MANIFESTS: readonly Manifest[] = [
  {
    tool: 'Bundler',
    file: /^Gemfile$|^gems\.rb$|\.gemspec$/,
    lock: /^Gemfile\.lock$|^gems\.locked$/,
    instead: 'Gemfile.lock',
  },
  {
    tool: 'Cabal and Stack',
    file: /\.cabal$|^cabal\.project$|^stack\.ya?ml$/,
    lock: /^cabal\.project\.freeze$|^stack\.ya?ml\.lock$/,
    instead: 'cabal.project.freeze',
  },
  { tool: 'Cargo', file: /^Cargo\.toml$/, lock: /^Cargo\.lock$/i, instead: 'Cargo.lock' },
  { tool: 'CocoaPods', file: /^Podfile$/, lock: /^Podfile\.lock$/, instead: 'Podfile.lock' },
  { tool: 'Composer', file: /^composer\.json$/, lock: /^composer\.lock$/, instead: 'composer.lock' },
  { tool: 'Conan', file: /^conanfile\.(?:py|txt)$/, lock: /^conan\.lock$/, instead: 'conan.lock' },
  { tool: 'Dart', file: /^pubspec\.ya?ml$/, lock: /^pubspec\.lock$/, instead: 'pubspec.lock' },
  { tool: 'Deno', file: /^deno\.jsonc?$/, lock: /^deno\.lock$/, instead: 'deno.lock' },
  {
    tool: 'Gradle',
    file: /^build\.gradle(?:\.kts)?$|\.versions\.toml$/,
    lock: /^gradle\.lockfile$/,
    instead: 'gradle.lockfile, which `gradle dependencies --write-locks` writes',
  },
  {
    tool: 'Julia',
    file: /^(?:Julia)?Project\.toml$/,
    lock: /^(?:Julia)?Manifest(?:-v[\d.]+)?\.toml$/,
    instead: 'Manifest.toml',
  },
  { tool: 'Mix', file: /^mix\.exs$/, lock: /^mix\.lock$/, instead: 'mix.lock' },
  {
    tool: 'npm',
    file: /^package\.json$/,
    lock: /^(?:package-lock|npm-shrinkwrap)\.json$|^pnpm-lock\.ya?ml$|^yarn\.lock$|^bun\.lockb?$|^deno\.lock$/,
    instead: 'its lock file',
  },
  {
    tool: 'NuGet',
    file: /\.(?:cs|fs|vb)proj$|^Directory\.Packages\.props$/,
    lock: /^packages(?:\.[^/]*)?\.(?:lock\.json|config)$|^project\.assets\.json$/,
    instead: 'packages.lock.json, which `dotnet restore --use-lock-file` writes',
  },
  {
    tool: 'Python',
    file: /^Pipfile$|^pyproject\.toml$|^setup\.(?:cfg|py)$/,
    lock: /^(?:poetry|uv|pdm|Pipfile|pixi)\.lock$|^pylock(?:\.[^.]+)?\.toml$|^(?=.*requirements).*\.txt$/i,
    instead: 'its lock file, or the output of pip freeze',
  },
  { tool: 'Swift', file: /^Package\.swift$/, lock: /^Package\.resolved$/, instead: 'Package.resolved' },
]

/** Whether a file is read, by its name without folders, or by its whole path. */
export const isReadFile = (name: string, path: string): boolean => formatNamed(name, path) !== undefined

const manifestOf = (name: string) => MANIFESTS.find(({ file }) => file.test(name))

/** Returns the tool whose manifests have this name. */
export const toolOfManifest = (name: string): string | null => manifestOf(name)?.tool ?? null

/** Returns the tools for whose manifests a file with this name states the versions in use. */
export const toolsOfLock = (name: string): string[] =>
  MANIFESTS.filter(({ lock }) => lock.test(name)).map(({ tool }) => tool)

/** Returns what a file is by its name, if it is no text: completes "bun.lockb is …". */
export const binaryFile = (name: string): string | null =>
  name === 'bun.lockb'
    ? 'in the binary format of Bun, which is not read. Run `bun install --save-text-lockfile`, and check bun.lock'
    : null

/** Returns what a file is by its name, if its format is known but not read: completes "package.json is …". */
export function unreadFile(name: string): string | null {
  const binary = binaryFile(name)
  if (binary !== null) return binary
  const tool = UNREAD.find(([, file]) => file.test(name))?.[0]
  if (tool !== undefined) return `a file of ${tool}, whose format is not read`
  const manifest = manifestOf(name)
  return manifest ? `a manifest of ${manifest.tool}: it states no versions in use. Check ${manifest.instead}` : null
}
