/** Long lists and texts in steps, so that no record stops the page. */
import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { formatCount } from './format.ts'

/** Some more items are shown rather than a button for a few. */
const SLACK = 1.5
/** Items that a click adds. */
const MOST_ADDED = 500
/** Characters of a text that a click adds. */
const MOST_CHARACTERS_ADDED = 100_000

export interface Steps<T> {
  shown: readonly T[]
  /** The button that shows more, or null if all fit. It belongs after the list. */
  button: ComponentChildren
}

/** Returns the first items, and more after each click. @param noun of the items, in the plural */
export function useSteps<T>(items: readonly T[], first: number, noun: string): Steps<T> {
  const [count, setCount] = useState(first)
  if (items.length <= first * SLACK) return { shown: items, button: null }
  const isAll = count >= items.length
  const next = Math.min(count + MOST_ADDED, items.length)
  return {
    shown: items.slice(0, count),
    button: (
      <button type="button" class="plain steps" aria-expanded={isAll} onClick={() => setCount(isAll ? first : next)}>
        {isAll
          ? `Show only ${formatCount(first)}`
          : next === items.length
            ? `Show all ${formatCount(items.length)}`
            : `Show ${formatCount(next - count)} more of ${formatCount(items.length)}`}{' '}
        {noun}
      </button>
    ),
  }
}

interface InStepsProps<T> {
  items: readonly T[]
  first: number
  noun: string
  children(shown: readonly T[]): ComponentChildren
}

/** Shows the first items, and more after each click. */
export function InSteps<T>({ items, first, noun, children }: InStepsProps<T>) {
  const { shown, button } = useSteps(items, first, noun)
  return (
    <>
      {children(shown)}
      {button === null ? null : <> {button}</>}
    </>
  )
}

/** A text with its line breaks. A long one begins with its first characters. */
export function LongText({ text: stated, first = 1200 }: { text: string; first?: number }) {
  // Texts that were converted from HTML have runs of empty lines.
  const text = stated.replace(/\n(?:[^\S\n]*\n){2,}/g, '\n\n')
  const [count, setCount] = useState(first)
  const id = useId()
  const isLong = text.length > first * SLACK
  const isAll = !isLong || count >= text.length
  return (
    <>
      <p class="long-text" id={id}>
        {isAll ? text : `${text.slice(0, count)}…`}
      </p>
      {isLong ? (
        <button
          type="button"
          class="plain steps"
          aria-expanded={isAll}
          aria-controls={id}
          onClick={() => setCount(isAll ? first : count + MOST_CHARACTERS_ADDED)}
        >
          {isAll
            ? 'Show the beginning'
            : text.length - count > MOST_CHARACTERS_ADDED
              ? `Show ${formatCount(MOST_CHARACTERS_ADDED)} more characters`
              : 'Show the whole text'}
        </button>
      ) : null}
    </>
  )
}

interface FoldedProps {
  summary: ComponentChildren
  class?: string
  /** Whether it begins open. Default: closed. */
  isOpen?: boolean
  children: ComponentChildren
}

/** Contents that are made when the user opens them. */
export function Folded({ summary, class: name, isOpen = false, children }: FoldedProps) {
  const [wasOpened, setOpened] = useState(isOpen)
  return (
    <details class={name} open={isOpen} onToggle={({ currentTarget }) => setOpened(wasOpened || currentTarget.open)}>
      <summary>{summary}</summary>
      {wasOpened ? children : null}
    </details>
  )
}
