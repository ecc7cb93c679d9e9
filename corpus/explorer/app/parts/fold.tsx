/** The button that shows the filters of a list on narrow screens. Wide screens show all filters, without the button. */

interface FoldProps {
  isOpen: boolean
  /** Filters with a value among those that the button shows. */
  active: number
  /** Whether the order of the list is chosen there too. */
  hasSort?: boolean
  toggle(): void
}

/** What follows it in a form without the class `open` is hidden on narrow screens. */
export function Fold({ isOpen, active, hasSort = false, toggle }: FoldProps) {
  return (
    <button type="button" class="fold" aria-expanded={isOpen} onClick={toggle}>
      {hasSort ? 'Filters and sort' : 'Filters'}
      {active > 0 ? ` (${active})` : null}
    </button>
  )
}
