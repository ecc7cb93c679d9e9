/** The choice between light, dark and the system's colours. The browser keeps it. */
import { useState } from 'preact/hooks'
import { kept } from '../data/kept.ts'

const choice = kept(() => localStorage, 'vulnshelf.theme')
const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const stored = (): Theme => THEMES.find((theme) => theme === choice.read()) ?? 'system'

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
          choice.store(chosen)
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
