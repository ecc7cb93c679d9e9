/** HTML templates that escape their values. */

export interface Html {
  readonly html: string
}

type Filling = string | number | Html | readonly Html[] | null

/** `null` renders nothing. */
export function html(strings: TemplateStringsArray, ...fillings: Filling[]): Html {
  return { html: strings.reduce((text, string, i) => text + filled(fillings[i - 1] ?? null) + string) }
}

export function joined(parts: readonly Html[], between: string): Html {
  return { html: parts.map((part) => part.html).join(escaped(between)) }
}

/** Renders paragraphs, separated by empty lines, and `code` in backticks. */
export function prose(text: string): Html {
  return {
    html: text
      .split('\n\n')
      .map((paragraph) => `<p>${inline(paragraph).html}</p>`)
      .join('\n'),
  }
}

export function inline(text: string): Html {
  return { html: escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>') }
}

function filled(filling: Filling): string {
  if (filling === null) return ''
  if (typeof filling === 'string' || typeof filling === 'number') return escaped(String(filling))
  return 'html' in filling ? filling.html : filling.map((part) => part.html).join('\n')
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!)
