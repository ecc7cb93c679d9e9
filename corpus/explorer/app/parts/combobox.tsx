/** A text field with suggestions: the combobox with a list of the ARIA Authoring Practices. */
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Suggestions } from '../data/answers.ts'
import { useSession } from '../data/use.ts'
import { isNamedBy } from './names.ts'
import { Flag } from './values.tsx'

export type Suggestion = Suggestions['suggestions'][number]
export type SuggestionType = Suggestion['type']

/** Characters of a query before it has suggestions (API 26.12). */
const SHORTEST_QUERY = 2
/** Waits for a pause in typing, so that not every key sends a request. */
const PAUSE_MS = 150

/** Returns suggestions for a part of a name. Without an answer there are none: the field works without them. */
function useSuggestions(text: string, types: readonly SuggestionType[] | null): Suggestion[] {
  const { api } = useSession()
  const [found, setFound] = useState<Suggestion[]>([])
  const query = text.trim()
  const wanted = (types ?? ALL_TYPES).join(',')
  useEffect(() => {
    if (query.length < SHORTEST_QUERY) {
      setFound([])
      return
    }
    const stop = new AbortController()
    const timer = setTimeout(() => {
      const include = types === null ? 'subtitle' : null
      api.get<Suggestions>('/search/suggest', { q: query, types: wanted, include }, stop.signal).then(
        ({ suggestions }) => stop.signal.aborted || setFound(namedFirst(suggestions, query)),
        () => stop.signal.aborted || setFound([]),
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [api, query, wanted])
  return found
}

/** Packages and products with exactly this name precede all others. */
const namedFirst = (suggestions: readonly Suggestion[], query: string): Suggestion[] =>
  suggestions.toSorted((a, b) => Number(isNamedBy(query, b)) - Number(isNamedBy(query, a)))

const TYPE_NAMES: Readonly<Record<SuggestionType, string>> = {
  cve: 'CVE',
  cwe: 'Weakness',
  capec: 'Attack pattern',
  vendor: 'Vendor',
  product: 'Product',
  cna: 'CNA',
  package: 'Package',
}
const ALL_TYPES = Object.keys(TYPE_NAMES) as SuggestionType[]

export interface ComboboxProps {
  label: string
  /** Only screen readers get the label. */
  isLabelHidden?: boolean
  /** The value. The field takes it again when it changes. */
  value: string
  /** Suggestions of these types; null for all, which are then shown with their type. */
  types: readonly SuggestionType[] | null
  /** The user chose a suggestion. */
  onPick(suggestion: Suggestion): void
  /** The user entered a text: with the enter key, or `blur` by leaving the changed field. */
  onEnter(text: string, by: 'enter' | 'blur'): void
  placeholder?: string
  /** The element with the error of the value. */
  errorId?: string | null
}

export function Combobox({ label, isLabelHidden, value, types, onPick, onEnter, placeholder, errorId }: ComboboxProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  useEffect(() => setText(value), [value])
  const suggestions = useSuggestions(isOpen ? text : '', types)
  const isShown = isOpen && suggestions.length > 0
  const current = isShown ? suggestions[active] : undefined

  const close = () => {
    setOpen(false)
    setActive(-1)
  }
  const pick = (suggestion: Suggestion) => {
    close()
    onPick(suggestion)
  }
  const enter = (by: 'enter' | 'blur') => {
    close()
    onEnter(text.trim(), by)
  }
  const move = (steps: number) => {
    setOpen(true)
    // The position before the first suggestion is the text itself.
    const positions = suggestions.length + 1
    setActive(((active + 1 + steps + positions) % positions) - 1)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (event.key === 'ArrowDown') event.altKey ? setOpen(true) : move(1)
    else if (event.key === 'ArrowUp') event.altKey ? close() : move(-1)
    else if (event.key === 'Enter') current ? pick(current) : enter('enter')
    else if (event.key === 'Escape' && isShown) close()
    else if (event.key === 'Escape' && text !== '') setText('')
    else return
    event.preventDefault()
  }
  return (
    <div class="combobox">
      <label for={id} class={isLabelHidden ? 'for-reader' : undefined}>
        {label}
      </label>
      <input
        ref={field}
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder={placeholder}
        value={text}
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-activedescendant={current ? `${id}-${active}` : undefined}
        aria-invalid={errorId ? true : undefined}
        aria-describedby={errorId ?? undefined}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setActive(-1)
          setOpen(true)
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          close()
          if (text.trim() !== value) enter('blur')
        }}
      />
      <div id={`${id}-list`} role="listbox" aria-label={label} hidden={!isShown}>
        {suggestions.map((suggestion, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the keys.
          <div
            key={`${suggestion.type} ${suggestion.id}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => pick(suggestion)}
          >
            {types === null ? <WithFacts of={suggestion} /> : <Named of={suggestion} />}
          </div>
        ))}
      </div>
      <span class="for-reader" role="status">
        {isShown ? `${suggestions.length} ${suggestions.length === 1 ? 'suggestion' : 'suggestions'}` : ''}
      </span>
    </div>
  )
}

function Named({ of: { id, label } }: { of: Suggestion }) {
  return (
    <>
      <span>{label}</span> <small>{id === label ? null : id}</small>
    </>
  )
}

/** The first fact of a CVE is its severity. */
function WithFacts({ of: { type, id, label, subtitle = '' } }: { of: Suggestion }) {
  const [severity = '', ...rest] = subtitle.split(', ')
  return (
    <>
      <span class={type === 'cve' ? 'id' : undefined}>{type === 'cve' ? id : label}</span>{' '}
      <small>
        {type === 'cve' ? (
          <>
            <span class={`severity ${severity.split(' ', 1)[0]}`}>{severity}</span>{' '}
            {rest.map((fact) => (
              <Flag key={fact} name={fact === 'known exploited' ? 'KEV' : fact} />
            ))}
            {label === id ? null : <span class="title">{label}</span>}
          </>
        ) : (
          [TYPE_NAMES[type], subtitle].filter(Boolean).join(' · ')
        )}
      </small>
    </>
  )
}
