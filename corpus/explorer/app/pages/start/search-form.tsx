/** The search field with suggestions of all types. */
import { useRef } from 'preact/hooks'
import { Combobox } from '../../parts/combobox.tsx'
import { go, hrefLink, link } from '../../router.ts'

export function SearchForm({ query }: { query: string }) {
  const field = useRef<HTMLDivElement>(null)
  const search = (text: string) => {
    if (text !== '') go(link(['search'], { q: text }))
  }
  return (
    <search class="search" ref={field}>
      <Combobox
        label="Search CVEs, weaknesses, attack patterns, vendors, products, CNAs, packages"
        value={query}
        types={null}
        placeholder="CVE-2024-3400, path traversal, openssl, …"
        onPick={({ href }) => go(hrefLink(href))}
        onEnter={(text, by) => by === 'enter' && search(text)}
      />
      <button type="button" onClick={() => search(field.current?.querySelector('input')?.value.trim() ?? '')}>
        Search
      </button>
    </search>
  )
}
