/** The filters that name a vendor, a product or a package. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packageKeyOf, packageName, product, vendor } from '../../../../corpus/answers/parameters/names.ts'
import { parseParams } from '../../../../corpus/answers/parameters/parse.ts'
import { refused } from './refused.ts'

const SCHEMA = { vendor: vendor(), product: product(), package: packageName() }
const read = (raw: string) => parseParams({ path: {}, query: SCHEMA }, {}, raw)

test('a vendor is its key, from any spelling of its name', () => {
  for (const [raw, key] of [
    ['microsoft', 'microsoft'],
    ['Acme%20%20Corp.', 'acme_corp.'],
    ['+ACME+', 'acme'],
    ['a/b', 'a/b'],
    ['a%2Fb', 'a/b'],
    ['n%2Fa', 'n/a'],
    ['*', '*'],
    ['%20', ''],
  ]) {
    assert.is(read(`vendor=${raw}`).vendor, key, raw)
  }
  assert.is(read(`vendor=${'x'.repeat(2048)}`).vendor!.length, 2048)
  refused(
    () => read(`vendor=${'x'.repeat(2049)}`),
    'vendor',
    /^parameter 'vendor' must have 1 to 2048 characters, not 2049$/,
  )
})

test('a product has two parts; an encoded slash beside a plain one is part of a key', () => {
  for (const [raw, key] of [
    ['Microsoft/Windows%2010', 'microsoft/windows_10'],
    // Clients that encode every slash.
    ['microsoft%2Fwindows', 'microsoft/windows'],
    ['acme/tcp%2Fip', 'acme/tcp/ip'],
    ['acme/tcp/ip', 'acme/tcp/ip'],
    ['acme%2Ftcp%2Fip', 'acme/tcp/ip'],
    ['a%2fb/tcp%2Fip', 'a%2Fb/tcp/ip'],
    // Ids of the product list, encoded as a whole.
    [encodeURIComponent('a%2Fb/tcp/ip'), 'a%2Fb/tcp/ip'],
    [encodeURIComponent('a%2Fb/tcp%2Fip'), 'a%2Fb/tcp/ip'],
    ['a%252Fb/c', 'a%2Fb/c'],
    ['n%2Fa/x', 'n%2Fa/x'],
    [`${'v'.repeat(2048)}/${'p'.repeat(2048)}`, `${'v'.repeat(2048)}/${'p'.repeat(2048)}`],
  ]) {
    assert.is(read(`product=${raw}`).product, key, raw)
  }
  const form =
    /^parameter 'product' must be of the form <vendor>\/<product>, such as microsoft\/windows_10; .*%2F, not '/
  for (const raw of ['windows', '/windows', 'microsoft/', '%2F', '+/windows', 'a/%20', `${'v'.repeat(2049)}/p`]) {
    refused(() => read(`product=${raw}`), 'product', form)
  }
  refused(() => read(`product=v/${'p'.repeat(4096)}`), 'product', /must have 1 to 4097 characters, not 4098$/)
})

test('a package is an ecosystem and a name', () => {
  const keyOf = (raw: string) => packageKeyOf('package', read(`package=${raw}`).package!, ['NewOS'])
  for (const [raw, key] of [
    ['npm/lodash', 'npm/lodash'],
    ['NPM%2FLodash', 'npm/lodash'],
    ['npm/@angular/core', 'npm/@angular/core'],
    ['npm/%40angular%2Fcore', 'npm/@angular/core'],
    ['pypi/Zope.Interface', 'PyPI/zope-interface'],
    ['GitHub+Actions/actions/checkout', 'GitHub Actions/actions/checkout'],
    ['Debian/libstdc%2B%2B6', 'Debian/libstdc++6'],
    ['Maven/org.example:Core', 'Maven/org.example:Core'],
    ['newos/a', 'NewOS/a'],
  ]) {
    assert.is(keyOf(raw!), key, raw)
  }
  for (const raw of ['lodash', '/lodash', 'npm/', '@angular%40core']) {
    refused(
      () => keyOf(raw),
      'package',
      /^parameter 'package' must be of the form <ecosystem>\/<name>, such as npm\/lodash, not '/,
    )
  }
  refused(() => keyOf('Debian/libstdc++6'), 'package', /contains a blank or a control character; write '\+' as %2B$/)
  refused(
    () => keyOf('nmp/lodash'),
    'package',
    /^unknown value 'nmp' of parameter 'package'; did you mean 'npm'\? Allowed: .*, NewOS$/,
  )
  refused(() => keyOf('Debian:12/openssl'), 'package', /^unknown value 'Debian:12' of parameter 'package'/)
  refused(() => keyOf(`npm/${'x'.repeat(2048)}`), 'package', /must have 1 to 2048 characters, not 2052$/)
})

test.run()
