/** The explorer: pages over a gateway's API, or over a snapshot on a static web server. */
import { type ComponentChild, type ComponentChildren, render } from 'preact'
import { useEffect, useErrorBoundary, useMemo, useState } from 'preact/hooks'
import type { Api, ApiFailure } from './data/api.ts'
import { apiAt } from './data/past.ts'
import { token } from './data/token.ts'
import { forgetPages, SessionContext } from './data/use.ts'
import { Layout } from './layout.tsx'
import { loadOf, type PageComponent } from './pages.ts'
import { Failure, Loading } from './parts/answer.tsx'
import { Heading } from './parts/heading.tsx'
import type { SignInReason } from './parts/sign-in.tsx'
import { applyTheme } from './parts/theme.tsx'
import { askedSnapshot, useLocation } from './router.ts'
import { keepScroll } from './scroll.ts'
import { watchScrollers } from './scrollers.ts'

const past = askedSnapshot()
const isStatic = document.querySelector('meta[name="vulnshelf-mode"]')?.getAttribute('content') === 'static'

function App({ api }: { api: Api }) {
  const { path, query } = useLocation()
  const [name = '', ...rest] = path
  const [signIn, setSignIn] = useState<SignInReason | 'no'>('no')
  const session = useMemo(
    () => ({
      api: past === null ? api : apiAt(api, past),
      now: api,
      past,
      askToken() {
        const had = token.read() !== null
        // Several requests of a page can be rejected: the first of them had the token.
        setSignIn((now) => (had || now === 'rejected' ? 'rejected' : 'asked'))
        token.forget()
      },
      async signOut() {
        token.forget()
        const isOut = await import('./data/session.ts').then(({ endSession }) => endSession()).catch(() => false)
        setSignIn(isOut ? 'asked' : 'kept')
      },
    }),
    [api],
  )
  /** Another user may sign in: the page forgets what it has loaded. */
  const signedIn = (isStored: boolean) => {
    // Loading the page again would lose a token that is only in its memory.
    if (isStored) return window.location.reload()
    forgetPages()
    setSignIn('no')
  }
  return (
    <SessionContext.Provider value={session}>
      {signIn === 'no' ? (
        <Layout current={name} query={query}>
          <Shown name={name} path={rest} query={query} />
        </Layout>
      ) : (
        <main>
          <SignInPage reason={signIn} done={signedIn} />
        </main>
      )}
    </SessionContext.Provider>
  )
}

const NOT_LOADED = 'This page could not be loaded. Check the connection, then reload the page.'

/** Loads the page for signing in, then shows it. */
function SignInPage(props: { reason: SignInReason; done(isStored: boolean): void }) {
  const [page, setPage] = useState<typeof import('./parts/sign-in.tsx') | null>()
  useEffect(() => {
    import('./parts/sign-in.tsx').then(setPage, () => setPage(null))
  }, [])
  if (page === null) return <p role="alert">{NOT_LOADED}</p>
  return page ? <page.SignIn {...props} /> : <Loading />
}

const loaded = new Map<ReturnType<typeof loadOf>, PageComponent>()

/** Loads the code of a page, then shows it. The page of another entry starts with a new state. */
function Shown({ name, path, query }: { name: string; path: string[]; query: URLSearchParams }) {
  const load = loadOf(name, path)
  const [, setLoads] = useState(0)
  const [error, setError] = useState<string>()
  useEffect(() => {
    setError(undefined)
    if (!load || loaded.has(load)) return
    let isCurrent = true
    load().then(
      (module) => {
        loaded.set(load, module.default)
        setLoads((loads) => loads + 1)
      },
      () => isCurrent && setError(NOT_LOADED),
    )
    return () => {
      isCurrent = false
    }
  }, [load])
  const Page = loaded.get(load)
  if (Page) {
    return (
      <Guarded key={`${name}/${path.join('/')}`} query={query}>
        <Page path={path} query={query} />
      </Guarded>
    )
  }
  if (load && error === undefined) return <Loading />
  return (
    <>
      <Heading>{error === undefined ? 'No such page' : 'Not loaded'}</Heading>
      <p>{error ?? 'The explorer has no page at this address.'}</p>
      <a href="#/">Start page</a>
    </>
  )
}

/** A record that a page cannot show must not end the application. Another address tries again. */
function Guarded({ query, children }: { query: URLSearchParams; children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary()
  useEffect(() => {
    if (error !== undefined) reset()
  }, [query])
  if (error === undefined) return <>{children}</>
  return (
    <>
      <Heading>Not shown</Heading>
      <p class="notice failure" role="alert">
        This page cannot show its data: {error instanceof Error ? error.message : String(error)}
      </p>
      <a href="#/">Start page</a>
    </>
  )
}

const root = document.getElementById('app')!

async function start(): Promise<void> {
  applyTheme()
  keepScroll()
  watchScrollers(root)
  const api = isStatic
    ? await (await import('./data/static.ts')).staticApi()
    : (await import('./data/gateway.ts')).gatewayApi
  show(<App api={api} />)
}

/** Replaces the text that `index.html` has until the start. */
function show(page: ComponentChild): void {
  root.querySelector('.starting')?.remove()
  render(page, root)
}

start().catch((error: ApiFailure) => show(<Failure error={error} retry={() => window.location.reload()} />))
