/** XML and structured text in it: the conversion of markup, and rejected documents. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  blocksOf,
  codeOf,
  paragraphsAndBullets,
  paragraphsOf,
  plainText,
} from '../../../../corpus/feeds/catalog/structured-text.ts'
import { attributeOf, parseXml, rootAttributes } from '../../../../corpus/feeds/catalog/xml.ts'
import { errorOf } from '../reading.ts'

const nodes = (xml: string) => parseXml(`<Text xmlns:xhtml="x">${xml}</Text>`, 'x.xml').children
const paragraphs = (xml: string) => paragraphsOf(blocksOf(nodes(xml)))
const code = (xml: string) => codeOf(nodes(xml))

const text = suite('structured text')

text('paragraphs are separated, and their white space is collapsed', () => {
  assert.equal(paragraphs('\n  <xhtml:p>The first\n\t one.</xhtml:p>\n <xhtml:p> The second. </xhtml:p>\n'), [
    'The first one.',
    'The second.',
  ])
  assert.equal(paragraphs(' Plain before. <xhtml:p>Marked.</xhtml:p> Plain after. '), [
    'Plain before.',
    'Marked.',
    'Plain after.',
  ])
  assert.equal(paragraphs(' \n <xhtml:p/> '), [])
})

text('a break is a line, two in a row a new paragraph', () => {
  assert.equal(paragraphs('One<xhtml:br/>\n two<xhtml:br/> <xhtml:br/>three'), ['One\ntwo', 'three'])
})

text('words in bold or italics stay in their sentence; a raised number is no other number', () => {
  assert.equal(paragraphs('A <xhtml:b>bold</xhtml:b> <xhtml:i>word</xhtml:i> of 2<xhtml:sup>32</xhtml:sup> bits'), [
    'A bold word of 2^32 bits',
  ])
})

const LIST = `<xhtml:p>Two things:</xhtml:p><xhtml:ul>
  <xhtml:li>one<xhtml:ul><xhtml:li>part of it</xhtml:li></xhtml:ul></xhtml:li>
  <xhtml:li><xhtml:div><xhtml:b>two:</xhtml:b> more</xhtml:div></xhtml:li>
</xhtml:ul>That is all.`

text('a list is one paragraph with an item a line, numbered or not', () => {
  assert.equal(paragraphs(LIST), ['Two things:', '- one\n  - part of it\n- two: more', 'That is all.'])
  assert.equal(paragraphs('<xhtml:ol><xhtml:li>a</xhtml:li><xhtml:li>b</xhtml:li></xhtml:ol>'), ['1. a\n2. b'])
})

text('where bullets have a field of their own, they go there, nested ones as well', () => {
  assert.equal(paragraphsAndBullets(blocksOf(nodes(LIST))), {
    paragraphs: ['Two things:', 'That is all.'],
    bullets: ['one', 'part of it', 'two: more'],
  })
})

text('the whole text has blank lines between paragraphs, and none is null', () => {
  assert.is(plainText(blocksOf(nodes('<xhtml:p>a</xhtml:p><xhtml:p>b</xhtml:p>'))), 'a\n\nb')
  assert.is(plainText(blocksOf(nodes(' \n '))), null)
})

text('a table has a line for each row', () => {
  const row = (cells: string[]) => `<xhtml:tr>${cells.map((cell) => `<xhtml:td>${cell}</xhtml:td>`)}</xhtml:tr>`
  const table = `<xhtml:table><xhtml:tbody>${row(['Name', 'Use'])}\n${row(['A', 'x<xhtml:br/>y'])}</xhtml:tbody></xhtml:table>`
  assert.equal(paragraphs(table.replaceAll(',', '')), ['Name | Use\nA | x y'])
})

text('entities are decoded once, in text and attributes; a CDATA section has none', () => {
  assert.equal(paragraphs('&lt;b&gt; &amp;lt; &#65;&#x42; &quot;&apos; &unknown; &#0; <![CDATA[<i> &lt;]]>'), [
    `<b> &lt; AB "' &unknown; &#0; <i> &lt;`,
  ])
  assert.is(attributeOf(parseXml('<a Name="&quot;x&quot;&#xA; &amp;amp; y"/>', 'x.xml'), 'Name'), '"x" &amp; y')
})

text('code keeps its lines and its indentation', () => {
  const xml = `
    <xhtml:div>if (a  ==  b) {<xhtml:div style="margin-left:1em;">
        call();<xhtml:br/>
        <xhtml:br/>while (c)<xhtml:div style="margin-left:1em;">next();</xhtml:div></xhtml:div>
      }<xhtml:br/>  kept();</xhtml:div>
  `
  assert.is(code(xml), 'if (a  ==  b) {\n  call();\n\n  while (c)\n    next();\n}\n  kept();')
})

text('line breaks of the XML are layout, in code as well', () => {
  assert.is(code('a\n   b<xhtml:b> c</xhtml:b><xhtml:br/>\n  d'), 'a b c\nd')
})

text('what CAPEC classes as code is code within a text', () => {
  const xml = `<xhtml:p>Sent is</xhtml:p><xhtml:div style="margin-left:1em;" class="attack">a<xhtml:div
    style="margin-left:1em;">b</xhtml:div></xhtml:div>`
  assert.equal(paragraphs(xml), ['Sent is', 'a\n  b'])
})

text.run()

const xml = suite('xml')

xml('what is empty, cut off, or not well-formed is refused', async () => {
  const refused = async (content: string) =>
    (await errorOf(() => parseXml(content, 'x.xml'))).slice(0, 'file_invalid: x.xml is em'.length)
  assert.is(await refused(' \n'), 'file_invalid: x.xml is em')
  for (const content of ['<a><b></a>', '<a><b>', '<a', 'a', '<a></a><b></b', '<a x=1/>']) {
    assert.is(await refused(content), 'file_invalid: x.xml is no', content)
  }
})

xml('a document type is refused, and with it every entity that could grow', async () => {
  const bomb = '<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;">]><a>&y;</a>'
  assert.is(
    await errorOf(() => parseXml(bomb, 'x.xml')),
    'file_invalid: x.xml has a document type declaration, which is not supported',
  )
})

xml('a document type that is shown in a text is text', () => {
  const shown = '<a><![CDATA[<!DOCTYPE x [<!ENTITY y "z">]>&y;]]></a>'
  assert.equal(parseXml(shown, 'x.xml').children, ['<!DOCTYPE x [<!ENTITY y "z">]>&y;'])
})

xml('elements nested without end are refused', async () => {
  const deep = `${'<a>'.repeat(200)}${'</a>'.repeat(200)}`
  assert.match(await errorOf(() => parseXml(deep, 'x.xml')), /^file_invalid: x\.xml is not XML: .*nested/i)
})

xml('tags without end are refused before they fill the memory', async () => {
  assert.is(
    await errorOf(() => parseXml(`<a>${'<b/>'.repeat(1_500_000)}</a>`, 'x.xml')),
    'file_invalid: x.xml has more than 1500000 tags',
  )
})

xml('names that mean something to JavaScript are refused', async () => {
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    assert.match(
      await errorOf(() => parseXml(`<a><${name} x="1"/></a>`, 'x.xml')),
      /^file_invalid: x\.xml is not XML/,
      name,
    )
  }
})

xml('the root can be asked without reading the rest, by local names', () => {
  const start = `<?xml version="1.0"?>\n<!-- a < b -->\n<c:Catalog Name='C' c:Version="4.1&amp;"\n Date="2024-01-02">`
  assert.equal(
    [...(rootAttributes(`${start} and so on <`) ?? [])],
    [
      ['Name', 'C'],
      ['Version', '4.1&'],
      ['Date', '2024-01-02'],
    ],
  )
  assert.is(rootAttributes('{}'), null)
})

xml.run()
