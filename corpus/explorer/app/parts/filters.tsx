/** Controls of a list. Their values are in the address: `#/cwes?abstraction=Base`. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { go, link } from '../router.ts'
import type { ChoiceFilter, Filter, TextFilter } from './filter.ts'
import { Fold } from './fold.tsx'

/** Time without a key before a text is searched. */
const TYPING_MS = 300
/** Fewer controls are not folded on narrow screens. */
const LEAST_FOLDED = 3

export function Filters({
  filters,
  base,
  query,
  label = 'Filters',
}: {
  filters: readonly Filter[]
  /** The path of the page. Parameters that are no filters stay as they are. */
  base: readonly string[]
  query: URLSearchParams
  label?: string
}) {
  const set = (name: string, value: string, replace: boolean) =>
    go(link(base, { ...Object.fromEntries(query), [name]: value }), { replace })
  const [isOpen, setOpen] = useState(false)
  const control = (filter: Filter) => {
    const { name } = filter
    const value = query.get(name) ?? ''
    if (filter.kind === 'text') return <TextControl key={name} filter={filter} value={value} set={set} />
    if (filter.kind === 'choice') {
      return <ChoiceControl key={name} filter={filter} value={value} choose={(chosen) => set(name, chosen, false)} />
    }
    return (
      <label key={name}>
        {filter.label}
        <input type="date" value={value} onChange={({ currentTarget }) => set(name, currentTarget.value, false)} />
      </label>
    )
  }
  const visible = visibleCount(filters)
  const folded = filters.slice(visible)
  return (
    <form class={isOpen ? 'controls open' : 'controls'} aria-label={label} onSubmit={(event) => event.preventDefault()}>
      {filters.slice(0, visible).map(control)}
      {folded.length < LEAST_FOLDED ? null : (
        <Fold
          isOpen={isOpen}
          hasSort={folded.some(({ name }) => name === 'sort')}
          active={folded.filter(({ name }) => name !== 'sort' && query.get(name)).length}
          toggle={() => setOpen(!isOpen)}
        />
      )}
      {folded.map(control)}
    </form>
  )
}

/** The first controls stay visible on narrow screens: those that are `isMain`, or one field for a text. */
const visibleCount = (filters: readonly Filter[]): number =>
  filters.filter(({ isMain }) => isMain).length || (filters[0]?.kind === 'text' ? 1 : 0)

function ChoiceControl({
  filter: { label, options },
  value,
  choose,
}: {
  filter: ChoiceFilter
  value: string
  choose(value: string): void
}) {
  const [first] = options[0]!
  return (
    <label>
      {label}
      <select
        value={value || first}
        onChange={({ currentTarget }) => choose(currentTarget.value === first ? '' : currentTarget.value)}
      >
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Searches while the user types. All keys share one entry of the history. */
function TextControl({
  filter,
  value,
  set,
}: {
  filter: TextFilter
  value: string
  set(name: string, value: string, replace: boolean): void
}) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sent = useRef(value)
  // Another control may change the address before the pause ends.
  const latest = useRef({ set, value })
  latest.current = { set, value }
  useEffect(() => {
    // The history or a link has changed the address.
    if (value !== sent.current) setText(value)
    sent.current = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const input = (typed: string) => {
    setText(typed)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      sent.current = typed.trim()
      latest.current.set(filter.name, typed.trim(), latest.current.value !== '')
    }, TYPING_MS)
  }
  return (
    <label class="text">
      {filter.label}
      <input
        type="search"
        value={text}
        placeholder={filter.hint}
        onInput={({ currentTarget }) => input(currentTarget.value)}
      />
    </label>
  )
}
