/** Spellings of one package fold to one name. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { foldName } from '../../../../corpus/model/packages/name.ts'

const same: [ecosystem: string, folded: string, ...spellings: string[]][] = [
  ['PyPI', 'zope-interface', 'zope.interface', 'Zope_Interface', 'zope--interface', 'zope.-_interface'],
  ['NuGet', 'newtonsoft.json', 'Newtonsoft.Json', 'NEWTONSOFT.JSON'],
  ['npm', '@babel/core', '@Babel/Core'],
  ['npm', 'jsonstream', 'JSONStream'],
  ['Packagist', 'symfony/http-kernel', 'Symfony/HTTP-Kernel'],
  ['Packagist:https://packages.drupal.org/8', 'drupal/core', 'Drupal/core'],
  ['Hex', 'phoenix', 'Phoenix'],
  ['Go', 'github.com/burntsushi/toml', 'github.com/BurntSushi/toml'],
  ['Go', 'stdlib', 'std'],
  ['crates.io', 'serde_json', 'serde-json', 'serde_json'],
  ['SwiftURL', 'github.com/vapor/vapor', 'https://github.com/vapor/vapor', 'https://github.com/Vapor/vapor.git'],
  ['GitHub Actions', 'sonarsource/sonarqube-scan-action', 'SonarSource/sonarqube-scan-action'],
  ['VSCode', 'ms-python.python', 'MS-Python.python'],
]

const exact: [ecosystem: string, name: string][] = [
  ['Maven', 'org.Example:My_artifact'],
  ['Debian:12', 'libapache2-mod_x'],
  ['RubyGems', 'RedCloth'],
  ['crates.io', 'Inflector'],
]

test('spellings of one package have the same folded name, which folds to itself', () => {
  for (const [ecosystem, folded, ...spellings] of same) {
    for (const spelling of [folded, ...spellings]) assert.is(foldName(ecosystem, spelling), folded)
  }
})

test('names of other ecosystems are exact', () => {
  for (const [ecosystem, name] of exact) assert.is(foldName(ecosystem, name), name)
})

test.run()
