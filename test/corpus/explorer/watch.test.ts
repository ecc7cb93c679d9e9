/** The watch list: names and their identity, the file, the storage of the browser. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { isWatched } from '../../../corpus/explorer/app/pages/kev/watched.ts'
import {
  identityOf,
  KIND_WORDS,
  KINDS,
  pathOf,
  type WatchKind,
  WatchNameError,
  watchEntry,
} from '../../../corpus/explorer/app/watch/entries.ts'
import {
  decodeWatchFile,
  encodeWatchFile,
  MOST_BYTES,
  MOST_ENTRIES,
  mergedEntries,
  WatchFileError,
} from '../../../corpus/explorer/app/watch/file.ts'
import { clearWatchList, readWatchList, unwatch, watch } from '../../../corpus/explorer/app/watch/store.ts'

const nameOf = (kind: WatchKind, text: string) => watchEntry(kind, text).name
const isRefused = (kind: WatchKind, text: string, words: RegExp) =>
  assert.throws(
    () => watchEntry(kind, text),
    (error: Error) => error instanceof WatchNameError && words.test(error.message),
  )

test('a name is read as the filters of the API read it', () => {
  assert.is(nameOf('vendor', ' Red Hat '), 'red_hat')
  assert.is(nameOf('product', 'Microsoft/Windows 10'), 'microsoft/windows_10')
  assert.is(nameOf('product', 'acme/tcp/ip stack'), 'acme/tcp%2Fip_stack')
  assert.is(nameOf('product', 'a%2fb/c%2Fd'), 'a%2Fb/c%2Fd')
  assert.is(nameOf('package', 'NPM/@angular/core'), 'npm/@angular/core')
  assert.is(nameOf('package', 'Debian:12/openssl'), 'Debian/openssl')
  assert.is(nameOf('cve', 'cve-2024-3400'), 'CVE-2024-3400')
})

test('a text that is no name is refused, with the reason', () => {
  isRefused('vendor', ' ', /1 to 2048 characters/)
  isRefused('vendor', 'n/a', /1 to 2048 characters/)
  isRefused('vendor', 'x'.repeat(2049), /1 to 2048 characters/)
  isRefused('product', 'windows', /<vendor>\/<product>/)
  isRefused('product', '/windows', /<vendor>\/<product>/)
  isRefused('product', 'microsoft/', /name of the product/)
  isRefused('package', 'lodash', /<ecosystem>\/<name>/)
  isRefused('package', 'nmp/lodash', /ecosystem “nmp” is unknown/)
  isRefused('package', 'npm/lo dash', /without blanks/)
  isRefused('cve', 'CVE-24-1', /CVE id/)
})

test('spellings that vulnshelf joins are one entry', () => {
  const same = (kind: WatchKind, ...texts: string[]) =>
    assert.is(new Set(texts.map((text) => identityOf(watchEntry(kind, text)))).size, 1, texts.join(', '))
  same('vendor', 'Red Hat', 'redhat', 'red-hat')
  same('vendor', 'Apache', 'Apache Software Foundation')
  same('product', 'Apache/HTTP Server', 'apache_software_foundation/apache_http_server', 'apache/http-server')
  same('package', 'PyPI/Foo.Bar', 'pypi/foo-bar')
  assert.is.not(identityOf(watchEntry('package', 'Maven/a:B')), identityOf(watchEntry('package', 'Maven/a:b')))
  assert.is.not(identityOf(watchEntry('vendor', 'c')), identityOf(watchEntry('vendor', 'c++')))
})

test('an entry has its page', () => {
  assert.equal(pathOf(watchEntry('product', 'acme/tcp/ip')), ['vendors', 'acme', 'products', 'tcp/ip'])
  assert.equal(pathOf(watchEntry('package', 'npm/@a/b')), ['packages', 'npm', '@a/b'])
  assert.equal(pathOf(watchEntry('cve', 'CVE-2024-3400')), ['cves', 'CVE-2024-3400'])
})

const ENTRIES = [
  watchEntry('vendor', 'Cisco'),
  watchEntry('product', 'microsoft/windows 10'),
  watchEntry('package', 'npm/lodash'),
  watchEntry('cve', 'CVE-2024-3400'),
]

test('a file gives the same entries again, by hand too', () => {
  assert.equal(decodeWatchFile(encodeWatchFile(ENTRIES)), ENTRIES)
  assert.equal(decodeWatchFile('\ufeff{"vendors":["Red Hat","redhat"]}'), [watchEntry('vendor', 'red_hat')])
  assert.equal(decodeWatchFile('{}'), [])
})

test('a bad file gets an error that names what is wrong', () => {
  const fails = (text: string, words: RegExp) =>
    assert.throws(
      () => decodeWatchFile(text),
      (error: Error) => error instanceof WatchFileError && words.test(error.message),
      text.slice(0, 80),
    )
  fails('', /not JSON/)
  fails('vendor,cisco', /not JSON/)
  fails('[]', /must be a JSON object/)
  fails('null', /must be a JSON object/)
  fails('{"vendor":["cisco"]}', /“vendor” is unknown\. Its members are vendors, products, packages, cves/)
  fails('{"vendors":"cisco"}', /“vendors” must be a list/)
  fails('{"vendors":["cisco",7]}', /vendors\[1\] must be a text/)
  fails('{"cves":["CVE-2024-3400","CVE-1"]}', /cves\[1\] is “CVE-1”: it must be a CVE id/)
  fails('{"packages":["npm/a","deb/b"]}', /packages\[1\] is “deb\/b”: the ecosystem “deb” is unknown/)
  fails(JSON.stringify({ vendors: [' '.repeat(MOST_BYTES)] }), /more than 512 KiB/)
  const many = Array.from({ length: MOST_ENTRIES + 1 }, (_, i) => `CVE-2024-${10_000 + i}`)
  fails(JSON.stringify({ cves: many }), /1001 entries; a watch list can have 1000/)
})

test('an import merges: the first spelling stays', () => {
  assert.equal(mergedEntries([watchEntry('vendor', 'Red Hat')], [watchEntry('vendor', 'redhat'), ENTRIES[0]!]), [
    watchEntry('vendor', 'red_hat'),
    ENTRIES[0],
  ])
})

/** A storage of a browser. */
function storage(items: Map<string, string>, most = Number.POSITIVE_INFINITY): Storage {
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem(name: string, text: string) {
      if (text.length > most) throw new Error('QuotaExceededError')
      items.set(name, text)
    },
    removeItem: (name: string) => void items.delete(name),
  } as Storage
}

