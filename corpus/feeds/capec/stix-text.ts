/**
 * Parses texts of CAPEC. Markup has the prefix `xhtml:`; entities are decoded already. Other tags are
 * literal text (`<script>`).
 */
import type { CapecEntry } from '../../model/catalog.ts'
import { blocksOf, plainText, type TextBlock } from '../catalog/structured-text.ts'
import type { XmlNode } from '../catalog/xml.ts'

const MAX_NESTING = 50

interface OpenElement {
  name: string
  attributes: Map<string, string>
  children: XmlNode[]
}

/** Returns the blocks of a text. Unclosed tags end with the text, because upstream has truncated texts. */
export function stixBlocks(text: string): TextBlock[] {
  const root: OpenElement = { name: '', attributes: new Map(), children: [] }
  const open = [root]
  let from = 0
  for (const match of text.matchAll(/<(\/?)xhtml:([a-z0-9]+)(\s[^<>]*|\/)?>/g)) {
    const [tag, slash, name = '', rest = ''] = match
    open.at(-1)!.children.push(text.slice(from, match.index))
    from = match.index + tag.length
    if (slash) {
      const at = open.findLastIndex((element) => element.name === name)
      if (at > 0) open.length = at
    } else {
      const element: OpenElement = { name, attributes: attributesIn(rest), children: [] }
      open.at(-1)!.children.push(element)
      if (!rest.endsWith('/') && open.length < MAX_NESTING) open.push(element)
    }
  }
  open.at(-1)!.children.push(text.slice(from))
  return blocksOf(root.children)
}

function attributesIn(text: string): Map<string, string> {
  return new Map(Array.from(text.matchAll(/\s(\w+)="([^"]*)"/g), ([, name, value]) => [name!, value!]))
}

export function stixText(text: string): string | null {
  return plainText(stixBlocks(text))
}

/**
 * Returns the steps of an execution flow, numbered across its phases. Upstream HTML:
 * `<div><h3>PHASE</h3><ol>` (`<li> <p> <b>TITLE: </b>TEXT</p></li>`
 * `<table><tbody><tr><th>Techniques</th></tr>` (`<tr><td>TEXT</td></tr>`)… `</tbody></table>`?)… `</ol></div>`
 */
export function readExecutionFlow(html: string): CapecEntry['execution_flow'] {
  const steps = html
    .split('<div><h3>')
    .slice(1)
    .flatMap((section) => {
      const phase = before(section, '</h3>')
      return section
        .slice(phase.length)
        .split('<li>')
        .slice(1)
        .map((step) => ({ phase, step }))
    })
  return steps.map(({ phase, step }, index) => {
    const text = before(step, '</p></li>')
    const techniques = step.slice(text.length).split('<tr><td>').slice(1)
    return {
      step: index + 1,
      phase: stixText(phase),
      description: stixText(withoutTags(text)),
      techniques: techniques.flatMap((technique) => stixText(before(technique, '</td></tr>')) ?? []),
    }
  })
}

/** Returns the content of a step's `<p>`, with its title without `<b>`. */
function withoutTags(html: string): string {
  const text = withoutStart(html.trimStart(), '<p>').trimStart()
  return text.startsWith('<b>') ? text.slice('<b>'.length).replace('</b>', '') : text
}

function before(text: string, mark: string): string {
  const at = text.indexOf(mark)
  return at < 0 ? text : text.slice(0, at)
}

function withoutStart(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : text
}
