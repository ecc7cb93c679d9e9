/** Names of products: CPE 2.3. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cpeText, parseCpe } from '../../../../corpus/model/affected/cpe.ts'

const cpe = suite('cpe')

cpe('a name has eleven attributes, as they are written', () => {
  assert.equal(parseCpe('cpe:2.3:a:acme:widget:1.2:p1:*:en:pro:node.js:x64:-'), {
    part: 'a',
    vendor: 'acme',
    product: 'widget',
    version: '1.2',
    update: 'p1',
    edition: '*',
    language: 'en',
    swEdition: 'pro',
    targetSw: 'node.js',
    targetHw: 'x64',
    other: '-',
  })
})

cpe('an escaped colon is part of a value, an escaped backslash escapes nothing', () => {
  assert.is(parseCpe('cpe:2.3:a:acme:a\\:b:1:*:*:*:*:*:*:*')?.product, 'a\\:b')
  const { vendor, product } = parseCpe('cpe:2.3:a:ac\\\\:me:1:*:*:*:*:*:*:*')!
  assert.equal([vendor, product], ['ac\\\\', 'me'])
})

cpe('what has other attributes is no name', () => {
  for (const name of ['', 'cpe:/a:acme:widget', 'cpe:2.3:a:acme', 'cpe:2.3:a:b:c:d:e:f:g:h:i:j:k:l', 'a:b:c']) {
    assert.is(parseCpe(name), null, name)
  }
})

cpe('text is unescaped; any and not applicable are no text', () => {
  assert.is(cpeText('yahoo\\!'), 'yahoo!')
  assert.is(cpeText('c\\+\\+'), 'c++')
  assert.is(cpeText('a\\\\b'), 'a\\b')
  assert.is(cpeText('*'), null)
  assert.is(cpeText('-'), null)
  assert.is(cpeText('\\-'), '-')
})

cpe.run()
