/** Every comparison of osv-scalibr's test data (`semantic/testdata`): `a < b`, `a = b` or `a > b`, one per line. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { comparatorOf } from '../../../../corpus/model/versions/comparator.ts'
import { needs, VERSION_FIXTURES } from '../../../support/needs.ts'

needs('version fixtures')

/** Ecosystems by the beginning of file names. */
const ECOSYSTEMS: Record<string, string> = {
  alpine: 'Alpine',
  cran: 'CRAN',
  debian: 'Debian',
  hackage: 'Hackage',
  maven: 'Maven',
  nuget: 'NuGet',
  packagist: 'Packagist',
  pub: 'Pub',
  pypi: 'PyPI',
  redhat: 'Red Hat',
  rubygems: 'RubyGems',
  semver: 'npm',
}

/** Maven up to 3.8.6 put a qualifier after a dot before one after a hyphen. Since MNG-7644 both are the same. */
const MAVEN_DOT = 'Maven 3.8.7 and later state the opposite: a dot before a qualifier counts as a hyphen'

/** Lines that state another order than the ecosystem's own implementation. At most 20. */
const EXCEPTIONS: Record<string, string> = {
  '1-1 = 1-ga-1': 'Maven 3.8.7 keeps the empty list of `ga`: `1-1` follows `1-ga-1`',
  '1.0.0-RC16 < 1.0.0.RC8-beta': MAVEN_DOT,
  '1.0.0-gradle-rework-beta3 < 1.0.0.RC7-3': MAVEN_DOT,
  '2.9.0-1 < 2.9.0.RC1': MAVEN_DOT,
  '6.1.12.rc5 < 6.1.12rc1': MAVEN_DOT,
  '1.1.46.sec10 < 1.1.46_noneautotype': MAVEN_DOT,
  '1.2.8.sec10_noneautotype < 1.2.8_noneautotype': MAVEN_DOT,
  '1.2.31.sec10 < 1.2.31_noneautotype': MAVEN_DOT,
  '1.2.48.sec10 < 1.2.48_noneautotype': MAVEN_DOT,
  '1.2.50.sec10 < 1.2.50_noneautotype': MAVEN_DOT,
  '1.2.54.sec10 < 1.2.54_noneautotype': MAVEN_DOT,
  '1.2.57.sec10 < 1.2.57_noneautotype': MAVEN_DOT,
  '1.2.60.sec10 < 1.2.60_noneautotype': MAVEN_DOT,
  '1.2.67.sec10 < 1.2.67_noneautotype': MAVEN_DOT,
  '1.0.0rc0 < 1.0.beta8': MAVEN_DOT,
  '1.5.9.RC1 < 1.5.9-RC0': MAVEN_DOT,
  '1.1.0-01-glassfish < 1.1.0.Beta1': MAVEN_DOT,
  '1.2.3.# = 1.2.3.1': 'PHP treats `#` as a separator; a character that equals every number has no place in an order',
}

const SIGNS: Record<string, number> = { '<': -1, '=': 0, '>': 1 }
const used = new Set<string>()

/** Returns what is wrong with a line; null if the order agrees. */
function faultOf(ecosystem: string, line: string): string | null {
  const [a, sign, b] = line.split(' ')
  const order = comparatorOf(ecosystem)!
  const [x, y] = [order.parse(a!), order.parse(b!)]
  if (x === null || y === null) return `${line}: not parsed`
  const found = [order.compare(x, y), order.compare(y, x)].map(Math.sign)
  const expected = SIGNS[sign!]!
  return found[0] === expected && found[1] === 0 - expected ? null : `${line}: ${found}`
}

for (const file of readdirSync(VERSION_FIXTURES).filter((name) => name.endsWith('.txt'))) {
  test(file, () => {
    const ecosystem = ECOSYSTEMS[file.split('-')[0]!]
    assert.ok(ecosystem, 'the file belongs to an ecosystem')
    const lines = readFileSync(join(VERSION_FIXTURES, file), 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !/^(?:#|\/\/)/.test(line))
    const faults = lines
      .map((line) => ({ line, fault: faultOf(ecosystem, line) }))
      .filter(({ fault }) => fault !== null)
    const listed = faults.filter(({ line }) => line in EXCEPTIONS)
    for (const { line } of listed) used.add(line)
    const failures = faults.filter(({ line }) => !(line in EXCEPTIONS)).map(({ fault }) => fault)
    console.log(`# ${file}: ${lines.length} lines, ${listed.length} exceptions, ${failures.length} failures`)
    assert.ok(lines.length > 0)
    assert.equal(failures, [])
  })
}

test('at most 20 exceptions, and each of them is still one', () => {
  assert.ok(Object.keys(EXCEPTIONS).length <= 20)
  assert.equal(
    Object.keys(EXCEPTIONS).filter((line) => !used.has(line)),
    [],
  )
})

test.run()
