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

/** Renders paragraphs and lists (lines with `- `), separated by empty lines. */
export function prose(text: string): Html {
  return { html: text.split('\n\n').map(block).join('\n') }
}

function block(text: string): string {
  const lines = text.split('\n')
  if (!lines.every((line) => line.startsWith('- '))) return `<p>${inline(text).html}</p>`
  return `<ul>\n${lines.map((line) => `<li>${inline(line.slice(2)).html}</li>`).join('\n')}\n</ul>`
}

/** Renders `code` in backticks, and **bold** text. */
export function inline(text: string): Html {
  const html = escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
  return { html }
}

function filled(filling: Filling): string {
  if (filling === null) return ''
  if (typeof filling === 'string' || typeof filling === 'number') return escaped(String(filling))
  return 'html' in filling ? filling.html : filling.map((part) => part.html).join('\n')
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!)
