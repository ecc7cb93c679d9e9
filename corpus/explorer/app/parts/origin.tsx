/** The button next to a field that shows where its value comes from. */
import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'

export interface Origin {
  button: ComponentChildren
  /** The text, if it is shown. It belongs after the value. */
  text: ComponentChildren
}

/** @param field names the field for screen readers */
export function useOrigin(field: string, text: string): Origin {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return {
    button: (
      <button
        type="button"
        class="origin"
        aria-expanded={isOpen}
        aria-controls={id}
        aria-label={`Origin of ${field}`}
        title="Where does this come from?"
        onClick={() => setOpen(!isOpen)}
      >
        ?
      </button>
    ),
    text: (
      <p class="origin-text" id={id} hidden={!isOpen}>
        {text}
      </p>
    ),
  }
}
