/** The search field of the header: suggestions of all types; `/` moves the focus to it. */
import { useEffect, useRef } from 'preact/hooks'
import { go, hrefLink, link } from '../router.ts'
import { Combobox } from './combobox.tsx'

/** The id of a CVE leads to its page. */
const CVE_ID = /^CVE-\d{4}-\d{4,19}$/i

/** @param query what was searched for last */
export function SearchField({ query }: { query: string }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      event.preventDefault()
      box.current?.querySelector('input')?.select()
    }
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
  }, [])
  const search = (text: string) => {
    if (CVE_ID.test(text)) go(link(['cves', text.toUpperCase()]))
    else if (text !== '') go(link(['search'], { q: text }))
  }
  return (
    <search class="search" ref={box}>
      <Combobox
        label="Search CVEs, products, packages, vendors, weaknesses, attack patterns, CNAs"
        isLabelHidden
        value={query}
        types={null}
        placeholder="Search: CVE-2024-3400, openssl, path traversal …"
        onPick={({ href }) => go(hrefLink(href))}
        onEnter={(text, by) => by === 'enter' && search(text)}
      />
      <span class="key" aria-hidden="true">
        /
      </span>
    </search>
  )
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
