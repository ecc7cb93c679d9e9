/** XML of build files and SBOMs. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { MAX_XML_LEVELS, MAX_XML_NODES } from '../../../corpus/inventory/bounds.ts'
import { BoundError, FormatError } from '../../../corpus/inventory/error.ts'
import { childOf, childrenOf, parseXml, textOfChild, type XmlElement } from '../../../corpus/inventory/formats/xml.ts'

/** Lines such as `2 b x=1: text`, with two blanks for each level. */
const outline = ({ line, name, attributes, text, children }: XmlElement, level = 0): string[] => [
  `${'  '.repeat(level)}${line} ${name}${[...attributes].map(([key, value]) => ` ${key}=${value}`).join('')}: ${text}`,
  ...children.flatMap((child) => outline(child, level + 1)),
]

test('elements have local names, attributes, their own text and lines', () => {
  const text = `\ufeff<?xml version="1.0"?>
<!-- <no> -->
<p:root xmlns:p="urn:p"
  p:a = 'x "y"'>
  one<b/> two <![CDATA[<three> &amp;]]>
  <b c="&lt;&#65;&#x42;&unknown;&#xd800;"\r
  >A &amp; B</b
  ><größe.1/>\r\n</p:root >
<!-- end --><?end?>
`
  assert.equal(outline(parseXml(text)), [
    '3 root xmlns:p=urn:p p:a=x "y": one two <three> &amp;',
    '  5 b: ',
    '  6 b c=<AB&unknown;&#xd800;: A & B',
    '  8 größe.1: ',
  ])
})

test('children are found by name', () => {
  const root = parseXml('<a><b>1</b><c/><b>2</b></a>')
  assert.equal(
    childrenOf(root, 'b').map(({ text }) => text),
    ['1', '2'],
  )
  assert.equal([childOf(root, 'b')?.text, childOf(root, 'd')], ['1', null])
  assert.equal([textOfChild(root, 'b'), textOfChild(root, 'c'), textOfChild(root, 'd')], ['1', null, null])
})

const FAULTS: [text: string, line: number, message: RegExp][] = [
  ['', 1, /no element/],
  ['\n text', 2, /'text' is outside of the root/],
  ['<a/>\n\ntext', 3, /'text' is outside of the root/],
  ['<a/>\n<b/>', 2, /second root/],
  ['<a>\n<b>\n', 2, /<b> has no end/],
  ['<a>\n<b></a>', 2, /<\/a> ends <b> of line 2/],
  ['</a>', 1, /ends no element/],
  ['<a></a', 1, /ends no element/],
  ['<a>\n<b', 2, /the tag <b> has a fault/],
  ['<a b=c/>', 1, /the tag <a> has a fault/],
  ['<a b="<"/>', 1, /the tag <a> has a fault/],
  ['<a b="1"c="2"/>', 1, /the tag <a> has a fault/],
  ['<a b="1" b="2"/>', 1, /an attribute twice/],
  ['<a>\n< b/></a>', 2, /'< b\/><\/a>' is not a tag/],
  ['<1/>', 1, /is not a tag/],
  ['<!ELEMENT a>', 1, /is not a tag/],
  ['<a>\n<!-- </a>', 2, /the comment has no end/],
  ['<a>\n<![CDATA[ </a>', 2, /the CDATA section has no end/],
  ['<?xml', 1, /the processing instruction has no end/],
  ['\n<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 2, /document type/],
]

for (const [text, line, message] of FAULTS) {
  test(`${JSON.stringify(text)} is an error with its line`, () => {
    try {
      parseXml(text)
      assert.unreachable()
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      assert.match(error.message, message)
      assert.is(error.line, line)
    }
  })
}

test('levels, elements and attributes are bounded', () => {
  const nested = (levels: number) => parseXml('<a>'.repeat(levels) + '</a>'.repeat(levels))
  assert.is(nested(MAX_XML_LEVELS).name, 'a')
  assert.throws(() => nested(MAX_XML_LEVELS + 1), /nested too deep/)
  const wide = (nodes: number) => parseXml(`<a>${'<b c=""/>'.repeat((nodes - 1) / 2)}</a>`)
  assert.is(wide(MAX_XML_NODES - 1).children.length, MAX_XML_NODES / 2 - 1)
  assert.throws(
    () => wide(MAX_XML_NODES + 1),
    (error: unknown) => error instanceof BoundError,
  )
})

test('hostile texts take linear time', () => {
  const many = (text: string) => text.repeat(200_000)
  for (const text of ['<', '&', '<!--', '<![CDATA[', '<?', '<a ', '<a b="', ' ', '&#1', '\r', 'a']) {
    for (const inside of [many(text), `<a>${many(text)}`, `<a>${many(`${text}\n`)}`, `<a ${many(text)}`]) {
      assert.throws(() => parseXml(inside), /not XML/)
    }
  }
})

test.run()
