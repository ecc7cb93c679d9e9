/** The sign-in page: at an identity provider, or with a token. Loaded when it is shown. */
import { useEffect, useState } from 'preact/hooks'
import { isSignedIn, providerLink, signInProvider, signInWithToken } from '../data/session.ts'
import { Heading } from './heading.tsx'

/** Why the token is asked for. `kept`: the browser still has a session after signing out. */
export type SignInReason = 'asked' | 'rejected' | 'kept'

const NOTICES: Readonly<Record<SignInReason, string | null>> = {
  asked: null,
  rejected: 'The gateway rejected the token. It may have expired. Sign in again.',
  kept: 'This browser may still be signed in: the gateway could not end the session. Sign out on the sign-in page of your organization, or delete the cookies of this site.',
}

/** `done` gets whether the browser has the session, so that the page can be loaded again. */
export function SignIn({ reason, done }: { reason: SignInReason; done(isStored: boolean): void }) {
  const [text, setText] = useState('')
  const [notice, setNotice] = useState(NOTICES[reason])
  const [provider, setProvider] = useState<string | null>(null)
  useEffect(() => setNotice(NOTICES[reason]), [reason])
  useEffect(() => {
    signInProvider().then(setProvider, () => {})
  }, [])
  useOtherTabs(() => done(true))
  const submit = async (event: Event) => {
    event.preventDefault()
    const outcome = await signInWithToken(text.trim())
    if (outcome === 'rejected') setNotice(NOTICES.rejected)
    else done(outcome === 'session')
  }
  return (
    <div class="sign-in">
      <Heading>Sign in to vulnshelf</Heading>
      {notice === null ? null : (
        <p class="notice failure" role="alert">
          {notice}
        </p>
      )}
      {provider === null ? null : (
        <>
          <p>
            <a class="button" href={providerLink()}>
              Sign in with {provider}
            </a>
          </p>
          <p class="dim">Or enter an access token:</p>
        </>
      )}
      <form onSubmit={submit}>
        <label>
          Access token
          <input
            type="password"
            autocomplete="current-password"
            required
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <p class="dim">
          It signs in all tabs of this browser until it expires. An API key works too. If you have neither, ask the
          operator of the gateway, or run <code>vulnshelf-gateway token</code>.
        </p>
        <button type="submit">Sign in</button>
      </form>
    </div>
  )
}

/** Calls `done` when the user comes back to this tab and has signed in in another one. */
function useOtherTabs(done: () => void): void {
  useEffect(() => {
    const look = async () => {
      if (document.visibilityState === 'visible' && (await isSignedIn())) done()
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
}
