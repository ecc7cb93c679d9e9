/** The filters of the CVE list. Each change is in the address at once. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { CveSummary, Page } from '../../data/answers.ts'
import type { Api, ApiFailure } from '../../data/api.ts'
import { useSession } from '../../data/use.ts'
import { Combobox, type Suggestion } from '../../parts/combobox.tsx'
import { Fold } from '../../parts/fold.tsx'
import { BANDS, FILTERS, type Filter, isDay, membersOf, paramsOf } from './filters.ts'

/** Typing is applied after a pause. */
const PAUSE_MS = 400

interface FormProps {
  query: URLSearchParams
  /** Sets parameters; null removes one. `isTyping` replaces the entry of the history. */
  change(values: Record<string, string | null>, isTyping?: boolean): void
  /** The error of the list. It may name a parameter. */
  failure: ApiFailure | null
  /** The element with its text. */
  failureId: string
}

export function FilterForm({ query, change, failure, failureId }: FormProps) {
  const params = paramsOf(query)
  const [first, ...main] = FILTERS.filter(({ isMain }) => isMain)
  const others = FILTERS.filter(({ isMain }) => !isMain)
  const isAnySet = others.some(({ name }) => params[name] !== undefined)
  const [isOpen, setOpen] = useState(isAnySet)
  const [isUnfolded, setUnfolded] = useState(false)
  useEffect(() => {
    if (isAnySet) setOpen(true)
  }, [isAnySet])
  const control = (filter: Filter) => (
    <Control
      key={filter.name}
      filter={filter}
      value={params[filter.name] ?? ''}
      set={(value, isTyping) => change({ [filter.name]: value || null }, isTyping)}
      errorId={failure?.parameter === filter.name ? failureId : null}
    />
  )
  return (
    <form
      class={isUnfolded ? 'filters open' : 'filters'}
      aria-label="Filters"
      onSubmit={(event) => event.preventDefault()}
    >
      <div class="fields">
        {control(first!)}
        <Fold
          isOpen={isUnfolded}
          active={[...main, ...others].filter(({ name }) => params[name]).length}
          toggle={() => setUnfolded(!isUnfolded)}
        />
        {main.map(control)}
      </div>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>More filters</summary>
        <div class="fields">{others.map(control)}</div>
      </details>
    </form>
  )
}

interface ControlProps<F extends Filter = Filter> {
  filter: F
  value: string
  set(value: string, isTyping?: boolean): void
  /** The element with the error of the value. */
  errorId: string | null
}

function Control({ filter, ...rest }: ControlProps) {
  if (filter.kind === 'bands') return <Bands filter={filter} {...rest} />
  if (filter.kind === 'choice') return <Choice filter={filter} {...rest} />
  if (filter.kind === 'name') return <Name filter={filter} {...rest} />
  return <Text filter={filter} {...rest} />
}

function Bands({ filter, value, set, errorId }: ControlProps) {
  const chosen = membersOf(value.toLowerCase())
  return (
    <fieldset class="bands" aria-describedby={errorId ?? undefined}>
      <legend>{filter.label}</legend>
      {BANDS.map((band) => (
        <label key={band}>
          <input
            type="checkbox"
            checked={chosen.includes(band)}
            onChange={({ currentTarget: { checked } }) =>
              set(BANDS.filter((one) => (one === band ? checked : chosen.includes(one))).join(','))
            }
          />
          <span class={`severity ${band}`}>{band}</span>
        </label>
      ))}
    </fieldset>
  )
}

function Choice({ filter, value, set, errorId }: ControlProps<Filter & { kind: 'choice' }>) {
  const chosen = value.toLowerCase()
  const isKnown = chosen === '' || filter.values.some(([one]) => one === chosen)
  return (
    <Labelled label={filter.label} errorId={errorId}>
      {(ids) => (
        <select {...ids} value={chosen} onChange={({ currentTarget }) => set(currentTarget.value)}>
          <option value="">any</option>
          {filter.values.map(([one, words]) => (
            <option key={one} value={one}>
              {words}
            </option>
          ))}
          {isKnown ? null : <option value={chosen}>{value}</option>}
        </select>
      )}
    </Labelled>
  )
}

/** The filter takes the short name of a CNA. Its key, which is in the suggestion, has `_` for blanks. */
async function shortNameOf(api: Api, key: string): Promise<string> {
  const path = `/cnas/${encodeURIComponent(key)}/cves`
  const page = await api.get<Page<CveSummary>>(path, { limit: 1 }).catch(() => null)
  return page?.data[0]?.assigner ?? key
}

function Name({ filter, value, set, errorId }: ControlProps<Filter & { kind: 'name' }>) {
  const { api } = useSession()
  const latest = useRef(set)
  latest.current = set
  // The user may have left the page when the short name is known.
  useEffect(
    () => () => {
      latest.current = () => {}
    },
    [],
  )
  const pick = async ({ type, id }: Suggestion) => latest.current(type === 'cna' ? await shortNameOf(api, id) : id)
  return (
    <Combobox
      label={filter.label}
      value={value}
      types={[filter.suggests]}
      placeholder={filter.placeholder}
      onPick={pick}
      onEnter={(text) => set(text)}
      errorId={errorId}
    />
  )
}

const PLACEHOLDERS: Partial<Record<Filter['kind'], string>> = {
  score: '0 to 10',
  share: '0 to 1',
  change: '-1 to 1',
  ids: 'CVE-2024-3400,…',
}

function Text({ filter, value, set, errorId }: ControlProps) {
  const { kind, label } = filter
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => {
    // While the user types, the address has an earlier text than the field.
    if (timer.current === undefined) setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const apply = (now: string) => {
    clearTimeout(timer.current)
    timer.current = undefined
    if (now.trim() !== value) set(now.trim(), true)
  }
  // Another control may change the address before the pause ends.
  const latest = useRef(apply)
  latest.current = apply
  // A field for days cannot show a time or an invalid text.
  const isDayField = kind === 'day' && (value === '' || isDay(value))
  return (
    <Labelled label={label} errorId={errorId}>
      {(ids) => (
        <input
          {...ids}
          class={kind}
          {...(isDayField ? { type: 'date' as const } : { type: 'text' as const })}
          placeholder={kind === 'text' ? filter.placeholder : PLACEHOLDERS[kind]}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value)
            clearTimeout(timer.current)
            // Days and numbers are not valid until they are complete.
            if (kind === 'text')
              timer.current = setTimeout((now: string) => latest.current(now), PAUSE_MS, currentTarget.value)
          }}
          onChange={({ currentTarget }) => apply(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.isComposing) apply(event.currentTarget.value)
          }}
        />
      )}
    </Labelled>
  )
}

interface FieldIds {
  id: string
  'aria-invalid': boolean | undefined
  'aria-describedby': string | undefined
}

interface LabelledProps {
  label: string
  errorId: string | null
  children(ids: FieldIds): ComponentChildren
}

function Labelled({ label, errorId, children }: LabelledProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-invalid': errorId === null ? undefined : true,
        'aria-describedby': errorId ?? undefined,
      })}
    </div>
  )
}
