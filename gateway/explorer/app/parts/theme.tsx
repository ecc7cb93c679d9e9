/** The choice between light, dark and the system's colours. The browser keeps it. */
import { useState } from 'preact/hooks'

const KEY = 'vulnshelf.theme'
const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

/** Storage can be off: then the choice lasts as long as the page. */
function stored(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system'
  } catch {
    return 'system'
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // The choice still applies to this page.
  }
}

/** Applies a choice, at first the stored one. */
export function applyTheme(theme: Theme = stored()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export function ThemeChoice() {
  const [theme, setTheme] = useState(stored)
  return (
    <label class="theme">
      Colours
      <select
        value={theme}
        onChange={({ currentTarget }) => {
          const chosen = currentTarget.value as Theme
          setTheme(chosen)
          store(chosen)
          applyTheme(chosen)
        }}
      >
        {THEMES.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  )
}
