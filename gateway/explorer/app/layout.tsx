/** What surrounds each page: the menu and the snapshot. */
import type { ComponentChildren } from 'preact'
import type { Snapshot } from './data/answers.ts'
import { token } from './data/gateway.ts'
import { useAnswer, useSession } from './data/use.ts'
import { MENU } from './pages.ts'
import { Time } from './parts/values.tsx'
import { link } from './router.ts'

export function Layout({ current, children }: { current: string; children: ComponentChildren }) {
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it is a link; the address has the page after `#`, so it must not change. */}
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <header>
        <nav aria-label="Pages">
          <a class="home" href="#/">
            vulnshelf
          </a>
          <ul>
            {MENU.map(([path, name]) => (
              <li key={path}>
                <a href={link([path])} aria-current={path === current ? 'page' : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <Footer />
    </>
  )
}

function skip(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

function Footer() {
  const { api, signOut } = useSession()
  const { data } = useAnswer<Snapshot>('/snapshot')
  return (
    <footer>
      {data ? (
        <p>
          Snapshot <code title={data.id}>{data.id.slice(0, 12)}</code> of <Time at={data.created_at} />
        </p>
      ) : null}
      {api.mode === 'gateway' && token.read() !== null ? (
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      ) : null}
    </footer>
  )
}