const inBrowser = (own: () => Storage, work: () => void) => {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, get: own })
  try {
    work()
  } finally {
    if (before) Object.defineProperty(globalThis, 'localStorage', before)
    else Reflect.deleteProperty(globalThis, 'localStorage')
  }
}

test('the browser keeps the list', () => {
  const items = new Map<string, string>()
  inBrowser(
    () => storage(items),
    () => {
      assert.equal(readWatchList(), { entries: [], damage: null, isStored: true })
      assert.is(watch(ENTRIES), null)
      unwatch(watchEntry('vendor', 'CISCO'))
      assert.equal(readWatchList().entries, ENTRIES.slice(1))
      assert.equal(decodeWatchFile([...items.values()][0]!), ENTRIES.slice(1))
    },
  )
})

test('a full or blocked storage keeps the list for the page, and says so', () => {
  const blocked = () => {
    throw new Error('SecurityError')
  }
  for (const own of [() => storage(new Map(), 10), blocked]) {
    inBrowser(own, () => {
      assert.is(watch(ENTRIES), null)
      assert.equal(readWatchList(), { entries: ENTRIES, damage: null, isStored: false })
      clearWatchList()
      assert.equal(readWatchList().entries, [])
    })
  }
})

test('a damaged text in the browser is named and stays until a new list begins', () => {
  const items = new Map([['vulnshelf.watch', '{"vendors":[1]}']])
  inBrowser(
    () => storage(items),
    () => {
      clearWatchList()
      items.set('vulnshelf.watch', '{"vendors":[1]}')
      assert.is(readWatchList().damage, 'vendors[0] must be a text')
      assert.match(watch(ENTRIES)!, /cannot be read: vendors\[0\]/)
      assert.is(items.get('vulnshelf.watch'), '{"vendors":[1]}')
      clearWatchList()
      assert.is(watch(ENTRIES), null)
      assert.is(readWatchList().damage, null)
    },
  )
})

test('a list has at most as many entries as a file', () => {
  const items = new Map<string, string>()
  inBrowser(
    () => storage(items),
    () => {
      clearWatchList()
      const many = Array.from({ length: MOST_ENTRIES }, (_, i) => watchEntry('cve', `CVE-2023-${10_000 + i}`))
      assert.is(watch(many), null)
      assert.match(watch([ENTRIES[0]!])!, /would have 1001 entries; the limit is 1000/)
      assert.is(watch([many[0]!]), null)
    },
  )
})

test('each kind has its example in its own form', () => {
  for (const kind of KINDS) assert.is(nameOf(kind, KIND_WORDS[kind].example), KIND_WORDS[kind].example)
})

test('an entry of KEV is watched by its CVE, vendor or product, in any spelling', () => {
  const row = { cve_id: 'CVE-2026-90001', vendor_project: 'Acme Inc', product: 'HTTP Server' } as const
  const watched = (kind: WatchKind, name: string) => isWatched(row, [watchEntry(kind, name)])
  assert.ok(watched('cve', 'CVE-2026-90001'))
  assert.ok(watched('vendor', 'acme-inc'))
  assert.ok(watched('product', 'acme_inc/http_server'))
  assert.not.ok(watched('cve', 'CVE-2026-90002'))
  assert.not.ok(watched('vendor', 'acme'))
  assert.not.ok(watched('product', 'acme_inc/ftp_server'))
  assert.not.ok(watched('package', 'npm/http-server'))
  assert.not.ok(isWatched({ ...row, vendor_project: null, product: null }, [watchEntry('vendor', 'acme_inc')]))
})

test.run()
