/**
 * The formats that `vulnshelf check` reads. The files of npm, pnpm, yarn, Composer and Cargo are the work of these tools;
 * the others are written by hand. The SBOMs of npm are without hashes, licences and
 * relations, which the reader ignores.
 */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { SkippedEntry } from '../../../corpus/inventory/inventory.ts'
import { inventoryOf, withoutGroups as omitting, type ReadInventory } from '../../../corpus/inventory/read.ts'

const folder = join(import.meta.dirname, 'lock-files')
const read = (path: string, name = path.endsWith('purls.txt') ? '-' : basename(path)): ReadInventory =>
  inventoryOf(path, name, readFileSync(join(folder, path)))

/** Lines such as `12 npm lodash 4.17.15 dev`. */
const componentsOf = ({ components }: ReadInventory): string[] =>
  components.map(({ line, ecosystem, name, version, groups }) =>
    [line, ecosystem, name, version, groups?.join('+')].join(' ').trimEnd(),
  )

const skippedOf = ({ skipped }: ReadInventory): string[] =>
  skipped.map(({ line, name, reason }: SkippedEntry) => `${line} ${reason} ${name}`)

/** The packages of the project that npm, pnpm and yarn locked. */
const NPM_PACKAGES = [
  '@xmldom/xmldom 0.8.2 main',
  'balanced-match 1.0.2 dev',
  'brace-expansion 1.1.22 dev',
  'concat-map 0.0.1 dev',
  'js-tokens 4.0.0 main',
  'lodash 3.10.1 main',
  'lodash 4.17.15 main',
  'loose-envify 1.4.0 main',
  'minimatch 3.0.4 dev',
  'react 18.2.0 main',
  'use-sync-external-store 1.2.0 main',
]
const withoutGroups = NPM_PACKAGES.map((one) => one.replace(/ \w+$/, ''))

const NPM_FILES: [path: string, groups: boolean][] = [
  ['npm1/package-lock.json', true],
  ['npm2/package-lock.json', true],
  ['npm3/package-lock.json', true],
  ['pnpm7/pnpm-lock.yaml', true],
  ['pnpm8/pnpm-lock.yaml', true],
  ['pnpm9/pnpm-lock.yaml', false],
  ['yarn1/yarn.lock', false],
  ['yarn4/yarn.lock', false],
  ['sbom/bom.json', true],
]

