/** Parameters that name a package. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ecosystemOf, packageText, purls } from '../../../../corpus/answers/parameters/package.ts'
import { refused } from './refused.ts'

test('a purl is read with its package, and kept as it was sent', () => {
  assert.equal(purls({ max: 2 }).read('pkg:npm/@scope/a@1.0.0', 'purl'), [
    { purl: 'pkg:npm/@scope/a@1.0.0', ecosystem: 'npm', name: '@scope/a', version: '1.0.0', source: null },
  ])
})

test('a malformed purl names the fault and an example, and quotes no more than 40 characters', () => {
  const read = (text: string) => () => purls({ max: 2 }).read(text, 'purl')
  refused(
    read('npm/a'),
    'purl',
    /'purl' is not a package URL such as pkg:npm\/\S+@17\.0\.0: 'npm\/a', it does not begin/,
  )
  refused(read('pkg:npm/a@1.0 build'), 'purl', /contains a blank or a control character; write '\+' as %2B$/)
  refused(read('pkg:npm/%'), 'purl', /its name has malformed percent-encoding$/)
  refused(read(`x${'y'.repeat(9000)}`), 'purl', /^.{1,250}$/)
})

test('names and versions have no blanks: a blank was a plus sign', () => {
  assert.is(packageText().read('libstdc++6', 'name'), 'libstdc++6')
  refused(() => packageText().read('1.0.0 build', 'version'), 'version', /write '\+' as %2B/)
  refused(() => packageText().read('a\u0000', 'name'), 'name', /control character/)
})

test('ecosystems match in any case, with the suffix of a distribution', () => {
  const read = (text: string, suffixed = true) => ecosystemOf(text, ['NewOS'], { suffixed })
  const cases = [
    ['NPM', 'npm'],
    ['pypi', 'PyPI'],
    ['rocky linux', 'Rocky Linux'],
    ['debian:12', 'Debian:12'],
    ['ubuntu:Pro:18.04:LTS', 'Ubuntu:Pro:18.04:LTS'],
    ['newos:1', 'NewOS:1'],
  ]
  for (const [text, canonical] of cases) assert.is(read(text!), canonical)
  assert.is(read('DEBIAN', false), 'Debian')
  refused(() => read('debian:12', false), 'ecosystem', /^unknown value 'debian:12'.* Debian, /)
})

test('an unknown ecosystem is refused with the known ones', () => {
  const read = (text: string) => () => ecosystemOf(text, ['NewOS'], { suffixed: true })
  refused(read('nuge'), 'ecosystem', /did you mean 'NuGet'\? Allowed: .*\bnpm, .*, NewOS$/)
  refused(read('cobol'), 'ecosystem', /allowed: AlmaLinux, /)
  refused(read(''), 'ecosystem', /allowed: /)
  refused(read(':12'), 'ecosystem', /allowed: /)
})

test.run()
