/** Long lists in two steps: the first items, then all. */
import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { formatCount } from './format.ts'

/** Some more items are shown rather than a button for a few. */
const SLACK = 1.5

export interface Steps<T> {
  shown: readonly T[]
  /** The button that shows all, or null if all fit. It belongs after the list. */
  button: ComponentChildren
}

/** @param noun of the items, in the plural */
export function useSteps<T>(items: readonly T[], first: number, noun: string): Steps<T> {
  const [isAll, setAll] = useState(false)
  if (items.length <= first * SLACK) return { shown: items, button: null }
  return {
    shown: isAll ? items : items.slice(0, first),
    button: (
      <button type="button" class="plain steps" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
        {isAll ? `Show only ${formatCount(first)}` : `Show all ${formatCount(items.length)}`} {noun}
      </button>
    ),
  }
}

/** A text with its line breaks. A long one begins with its first characters. */
export function LongText({ text: stated, first = 1200 }: { text: string; first?: number }) {
  // Texts that were converted from HTML have runs of empty lines.
  const text = stated.replace(/\n(?:[^\S\n]*\n){2,}/g, '\n\n')
  const [isAll, setAll] = useState(false)
  const id = useId()
  const isLong = text.length > first * SLACK
  return (
    <>
      <p class="long-text" id={id}>
        {isLong && !isAll ? `${text.slice(0, first)}…` : text}
      </p>
      {isLong ? (
        <button
          type="button"
          class="plain steps"
          aria-expanded={isAll}
          aria-controls={id}
          onClick={() => setAll(!isAll)}
        >
          {isAll ? 'Show the beginning' : 'Show the whole text'}
        </button>
      ) : null}
    </>
  )
}