for (const [path, groups] of NPM_FILES) {
  test(`${path} has the packages of the project, each with its line`, () => {
    const found = read(path)
    const packages = found.components.map(({ ecosystem, name, version, groups }) => {
      assert.is(ecosystem, 'npm')
      return `${name} ${version} ${groups?.join('+') ?? ''}`.trimEnd()
    })
    // npm states the property for packages of development alone.
    const stated = path.startsWith('sbom') ? packages.map((one) => one.replace(/(?<=\d)$/, ' main')) : packages
    assert.equal(stated.sort(), groups ? NPM_PACKAGES : withoutGroups)
    const lines = readFileSync(join(folder, path), 'utf8').split('\n')
    const written = /[{:]$/
    for (const { name, version, line } of found.components) {
      const entry = lines.slice(line! - 1, line! + 5).join('\n')
      assert.match(lines[line! - 1]!, written, `${path}:${line}`)
      assert.ok(entry.includes(name) && entry.includes(version), `${path}:${line}: ${entry}`)
    }
    assert.equal(skippedOf(found), path === 'yarn4/yarn.lock' ? ['15 local audited'] : [])
  })
}

test('SPDX has the packages of the project, and the project', () => {
  const found = read('sbom/audited.spdx.json')
  const packages = found.components.map(({ name, version }) => `${name} ${version}`)
  assert.equal(packages.sort(), [...withoutGroups, 'audited 1.0.0'].sort())
  assert.is(found.format, 'SPDX JSON')
})

/** Files of other tools: their packages, and what is skipped. */
const OTHERS: Record<string, [components: string[], skipped: string[]]> = {
  'composer/composer.lock': [
    [
      '9 Packagist guzzlehttp/guzzle 6.5.0 main',
      '31 Packagist symfony/http-foundation v4.4.0 main',
      '42 Packagist phpunit/phpunit 4.8.27 dev',
      '51 Packagist twig/twig dev-main dev',
    ],
    ['18 local own/lib'],
  ],
  'cargo/Cargo.lock': [
    ['19 crates.io regex 1.5.4', '25 crates.io smallvec 1.6.0', '31 crates.io time 0.1.44'],
    ['5 local audited', '15 local own'],
  ],
  // States categories.
  'poetry1/poetry.lock': [['3 PyPI certifi 2022.9.24 main', '14 PyPI Jinja2 2.11.2 dev'], ['26 local own-lib']],
  // States groups.
  'poetry2/poetry.lock': [
    ['3 PyPI certifi 2022.9.24 main', '14 PyPI pytest 7.1.0 dev', '27 PyPI urllib3 1.26.4 main'],
    [],
  ],
  'pip/requirements.txt': [
    [
      '6 PyPI Django 2.2.0',
      '7 PyPI requests 2.19.1',
      '8 PyPI urllib3 1.24.1',
      '11 PyPI Jinja2 2.11.2',
      '15 PyPI pyyaml 5.3',
    ],
    [
      '3 not-followed -r base.txt',
      '4 local -e ./own',
      '5 no-version -e git+https://example.com/tool.git@main#egg=tool',
      '12 not-pinned flask>=1.0,<2',
      '13 not-pinned pillow==8.*',
      '14 not-pinned certifi',
      '16 no-version wheelhouse',
      '17 no-version https://example.com/other-2.0.tar.gz',
      '18 local ./local.whl',
    ],
  ],
  // Only modules with code.
  'go/go.sum': [
    [
      '1 Go github.com/gin-gonic/gin 1.6.2',
      '4 Go golang.org/x/net 0.0.0-20190404232315-eb5bcb51f2a3',
      '6 Go gopkg.in/yaml.v2 2.2.2+incompatible',
    ],
    [],
  ],
  // Modules that replacements leave.
  'go/go.mod': [
    [
      '5 Go stdlib 1.21.3',
      '7 Go github.com/gin-gonic/gin 1.6.2',
      '21 Go github.com/new/name 1.1.0',
      '12 Go golang.org/x/net 0.0.0-20190404232315-eb5bcb51f2a3',
      '13 Go gopkg.in/yaml.v2 2.2.2+incompatible',
    ],
    ['10 local example.com/own'],
  ],
  // Gems of all sources but folders, without platforms.
  'bundler/Gemfile.lock': [
    [
      '5 RubyGems paint 2.2.1',
      '16 RubyGems nokogiri 1.13.3',
      '21 RubyGems racc 1.6.0',
      '22 RubyGems rack 2.2.3',
      '23 RubyGems rails-html-sanitizer 1.4.0.beta1',
    ],
    ['10 local own'],
  ],
  'uv/uv.lock': [
    [
      '30 PyPI babel 2.9.0 main',
      '35 PyPI iniconfig 2.0.0 dev',
      '40 PyPI jinja2 2.11.2 main',
      '53 PyPI markupsafe 2.0.1 main',
      '65 PyPI numpy 1.26.4 main',
      '73 PyPI numpy 2.2.0 main',
      '78 PyPI orphan 1.0.0',
      '83 PyPI pytest 7.1.0 dev',
    ],
    ['15 local audited', '58 local member', '91 no-version tool'],
  ],
  'pdm/pdm.lock': [
    [
      '10 PyPI requests 2.19.1 main',
      '21 PyPI pytest 7.1.0 dev',
      '26 PyPI sphinx 4.0.0',
      '38 PyPI wheel-file 1.2.0',
      '43 PyPI from-git 3.0.0',
    ],
    ['31 local own'],
  ],
  'pylock/pylock.toml': [
    ['4 PyPI certifi 2022.9.24', '18 PyPI numpy 2.2.3'],
    ['10 local own', '14 no-version from-git'],
  ],
  'pipenv/Pipfile.lock': [
    ['4 PyPI django 2.2.0 main', '9 PyPI urllib3 1.24.1 main', '12 PyPI pytest 7.1.0 dev', '16 PyPI sphinx 4.0.0'],
    ['5 no-version from-git', '6 local own', '7 no-version archive', '8 not-pinned any *'],
  ],
  'bun/bun.lock': [
    [
      '28 npm @xmldom/xmldom 0.8.2 main',
      '30 npm lodash 3.10.1 main',
      '34 npm brace-expansion 1.1.22 dev',
      '36 npm concat-map 0.0.1 dev',
      '38 npm fsevents 2.3.2 main',
      '42 npm is-number 7.0.0',
      '46 npm minimatch 3.0.4 dev',
      '50 npm react 18.2.0 main',
      '52 npm react 17.0.0 main',
    ],
    ['26 local @own/a', '32 no-version archive', '40 no-version from-git', '44 local linked', '48 local own-lib'],
  ],
  'deno/deno.lock': [
    ['14 npm @xmldom/xmldom 0.8.2', '17 npm react 18.2.0', '20 npm use-sync-external-store 1.2.0'],
    [
      '9 no-advisories jsr:@std/path@1.0.3',
      'null no-advisories https://deno.land/std@0.200.0',
      'null no-advisories https://example.com',
      '33 local packages/own',
    ],
  ],
  'maven/pom.xml': [
    [
      '42 Maven org.apache.logging.log4j:log4j-core 2.14.0 main',
      '47 Maven org.springframework:spring-core 5.3.1 main',
      '53 Maven org.example:core 1.2.0 main',
      '58 Maven org.example:managed 3.0.0 main',
      '62 Maven org.example:managed 4.0.0 main',
      '87 Maven org.example:pinned 1.5 main',
      '97 Maven junit:junit 4.12 dev',
      '111 Maven org.apache.logging.log4j:log4j-api 2.17.1 main',
    ],
    [
      `4 not-followed org.example:parent:\${revision}`,
      '11 not-followed core',
      `42 variable org.apache.logging.log4j:log4j-core:\${log4j.version}`,
      '68 managed org.example:elsewhere',
      `72 variable org.example:unknown:\${elsewhere.version}`,
      `77 variable org.example:endless:\${loop}`,
      '82 not-pinned org.example:range:[1.0,2.0)',
      '92 not-pinned org.example:newest:LATEST',
      '41 transitive transitive dependencies',
    ],
  ],
  'gradle/gradle.lockfile': [
    [
      '4 Maven com.fasterxml.jackson.core:jackson-databind 2.9.8 main',
      '5 Maven junit:junit 4.12 dev',
      '6 Maven org.robolectric:robolectric 4.8 dev',
    ],
    [],
  ],
  'gradle/verification-metadata.xml': [
    ['10 Maven com.fasterxml.jackson.core:jackson-databind 2.9.8', '15 Maven junit:junit 4.12'],
    ['16 no-version org.example:none'],
  ],
  'nuget/packages.lock.json': [
    [
      '5 NuGet Newtonsoft.Json 12.0.1',
      '11 NuGet System.Text.Encodings.Web 4.5.0',
      '24 NuGet runtime.native.System 4.3.0',
      '29 NuGet System.Text.Encodings.Web 4.5.1',
    ],
    ['16 local own'],
  ],
  'nuget/packages.config': [
    ['3 NuGet Newtonsoft.Json 12.0.1 main', '4 NuGet StyleCop.Analyzers 1.1.118 dev'],
    ['5 malformed a package without an id', '6 no-version None'],
  ],
  'nuget/app.deps.json': [
    ['10 NuGet Microsoft.NETCore.App.Runtime.linux-x64 6.0.0', '11 NuGet Newtonsoft.Json 12.0.1'],
    ['9 local app', '12 local Plain.Assembly', '13 no-version None'],
  ],
  'nuget/project.assets.json': [['5 NuGet Newtonsoft.Json 12.0.1'], ['11 local own']],
  // A package that others require can be for development.
  'pub/pubspec.lock': [
    ['4 Pub archive 3.3.0', '17 Pub http 0.13.2+1 main', '25 Pub lints 2.0.0-dev.1 dev', '40 Pub window 0.2.7'],
    ['12 platform flutter', '33 local own'],
  ],
  // A package under another name.
  'mix/mix.lock': [['2 Hex cowboy 2.9.0', '3 Hex decimal 2.0.0-rc.1', '5 Hex phoenix 1.5.9'], ['4 no-version fork']],
  'swift1/Package.resolved': [
    ['4 SwiftURL github.com/apple/swift-nio 2.39.0'],
    ['9 no-version gitlab.example.com/own/branch'],
  ],
  'swift3/Package.resolved': [
    ['4 SwiftURL github.com/vapor/vapor 4.60.2', '30 SwiftURL gitlab.example.com/own/tools 0.3.0-beta.1'],
    ['13 no-advisories mona.linkedlist', '21 local own'],
  ],
  // Without an ecosystem. The parts of a pod are one package.
  'cocoapods/Podfile.lock': [['2  AFNetworking 2.5.0', '5  NSData+Zip 1.0.0-beta.1'], ['6 local Own']],
  // What only the build requires.
  'conan1/conan.lock': [
    [
      '12 ConanCenter libpng 1.6.37 main',
      '17 ConanCenter zlib 1.2.11 main',
      '21 ConanCenter cmake 3.22.0 dev',
      '26 ConanCenter openssl 1.1.1l dev',
    ],
    ['4 local audited/1.0', '30 malformed 7.7'],
  ],
  'conan2/conan.lock': [
    [
      '4 ConanCenter zlib 1.2.11 main',
      '5 ConanCenter libcurl 7.80.0 main',
      '8 ConanCenter cmake 3.22.0 dev',
      '12 ConanCenter pyreq 1.0 dev',
    ],
    [],
  ],
  'renv/renv.lock': [
    [
      '12 CRAN commonmark 1.7',
      '18 Bioconductor BiocGenerics 0.48.1',
      '23 Bioconductor S4Vectors 0.40.2',
      '29 CRAN readxl 1.4.0.9000',
    ],
    ['36 local own', '42 no-version none'],
  ],
  // Flags name no version; a choice names several.
  'cabal/cabal.project.freeze': [
    [
      '2 Hackage aeson 2.0.3.0',
      '5 Hackage cabal-doctest 1.0.9',
      '5 Hackage cabal-doctest 1.0.8',
      '6 Hackage text 1.2.5.0',
      '9 Hackage zlib 0.6.3.0',
    ],
    ['4 no-version base', '8 not-pinned any.xml-conduit >=1.9'],
  ],
  'stack/stack.yaml.lock': [
    ['5 Hackage xml-conduit 1.9.1.0', '12 Hackage fork 0.3.0'],
    ['20 no-version https://example.com/none.tar.gz', '25 in-snapshot lts-20.3'],
  ],
  // Two packages with one name.
  'julia1/Manifest.toml': [['8 Julia HTTP 1.10.0', '14 Julia HTTP 0.1.0'], ['5 platform Base64']],
  'julia2/Manifest.toml': [
    ['10 Julia LibCURL_jll 8.4.0+0'],
    ['7 platform Artifacts', '15 local Own', '20 no-version Tracked'],
  ],
  // An action at a commit has the version of the comment.
  'github/.github/workflows/ci.yml': [
    [
      '13 GitHub Actions actions/checkout v4',
      '15 GitHub Actions tj-actions/changed-files v45.0.7',
      '19 GitHub Actions github/codeql-action/init v3.28.1',
      '27 GitHub Actions acme/tool main',
      '31 GitHub Actions acme/workflows/.github/workflows/build.yml v1.2.0',
    ],
    [
      '18 commit actions/cache@7777777777777777777777777777777777777778',
      '20 local ./.github/actions/own',
      '21 image alpine:3.20',
      '8 image node:22',
      '11 image postgres:17',
      `28 variable acme/tool@\${{ matrix.tool }}`,
      '29 no-version acme/tool',
      '33 local ./.github/workflows/own.yml',
    ],
  ],
  'github/action.yml': [['6 GitHub Actions actions/setup-node v4.0.1'], []],
  'purls.txt': [
    [
      '2 npm @xmldom/xmldom 0.8.2',
      '3 PyPI Django 2.2.0',
      '5 Debian:12 openssl 3.0.11-1',
      '6 openSUSE:Leap 15.4 curl 1:7.56.1-1',
      '7  library/nginx 1.25',
    ],
    ['8 no-version pkg:npm/lodash', '9 malformed-purl pkg:maven/log4j-core@2.14.0'],
  ],
}

for (const [path, [components, skipped]] of Object.entries(OTHERS)) {
  test(`${path} has its packages with lines, and states what is skipped`, () => {
    const found = read(path)
    assert.equal([componentsOf(found), skippedOf(found)], [components, skipped])
  })
}

/** Entries that the projects above do not have: file, text, packages, skipped entries. */
const RARE: [name: string, text: string, components: string[], skipped: string[]][] = [
  [
    'package-lock.json',
    JSON.stringify({
      lockfileVersion: 3,
      packages: {
        '': { name: 'root', version: '1.0.0' },
        'packages/own': { version: '1.0.0' },
        'node_modules/own': { resolved: 'packages/own', link: true },
        'packages/own/node_modules/@a/b': { version: '2.0.0', dev: true },
        'node_modules/@a/b': { version: '2.0.0' },
        'node_modules/alias': { name: '@real/name', version: '3.0.0', devOptional: true },
        'node_modules/git': { version: '4.0.0', resolved: 'git+ssh://git@example.com/git.git#7' },
        'node_modules/none': {},
        'node_modules/o': { version: '5.0.0', optional: true, peer: true },
        'node_modules/p': { version: '6.0.0', peer: true },
      },
    }),
    [
      '1 npm @a/b 2.0.0 main',
      '1 npm @real/name 3.0.0 dev+optional',
      '1 npm git 4.0.0 main',
      '1 npm o 5.0.0 optional',
      '1 npm p 6.0.0 peer',
    ],
    ['1 local packages/own', '1 no-version none'],
  ],
  [
    'npm-shrinkwrap.json',
    JSON.stringify({
      dependencies: {
        a: { version: '1.0.0', dependencies: { b: { version: '2.0.0', bundled: true } } },
        alias: { version: 'npm:@real/name@3.0.0' },
        git: { version: 'git+ssh://git@example.com/git.git#7' },
        own: { version: 'file:own' },
      },
    }),
    ['1 npm a 1.0.0 main', '1 npm @real/name 3.0.0 main', '1 npm b 2.0.0 main'],
    ['1 no-version git', '1 local own'],
  ],
  [
    'pnpm-lock.yaml',
    `lockfileVersion: 5.3
packages:
  npm.example.com/@a/b/1.0.0: {dev: true}
  /c/2.0.0_d@1.0.0+e@2.0.0: {}
  example.com/git/7777:
    name: git
    version: 3.0.0
  /f/4.0.0/g@1.0.0:
    dev: true
  file:own:
    resolution: {directory: own, type: directory}
    name: own
    version: 1.0.0
`,
    ['3 npm @a/b 1.0.0 dev', '4 npm c 2.0.0', '5 npm git 3.0.0', '8 npm f 4.0.0 dev'],
    ['10 local file:own'],
  ],
  [
    'pnpm-lock.yaml',
    `---
lockfileVersion: '9.0'
packages:
  pnpm@12.0.0: {}
---
lockfileVersion: '9.0'
packages:
  '@a/b@1.0.0': {}
  c@https://example.com/c/tar.gz/7777:
    resolution: {tarball: https://example.com/c/tar.gz/7777}
    version: 2.0.0
  d@file:d.tgz: {}
  own@file:own:
    resolution: {directory: own, type: directory}
  /e@3.0.0(f@1.0.0)(g@2.0.0): {}
  npm.example.com/@h/i@4.0.0: {}
`,
    ['4 npm pnpm 12.0.0', '8 npm @a/b 1.0.0', '9 npm c 2.0.0', '15 npm e 3.0.0', '16 npm @h/i 4.0.0'],
    ['12 no-version d', '13 local own@file:own'],
  ],
  [
    'yarn.lock',
    `# yarn lockfile v1

"@a/b@^1.0.0", "@a/b@~1.2.0":
  version "1.2.3"

"alias@npm:@real/name@^2.0.0":
  version "2.0.1"

"git@git+ssh://git@example.com/git.git":
  version "3.0.0"

"own@file:./own":
  version "0.0.0"

none@^1.0.0:
  resolved "https://example.com/none.tgz"
`,
    ['3 npm @a/b 1.2.3', '6 npm @real/name 2.0.1', '9 npm git 3.0.0'],
    ['12 local own', '15 no-version none'],
  ],
  // `resolutions` joins an alias with a plain key. Folders are local, with or without a protocol; archives are packages.
  [
    'yarn.lock',
    `# yarn lockfile v1

concat-map@0.0.1, "concat-map@npm:isarray@2.0.5":
  version "2.0.5"
  resolved "https://registry.yarnpkg.com/isarray/-/isarray-2.0.5.tgz"

"archive@file:./archive-1.2.3.tgz":
  version "1.2.3"
  resolved "file:./archive-1.2.3.tgz#7"

"folder@./folder", "folder@file:./folder":
  version "0.9.0"

"parent@../parent":
  version "0.9.0"
`,
    ['3 npm isarray 2.0.5', '7 npm archive 1.2.3'],
    ['11 local folder', '14 local parent'],
  ],
  [
    'package-lock.json',
    JSON.stringify({
      lockfileVersion: 1,
      dependencies: {
        'is-number': { version: 'https://registry.npmjs.org/is-number/-/is-number-7.0.0.tgz' },
        dom: { version: 'https://npm.example.com/proxy/@xmldom/xmldom/-/xmldom-0.8.2.tgz' },
        other: { version: 'https://example.com/other-1.0.0.tgz' },
        archive: { version: 'file:archive-1.2.3.tgz' },
      },
    }),
    ['1 npm is-number 7.0.0 main', '1 npm @xmldom/xmldom 0.8.2 main'],
    ['1 no-version other', '1 no-version archive'],
  ],
  // Packages inside another one, of which the file names no version.
  [
    'pnpm-lock.yaml',
    `lockfileVersion: '9.0'
packages:
  a@1.0.0:
    bundledDependencies:
      - b
      - c
  d@2.0.0:
    bundledDependencies: true
snapshots:
  a@1.0.0(peer@1.0.0):
    dependencies:
      b: 3.0.0
`,
    ['3 npm a 1.0.0', '7 npm d 2.0.0'],
    ['3 bundled c', '7 bundled bundled dependencies of d@2.0.0'],
  ],
  [
    'yarn.lock',
    `__metadata:
  version: 8

"a@npm:^1.0.0, a@npm:~1.2.0":
  version: 1.2.3
  resolution: "a@npm:1.2.3"
  dependenciesMeta:
    version:
      optional: true

"a@patch:a@npm%3A^1.0.0#~builtin<compat/a>":
  version: 1.2.3
  resolution: "a@patch:a@npm%3A1.2.3#~builtin<compat/a>::version=1.2.3&hash=7"

"c@npm:1.0.0::__archiveUrl=https%3A%2F%2Fnpm.example.com%2Fc.tgz":
  version: 1.0.0
  resolution: "c@npm:1.0.0::__archiveUrl=https%3A%2F%2Fnpm.example.com%2Fc.tgz"

? "long@npm:1, long@npm:2"
:
  version: 2.0.0
  resolution: "long@npm:2.0.0"

"own@portal:./own::locator=root%40workspace%3A.":
  version: 0.0.0-use.local
  resolution: "own@portal:./own::locator=root%40workspace%3A."
`,
    ['4 npm a 1.2.3', '15 npm c 1.0.0', '19 npm long 2.0.0'],
    ['24 local own'],
  ],
  [
    'bom.json',
    JSON.stringify({
      bomFormat: 'CycloneDX',
      components: [
        { name: 'os', type: 'operating-system', version: '12' },
        { name: 'a', purl: 'pkg:npm/a@1.0.0', components: [{ name: 'b', version: '2.0.0', purl: 'pkg:npm/b' }] },
        { name: 'c', purl: 'pkg:npm/c' },
      ],
    }),
    ['1 npm a 1.0.0', '1 npm b 2.0.0'],
    ['1 no-version pkg:npm/c'],
  ],
  // The parts of the subject.
  [
    'bom.json',
    JSON.stringify({
      bomFormat: 'CycloneDX',
      metadata: {
        component: { name: 'root', purl: 'pkg:npm/root@1', components: [{ name: 'a', purl: 'pkg:npm/a@1' }] },
      },
      components: [{ name: 'b', purl: 'pkg:npm/b@2' }],
    }),
    ['1 npm a 1', '1 npm b 2'],
    [],
  ],
  [
    'a.spdx.json',
    JSON.stringify({
      spdxVersion: 'SPDX-2.2',
      packages: [
        {
          name: 'a',
          externalRefs: [
            { referenceType: 'cpe23Type', referenceLocator: 'cpe:2.3:a:a:a:1:*:*:*:*:*:*:*' },
            { referenceType: 'http://spdx.org/rdf/references/purl', referenceLocator: 'pkg:npm/a@1' },
            { referenceType: 'purl', referenceLocator: 'pkg:npm/b@2' },
            { referenceType: 'purl', referenceLocator: 'pkg:npm/b@2' },
          ],
        },
        { name: 'c', externalRefs: null },
      ],
    }),
    ['1 npm a 1', '1 npm b 2'],
    ['1 no-purl c'],
  ],
  ['bun.lock', '{}', [], []],
  ['bun.lock', '{"lockfileVersion": 2, "packages": {"a/@b/c": ["@b/c@1.0.0", "", {}]}}', ['1 npm @b/c 1.0.0'], []],
  // An optional package of another one.
  [
    'bun.lock',
    `{"lockfileVersion": 1, "workspaces": {"": {"dependencies": {"a": "1"}, "devDependencies": {"b": "1", "c": "1"}}}, "packages": {
"a": ["a@1.0.0", "", {"optionalDependencies": {"b": "1"}}, ""],
"b": ["b@1.0.0", "", {}, ""],
"c": ["c@1.0.0", "", {"peerDependencies": {"d": "1"}}, ""],
"d": ["d@1.0.0-beta.1", "", {}, ""],
"x/b": ["b@2.0.0", "", {}, ""]}}`,
    ['2 npm a 1.0.0 main', '3 npm b 1.0.0 main', '4 npm c 1.0.0 dev', '5 npm d 1.0.0-beta.1 dev', '6 npm b 2.0.0 main'],
    [],
  ],
  [
    'deno.lock',
    '{"version": "3", "packages": {"specifiers": {}, "jsr": {"@a/b@1.0.0": {}}, "npm": {"c@1.0.0-rc.1": {}}}, "remote": {}}',
    ['1 npm c 1.0.0-rc.1'],
    ['1 no-advisories jsr:@a/b@1.0.0'],
  ],
  [
    'deno.lock',
    '{"version": "2", "remote": {"https://a.example/b@v1.0.0/c.ts": "7"}, "npm": {"specifiers": {}, "packages": {"@a/b@1.0.0": {}}}}',
    ['1 npm @a/b 1.0.0'],
    ['null no-advisories https://a.example/b@v1.0.0'],
  ],
  ['deno.lock', '{"https://a.example/b.ts": "7"}', [], ['null no-advisories https://a.example']],
  ['deno.lock', '{"version": "5"}', [], []],
  ['packages.lock.json', '{"version": 1, "dependencies": {}}', [], []],
  ['Pipfile.lock', '{"_meta": {}, "default": {}, "develop": {}}', [], []],
  ['uv.lock', 'version = 1\n', [], []],
  ['uv.lock', '[[package]]\nname = "a"\nversion = "1.0"\nsource = { directory = "a" }\n', [], ['1 local a']],
  ['pylock.dev.toml', "lock-version = '1.0'\npackages = [{name = 'a', version = '1.0'}]\n", [' PyPI a 1.0'], []],
  // Older versions of PDM state no groups.
  ['pdm.lock', '[[package]]\nname = "a"\nversion = "1.0"\n', ['1 PyPI a 1.0'], []],
  // A file for each configuration, of Gradle 6 and older.
  [
    'compileClasspath.lockfile',
    '# comment\ncom.example:a:1.0\nnot a package\n',
    ['2 Maven com.example:a 1.0'],
    ['3 malformed not a package'],
  ],
  ['buildscript-gradle.lockfile', 'empty=classpath\n', [], []],
  [
    'pom.xml',
    `<project><groupId>g</groupId><artifactId>a</artifactId><version>1.0</version><dependencies>
<dependency><groupId>g</groupId><artifactId>b</artifactId></dependency>
<dependency><groupId>g</groupId><artifactId>c</artifactId><version>\${pom.version}\${version}</version></dependency>
<dependency><groupId>\${none}</groupId><artifactId>d</artifactId><version>1</version></dependency>
<dependency><artifactId>e</artifactId></dependency>
</dependencies></project>`,
    ['3 Maven g:c 1.01.0 main'],
    ['2 no-version g:b', `4 variable \${none}:d:1`, '5 malformed e', '1 transitive transitive dependencies'],
  ],
  // An imported list of versions, and a profile that manages a version.
  [
    'pom.xml',
    `<project><dependencyManagement><dependencies>
<dependency><groupId>g</groupId><artifactId>bom</artifactId><version>1</version><type>pom</type><scope>import</scope></dependency>
<dependency><groupId>g</groupId><artifactId>b</artifactId><version>1</version></dependency>
</dependencies></dependencyManagement><dependencies>
<dependency><groupId>g</groupId><artifactId>a</artifactId></dependency>
<dependency><groupId>g</groupId><artifactId>b</artifactId></dependency>
</dependencies><profiles><profile><dependencyManagement><dependencies>
<dependency><groupId>g</groupId><artifactId>b</artifactId><version>2</version></dependency>
</dependencies></dependencyManagement><dependencies>
<dependency><groupId>g</groupId><artifactId>b</artifactId></dependency>
</dependencies></profile></profiles></project>`,
    ['6 Maven g:b 1 main', '10 Maven g:b 2 main'],
    ['5 managed g:a', '6 variable g:b:1', '4 transitive transitive dependencies'],
  ],
  ['a-1.0.pom', '<project><modules><module>a</module></modules></project>', [], ['1 not-followed a']],
  ['packages.config', '<packages/>', [], []],
  ['verification-metadata.xml', '<verification-metadata><components/></verification-metadata>', [], []],
  [
    'yarn.lock',
    `# yarn lockfile v1

"lodash@^4.17.11", "lodash@^4.17.15":
  "integrity" "sha512-7"
  "resolved" "https://example.com/lodash.tgz"
  "version" "4.17.15"

none:
  version "1.0.0"
`,
    ['3 npm lodash 4.17.15', '8 npm none 1.0.0'],
    [],
  ],
  [
    'go.mod',
    'module example.com/a\n\ngo 1.16\n\ntoolchain go1.22rc1-custom\n\nrequire(\n\texample.com/b v1.0.0 // indirect\n)\n',
    ['5 Go stdlib 1.22rc1', '8 Go example.com/b 1.0.0'],
    ['3 not-listed indirect modules'],
  ],
  [
    'go.mod',
    'module example.com/a\n\ngo 1.18.1\n\ntoolchain default\n\nrequire example.com/b v1.0.0\n',
    ['3 Go stdlib 1.18.1', '7 Go example.com/b 1.0.0'],
    [],
  ],
  [
    'go.mod',
    'module example.com/a\n\ngo 1.18\n\nrequire "example.com/b" v1.0.0\nrequire example.com/c v1.0.0\nreplace "example.com/b" => "./b"\nreplace `example.com/c` v1.0.0 => `example.com/d` v1.2.0\n',
    ['3 Go stdlib 1.18', '8 Go example.com/d 1.2.0'],
    ['5 local example.com/b'],
  ],
  ['go.mod', 'module example.com/a\n\ngo 1.12\n', ['3 Go stdlib 1.12'], []],
  [
    'go.mod',
    'module example.com/a\n\ngo 1.22rc1\n\nrequire example.com/b v1.0.0\n',
    ['3 Go stdlib 1.22rc1', '5 Go example.com/b 1.0.0'],
    [],
  ],
  [
    'requirements.txt',
    [
      ...['-rbase.txt', '-cconstraints.txt', '--requirement=more.txt', '-e.', `\${WHEELS}/a.whl`, `b==\${B_VERSION}`],
      ...['c == 1.0', 'd ===2.0 ; python_version < "3"', 'not a requirement', ''],
    ].join('\n'),
    ['7 PyPI c 1.0', '8 PyPI d 2.0'],
    [
      ...['1 not-followed -rbase.txt', '2 not-followed -cconstraints.txt', '3 not-followed --requirement=more.txt'],
      ...['4 local -e.', `5 variable \${WHEELS}/a.whl`, `6 variable b==\${B_VERSION}`, '9 malformed not a requirement'],
    ],
  ],
  ['pnpm-lock.yaml', "lockfileVersion: '9.0'\npackages:\n", [], []],
  [
    'pnpm-lock.yaml',
    "lockfileVersion: '9.0'\npackages:\n  a@1.0.0:\n  b@2.0.0: null\n",
    ['3 npm a 1.0.0', '4 npm b 2.0.0'],
    [],
  ],
  ['Gemfile.lock', '', [], []],
  ['Gemfile.lock', 'PLATFORMS\n  ruby\n\nDEPENDENCIES\n', [], []],
  [
    'sbom.json',
    JSON.stringify({
      sbom: {
        spdxVersion: 'SPDX-2.3',
        packages: [{ name: 'a', externalRefs: [{ referenceType: 'purl', referenceLocator: 'pkg:npm/a@1.0.0' }] }],
      },
    }),
    ['1 npm a 1.0.0'],
    [],
  ],
  [
    'Cargo.lock',
    '[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "git+https://example.com/a#7"\n',
    ['1 crates.io a 1.0.0'],
    [],
  ],
  // Rarely written, but valid.
  ['pubspec.lock', 'packages:\nsdks:\n  dart: any\n', [], []],
  ['pubspec.lock', 'packages:\n  a:\n    source: hosted\n', [], ['2 no-version a']],
  ['mix.lock', '%{}', [], []],
  // Arrows, comments and escapes; a value that is no tuple.
  [
    'mix.lock',
    '# lock\n%{"a" => {:hex, :"a-b", "1.0.0"}, c: {:path, "../c"},\n  "d\\"}": nil,\n  "e": {:hex, },\n}\n',
    ['2 Hex a-b 1.0.0'],
    ['2 local c', '3 malformed d\\"}', '4 malformed e'],
  ],
  ['Package.resolved', '{"pins": [], "version": 2}', [], []],
  ['Podfile.lock', 'PODS: []\n', [], []],
  // Version 0.1, which names nodes by an id, and a project without a name.
  [
    'conan.lock',
    JSON.stringify({
      version: '0.1',
      graph_lock: {
        nodes: {
          a: { path: 'conanfile.txt', requires: { 'zlib/1.2.11#77': 'b' } },
          b: { pref: 'zlib/1.2.11#77:78#79' },
        },
      },
    }),
    ['1 ConanCenter zlib 1.2.11 main'],
    ['1 local conanfile.txt'],
  ],
  ['conan.lock', '{"version": "0.5", "requires": []}', [], []],
  ['renv.lock', '{"R": {"Version": "4.3.1"}, "Packages": {}}', [], []],
  // A stanza has fields of its own.
  [
    'cabal.project.freeze',
    'Constraints:\n  foo==1.0,\n  bar ==1.*\npackage foo\n  constraints: any.none ==1.0\nindex-state: 2023-01-01T00:00:00Z\n',
    ['2 Hackage foo 1.0'],
    ['3 not-pinned bar ==1.*'],
  ],
  ['stack.yaml.lock', 'packages: []\nsnapshots:\n- original:\n    url: a.yaml\n', [], ['3 in-snapshot a.yaml']],
  ['Manifest.toml', '# This file is machine-generated - editing it directly is not advised\n', [], []],
  ['Manifest-v1.11.toml', 'manifest_format = "2.0"\n[[deps.A]]\nversion = "1.0.0"\n', ['2 Julia A 1.0.0'], []],
  // An action that is an image, one that is a program, and a comment that is no version.
  ['action.yml', 'runs:\n  using: docker\n  image: docker://alpine:3.20\n', [], ['3 image alpine:3.20']],
  ['action.yaml', 'runs:\n  using: docker\n  image: Dockerfile\n', [], ['3 local Dockerfile']],
  ['action.yml', 'runs: {using: node24, main: a.js}\n', [], []],
  [
    'action.yml',
    `runs:\n  steps:\n  - uses: a/b@${'7'.repeat(40)} # v1 is old\n  - uses: a/c@${'7'.repeat(40)} # v1\n  - uses: a\n`,
    ['4 GitHub Actions a/c v1'],
    [`3 commit a/b@${'7'.repeat(40)}`, '5 malformed a'],
  ],
]

for (const [name, text, components, skipped] of RARE) {
  test(`rare entries of ${name} (${text.slice(0, 30).replaceAll('\n', ' ')})`, () => {
    const found = inventoryOf(name, name, Buffer.from(text))
    assert.equal(componentsOf(found), components)
    assert.equal(skippedOf(found), skipped)
  })
}

test('a workflow is recognized by its path, or by its keys', () => {
  const text = 'on: push\njobs:\n  a:\n    steps:\n    - uses: a/b@v1\n'
  const formatOfFile = (path: string, content = text) => {
    try {
      return inventoryOf(path, basename(path), Buffer.from(content)).format
    } catch (error) {
      return (error as Error).message.replace(/\. Known formats.*/, '')
    }
  }
  for (const path of ['ci.yml', 'notes.txt', '.github/workflows/ci.yaml', 'a\\.github\\workflows\\ci.yml']) {
    assert.is(formatOfFile(path), 'GitHub workflow')
  }
  assert.is(formatOfFile('a.yml', "'on': push\r\njobs:\r\n  a: {}\r\n"), 'GitHub workflow')
  assert.is(formatOfFile('.github/workflows/a.yml', 'name: a\njobs: {}\n'), 'GitHub workflow')
  assert.is(formatOfFile('a.yml', 'runs:\n  using: composite\n'), 'GitHub workflow')
  // Jobs of other tools.
  for (const other of ['version: 2.1\njobs:\n  a:\n    steps: []\n', 'jobs:\n  on: a\n', 'runs: 7\n']) {
    assert.is(formatOfFile('.circleci/config.yml', other), '.circleci/config.yml is in no known format')
  }
})

test('a pod has a purl of a type without an ecosystem', () => {
  const { components } = read('cocoapods/Podfile.lock')
  assert.equal(
    components.map(({ ecosystem, purl }) => `${ecosystem} ${purl}`),
    ['null pkg:cocoapods/AFNetworking@2.5.0', 'null pkg:cocoapods/NSData%2BZip@1.0.0-beta.1'],
  )
})

/** Each in another format. */
const IMAGES = ['cdx.xml', 'spdx', 'spdx.yaml', 'spdx3.json', 'syft.json', 'cdx.intoto.json', 'spdx.intoto.jsonl'].map(
  (extension) => `sbom/image.${extension}`,
)

const ALL = [...NPM_FILES.map(([path]) => path), 'sbom/audited.spdx.json', ...IMAGES, ...Object.keys(OTHERS)]

test('the source package of a distribution is in the purl, or in the properties of syft and Trivy', () => {
  const property = (name: string, value: string) => ({ name, value })
  const sourceOf = (purl: string, ...properties: object[]) => {
    const text = JSON.stringify({ bomFormat: 'CycloneDX', components: [{ name: 'a', purl, properties }] })
    return inventoryOf('a', 'bom.json', Buffer.from(text)).components[0]!.source
  }
  const deb = 'pkg:deb/debian/libssl3@3.0-1?distro=debian-12'
  assert.is(sourceOf(`${deb}&upstream=openssl`), 'openssl')
  assert.is(sourceOf(deb), null)
  assert.is(sourceOf(deb, property('syft:metadata:source', 'openssl')), 'openssl')
  assert.is(
    sourceOf(deb, property('syft:metadata:source', 'openssl'), property('syft:metadata:sourceVersion', '3.0-2')),
    'openssl@3.0-2',
  )
  assert.is(sourceOf('pkg:apk/alpine/libssl3@3', property('syft:metadata:originPackage', 'openssl')), 'openssl')
  assert.is(sourceOf('pkg:rpm/rocky/a@1', property('syft:metadata:sourceRpm', 'b-1-1.src.rpm')), 'b-1-1.src.rpm')
  const trivy = ['Name openssl', 'Version 3.0', 'Release 1', 'Epoch 1'].map((one) => {
    const [name, value] = one.split(' ')
    return property(`aquasecurity:trivy:Src${name}`, value!)
  })
  assert.is(sourceOf(deb, ...trivy), 'openssl@1:3.0-1')
  const spdx = {
    spdxVersion: 'SPDX-2.3',
    packages: [
      {
        name: 'a',
        sourceInfo: 'built package from: openssl 3.0-1',
        externalRefs: [{ referenceType: 'purl', referenceLocator: deb }],
      },
    ],
  }
  const [found] = inventoryOf('a', 'a.spdx.json', Buffer.from(JSON.stringify(spdx))).components
  assert.is(found!.source, 'openssl@3.0-1')
})

test('a package that is stated with and without its source package counts as both', () => {
  const deb = 'pkg:deb/debian/libssl3@3.0-1?distro=debian-12'
  const text = [deb, `${deb}&upstream=openssl`, `${deb}&arch=amd64`, `${deb}&arch=amd64&upstream=openssl`].join('\n')
  const { components } = inventoryOf('a', 'a.purl', Buffer.from(text))
  assert.equal(
    components.map(({ source, line }) => [source, line]),
    [
      [null, 1],
      ['openssl', 2],
    ],
  )
})

test('files of other formats with similar content are refused; the message names the tool of a known one', () => {
  const ruby = "module Foo\n  VERSION = '1'\nend\n"
  const cases = [
    [
      'paket.lock',
      'NUGET',
      'paket.lock is a file of Paket, whose format is not read. Known formats: statement of in-toto; ',
    ],
    ['a.spdx.rdf', '<rdf/>', 'a.spdx.rdf is a file of SPDX in RDF, whose format is not read. Known formats: '],
    ['a.trivy.json', '{}', 'a.trivy.json is a file of Trivy, in its own JSON, whose format is not read. Known '],
    ['paket.lock', 'NUGET\n  remote: a\n  specs:\n    B (1.0)\n', 'paket.lock is a file of Paket, whose format is not'],
    ['rebar.lock', '{"1.2.0",[{<<"a">>,{pkg,<<"a">>,<<"1.0">>},0}]}.', 'rebar.lock is a file of rebar3, whose format'],
    ['pixi.lock', 'version: 6\npackages:\n- conda: a\n', 'pixi.lock is a file of pixi, whose format is not read'],
    ['conda-lock.yml', 'version: 1\npackage: []\n', 'conda-lock.yml is a file of Conda, whose format is not read'],
    ['manifest.toml', 'packages = []\n', 'manifest.toml is a file of Gleam, whose format is not read'],
    [
      'pubspec.yaml',
      'name: a\n',
      'pubspec.yaml is a manifest of Dart: it states no versions in use. Check pubspec.lock',
    ],
    ['package.json', '{}', 'package.json is a manifest of npm: it states no versions in use. Check its lock file'],
    ['build.xml', '<project name="a"><target/></project>', 'build.xml is in no known format. Known formats: '],
    ['some.json', '{"version": 5, "npm": {}}', 'some.json is in no known format. Known formats: '],
    ['foo.rb', ruby, 'foo.rb is in no known format. Known formats: '],
  ] as const
  for (const [name, text, message] of cases) {
    assert.throws(
      () => inventoryOf(name, name, Buffer.from(text)),
      (error: Error) => error.message.startsWith(message),
    )
  }
})

for (const path of ALL) {
  test(`${path} is recognized by its content too, with line ends of Windows, a byte order mark and in UTF-16`, () => {
    const text = readFileSync(join(folder, path), 'utf8')
    const expected = read(path)
    const windows = text.replaceAll('\n', '\r\n')
    for (const bytes of [
      Buffer.from(text),
      Buffer.from(windows),
      Buffer.from(`\ufeff${text}`),
      Buffer.from(`\ufeff${windows}`, 'utf16le'),
    ]) {
      assert.equal(inventoryOf(path, 'audited', bytes), expected)
    }
  })
}

test('a package is omitted if all groups that need it are, and is kept where the file states none', () => {
  const packages = {
    main: { version: '1.0.0' },
    dev: { version: '1.0.0', dev: true },
    optional: { version: '1.0.0', optional: true },
    both: { version: '1.0.0', devOptional: true },
    'main/node_modules/dev': { version: '1.0.0' },
  }
  const entries = Object.entries(packages).map(([path, entry]) => [`node_modules/${path}`, entry])
  const text = JSON.stringify({ lockfileVersion: 3, packages: Object.fromEntries(entries) })
  const lock = inventoryOf('f', 'package-lock.json', Buffer.from(text))
  const left = (groups: ('dev' | 'optional')[]) => {
    const { inventory, omitted } = omitting(lock, groups)
    assert.is(inventory.components.length + omitted, 4)
    return inventory.components.map(({ name }) => name)
  }
  assert.equal(left([]), ['main', 'dev', 'optional', 'both'])
  // `main` needs another copy of `dev`, and `both` is optional too.
  assert.equal(left(['dev']), ['main', 'dev', 'optional', 'both'])
  assert.equal(left(['dev', 'optional']), ['main', 'dev'])
  assert.is(omitting(inventoryOf('f', 'f.purl', Buffer.from('pkg:npm/a@1')), ['dev', 'optional', 'peer']).omitted, 0)
  const poetry = (groups: string, optional: boolean) => {
    const entry = `[[package]]\nname = "a"\nversion = "1"\noptional = ${optional}\ngroups = ${groups}\n`
    return inventoryOf('f', 'poetry.lock', Buffer.from(entry)).components[0]!.groups
  }
  assert.equal(poetry('["main", "docs"]', false), ['main'])
  assert.equal(poetry('["main"]', true), ['optional'])
  assert.equal(poetry('["docs"]', false), ['dev'])
  assert.is(poetry('[]', false), null)
  const pnpm = `lockfileVersion: '9.0'
packages:
  a@1.0.0: {}
  b@1.0.0: {}
snapshots:
  a@1.0.0: {optional: true}
  b@1.0.0(c@1.0.0): {optional: true}
  b@1.0.0(c@2.0.0): {}
`
  const { inventory } = omitting(inventoryOf('f', 'pnpm-lock.yaml', Buffer.from(pnpm)), ['optional'])
  assert.equal(
    inventory.components.map(({ name, groups }) => [name, groups]),
    [['b', null]],
  )
})

test.run()
