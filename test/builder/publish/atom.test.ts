/** The form of Atom feeds, and the option `--site-url`. */
import { execFileSync } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeAtom } from '../../../builder/publish/atom.ts'
import { siteUrl } from '../../../builder/publish/options.ts'
import { readAtom } from '../../support/atom.ts'
import { suiteNeeding } from '../../support/needs.ts'

const test = suite('the form of Atom feeds')

const HOSTILE = `</title><script>alert("1")</script> ]]> & &lt; \u0000\u0001\u001b[31m\u0085\u009b \ud83d\ude00 \ufffe\ud800 end`
/** The same text, with one space for white space and U+FFFD for what XML does not allow. */
const SHOWN = `</title><script>alert("1")</script> ]]> & &lt; \ufffd\ufffd\ufffd[31m\ufffd\ufffd \u{1f600} \ufffd\ufffd end`

const hostileFeed = encodeAtom({
  id: 'tag:example.com,2026:/a',
  title: HOSTILE,
  subtitle: HOSTILE,
  updated: '2024-06-02T00:00:00.000Z',
  self: 'https://example.com/a?b=1&c="',
  alternate: 'https://example.com/?a&lt;',
  entries: [
    {
      id: 'tag:example.com,2026:/b',
      title: HOSTILE,
      updated: '2024-06-02T00:00:00.000Z',
      alternate: 'https://example.com/',
      summary: HOSTILE,
      lists: [{ title: HOSTILE, items: [{ text: HOSTILE, link: 'https://example.com/?a=1&b=2' }] }],
    },
  ],
})

test('every text is escaped once, and characters that XML does not allow are replaced', () => {
  const xml = hostileFeed.toString()
  assert.match(xml, /href="https:\/\/example\.com\/a\?b=1&amp;c=&quot;"/)
  assert.match(xml, /href="https:\/\/example\.com\/\?a&amp;lt;"/)
  const safe = Buffer.from(xml.replaceAll('c=&quot;', 'c='))
  const { title, entries } = readAtom(safe)
  const [entry] = entries
  assert.equal(
    [title, entry!.title, entry!.summary, ...entry!.items.map(({ text }) => text)],
    [SHOWN, SHOWN, SHOWN, SHOWN],
  )
})

const python = suiteNeeding("Atom feeds in python3's XML parser", 'python3')
const PARSE = `
import json, sys, xml.etree.ElementTree as tree
atom = '{http://www.w3.org/2005/Atom}'
feed = tree.parse(sys.stdin.buffer).getroot()
print(json.dumps([e.findtext(atom + 'title') for e in [feed, *feed.iter(atom + 'entry')]]))
`
python('it reads the same texts', () => {
  const titles = execFileSync('python3', ['-c', PARSE], { input: hostileFeed, encoding: 'utf8' })
  assert.equal(JSON.parse(titles), [SHOWN, SHOWN])
})

test('a site URL is an http URL with a DNS name; its path ends in a slash', () => {
  assert.is(siteUrl('https://Vulns.example.com').href, 'https://vulns.example.com/')
  assert.is(siteUrl('http://10.0.0.1:8080/a//').href, 'http://10.0.0.1:8080/a/')
  for (const [text, why] of [
    ['vulns.example.com', /^It must be an http or https URL; use the public URL of the target, such as https:/],
    ['ftp://example.com/', /^It must be an http or https URL/],
    ['https://user:pass@example.com/', /^It must have no user, password, query or fragment/],
    ['https://example.com/?a', /^It must have no user/],
    ['https://example.com/#', /^It must have no user/],
    ['https://[::1]/', /^Its host must be a DNS name/],
    ['https://a_b.example.com/', /^Its host must be a DNS name/],
    ['https://example.com/a|b', /^Its path must have only characters of RFC 3986/],
  ] as const) {
    assert.throws(
      () => siteUrl(text),
      (error: Error) => why.test(error.message),
      text,
    )
  }
})

test.run()
python.run()
