/** CPE names as clients write them: formatted strings and URIs (NISTIR 7695). */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { CpeError, canonicalValue, formatCpe, hasWildcard, readCpe } from '../../../../corpus/model/cpe/name.ts'

const name = suite('cpe name')

/** A name, and the formatted string of its canonical form. */
const READABLE: [text: string, formatted: string][] = [
  ['cpe:2.3:a:acme:widget:1.2:p1:*:en:pro:node.js:x64:-', 'cpe:2.3:a:acme:widget:1.2:p1:*:en:pro:node.js:x64:-'],
  ['CPE:2.3:A:Acme:Widget:1.0RC1:*:*:*:*:*:*:*', 'cpe:2.3:a:acme:widget:1.0rc1:*:*:*:*:*:*:*'],
  // An escape that the character does not require is removed, but a literal hyphen is not the logical value.
  ['cpe:2.3:a:a\\.b:c\\_d:1\\-2:\\-:*:*:*:*:*:*', 'cpe:2.3:a:a.b:c_d:1-2:\\-:*:*:*:*:*:*'],
  ['cpe:2.3:a:a\\:b:c\\+\\+:1\\:2.0:*:*:*:*:*:*:*', 'cpe:2.3:a:a\\:b:c\\+\\+:1\\:2.0:*:*:*:*:*:*:*'],
  ['cpe:2.3:a:a\\\\:b:*:*:*:*:*:*:*:*', 'cpe:2.3:a:a\\\\:b:*:*:*:*:*:*:*:*'],
  ['cpe:2.3:o:acme:os:2.*:??rc:a\\\\*:*:*:*:*:*', 'cpe:2.3:o:acme:os:2.*:??rc:a\\\\*:*:*:*:*:*'],
  ['cpe:2.3:h:acme:box:???:*x*:*:*:*:*:*:*', 'cpe:2.3:h:acme:box:???:*x*:*:*:*:*:*:*'],
  ['cpe:/', 'cpe:2.3:*:*:*:*:*:*:*:*:*:*:*'],
  ['cpe:/a:acme:widget', 'cpe:2.3:a:acme:widget:*:*:*:*:*:*:*:*'],
  ['cpe:/a:acme:widget:1.2::-', 'cpe:2.3:a:acme:widget:1.2:*:-:*:*:*:*:*'],
  ['cpe:/o:Acme:c%2b%2b:1%02:%01b:ed:en', 'cpe:2.3:o:acme:c\\+\\+:1*:?b:ed:en:*:*:*:*'],
  ['cpe:/a:acme:c++:1%3a2', 'cpe:2.3:a:acme:c\\+\\+:1\\:2:*:*:*:*:*:*:*'],
  ['cpe:/a:acme:widget:8.0:sp1:~~pro~wordpress~x64~-', 'cpe:2.3:a:acme:widget:8.0:sp1:*:*:pro:wordpress:x64:-'],
  ['cpe:/a:acme:widget:8.0:sp1:~ed~~~~:de', 'cpe:2.3:a:acme:widget:8.0:sp1:ed:de:*:*:*:*'],
]

for (const [text, formatted] of READABLE) {
  name(`${text} is read`, () => {
    assert.is(formatCpe(readCpe(text)), formatted)
    assert.is(formatCpe(readCpe(formatted)), formatted, 'the canonical form is its own')
  })
}

/** A malformed name, and what its message states. */
const MALFORMED: [text: string, states: RegExp][] = [
  ['', /begins neither with 'cpe:2\.3:' nor with 'cpe:\/'/],
  ['acme:widget', /begins neither/],
  ['cpe:2.3:a:acme', /attribute 'product' is missing/],
  ['cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*', /attribute 'other' is missing/],
  ['cpe:2.3:a:acme:widget:1:*:*:*:*:*:*:*:x', /1 attributes follow 'other'/],
  ['cpe:2.3:x:acme:widget:1:*:*:*:*:*:*:*', /attribute 'part' is 'x'/],
  ['cpe:2.3:a::widget:1:*:*:*:*:*:*:*', /attribute 'vendor' is empty/],
  ['cpe:2.3:a:acme:wid*get:1:*:*:*:*:*:*:*', /attribute 'product' has '\*' within its value/],
  ['cpe:2.3:a:acme:widget:***:*:*:*:*:*:*:*', /attribute 'version' has '\*' within its value/],
  ['cpe:2.3:a:acme:widget:1?0:*:*:*:*:*:*:*', /attribute 'version' has '\?' within its value/],
  ['cpe:2.3:a:acme:c++:1:*:*:*:*:*:*:*', /attribute 'product' has an unescaped '\+'; write '\\\+'/],
  ['cpe:2.3:a:acme:widget:1 0:*:*:*:*:*:*:*', /attribute 'version' has a blank/],
  ['cpe:2.3:a:acme:wídget:1:*:*:*:*:*:*:*', /attribute 'product' has the character 'í'/],
  ['cpe:2.3:a:acme:widget:\\1:*:*:*:*:*:*:*', /attribute 'version' escapes '1'/],
  ['cpe:2.3:a:acme:widget:1:*:*:*:*:*:sw:x\\', /attribute 'other' ends in a backslash/],
  ['cpe:2.3:a:acme:widget:1:*:*:*:*:*:*:𝒳', /attribute 'other' has the character '𝒳'/],
  ['cpe:/z:acme', /attribute 'part' is 'z'/],
  ['cpe:/a:acme:widget:1:2:3:4:5', /1 attributes follow 'language'/],
  ['cpe:/a:acme:widget:1%2', /attribute 'version' has a '%'/],
  ['cpe:/a:acme:widget:1*', /attribute 'version' has '\*'; write %02/],
  ['cpe:/a:acme:widget:1%020', /attribute 'version' has '\*' within its value/],
  ['cpe:/a:acme:widget:1::~a~b', /attribute 'edition' has 2 packed values instead of 5/],
]

for (const [text, states] of MALFORMED) {
  name(`${text || 'an empty text'} is malformed`, () => {
    try {
      const cpe = readCpe(text)
      assert.unreachable(`${text} was read as ${formatCpe(cpe)}`)
    } catch (error) {
      assert.instance(error, CpeError)
      assert.match((error as CpeError).message, states)
    }
  })
}

name('a wildcard is an unescaped * or ? at an end', () => {
  for (const value of ['1.*', '*1', '?', '1??', 'a\\\\*']) assert.ok(hasWildcard(value), value)
  for (const value of ['*', '-', '1', '1\\*', '1\\?', '\\*']) assert.not.ok(hasWildcard(value), value)
})

name('values of feeds get the same form, even if they are malformed', () => {
  assert.is(canonicalValue('Node.JS'), 'node.js')
  assert.is(canonicalValue('1\\.0\\-rc1'), '1.0-rc1')
  assert.is(canonicalValue('\\-'), '\\-')
  assert.is(canonicalValue('*'), '*')
  assert.is(canonicalValue('12.2\\(25\\)SE'), '12.2\\(25\\)se')
  assert.is(canonicalValue('1+2'), '1+2')
})

name.run()
