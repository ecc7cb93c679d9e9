/** The frame of each page: search field and menu, and the snapshot below the content. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Snapshot } from './data/answers.ts'
import { token } from './data/token.ts'
import { useAnswer, useSession } from './data/use.ts'
import { MENU } from './pages.ts'
import { DayChoice, PastNotice } from './parts/past.tsx'
import { SearchField } from './parts/search-field.tsx'
import { ThemeChoice } from './parts/theme.tsx'
import { Time } from './parts/values.tsx'
import { link } from './router.ts'

interface LayoutProps {
  /** The first part of the address. */
  current: string
  query: URLSearchParams
  children: ComponentChildren
}

export function Layout({ current, query, children }: LayoutProps) {
  const { past } = useSession()
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it is a link; the address has the page after `#`, so it must not change. */}
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <header>
        <a class="home" href="#/">
          vulnshelf
        </a>
        <SearchField query={current === 'search' ? (query.get('q') ?? '') : ''} />
        <DayChoice />
        <Menu current={current} />
      </header>
      {past === null ? null : <PastNotice asked={past} />}
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      {/* With `--open-docs`, the API reference needs no token. */}
      <Footer needsToken={current !== 'api'} />
    </>
  )
}

function skip(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

/** On narrow screens a button shows the menu. Choosing a page hides it again. */
function Menu({ current }: { current: string }) {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const close = () => setOpen(false)
    window.addEventListener('hashchange', close)
    return () => window.removeEventListener('hashchange', close)
  }, [])
  return (
    <nav aria-label="Pages">
      <button type="button" class="menu" aria-expanded={isOpen} aria-controls="menu" onClick={() => setOpen(!isOpen)}>
        Menu
      </button>
      <ul id="menu" class={isOpen ? 'open' : undefined}>
        {MENU.map(([path, name]) => (
          <li key={path}>
            <a href={link([path])} aria-current={path === current ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Footer({ needsToken }: { needsToken: boolean }) {
  const { api, askToken, signOut } = useSession()
  const { data, error } = useAnswer<Snapshot>('/snapshot', {}, needsToken)
  return (
    <footer class={data === null && error === null ? 'unknown' : undefined}>
      {data ? (
        <p>
          Snapshot <code title={data.id}>{data.id.slice(0, 12)}</code> of <Time at={data.created_at} />
        </p>
      ) : null}
      <ThemeChoice />
      {error?.status === 401 ? (
        <button type="button" onClick={askToken}>
          Sign in
        </button>
      ) : null}
      {/* Without a token of the tab, it is the session cookie that gave access, or that the preview does not accept. */}
      {api.mode === 'gateway' && (token.read() !== null || data !== null || error?.status === 403) ? (
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      ) : null}
    </footer>
  )
}
