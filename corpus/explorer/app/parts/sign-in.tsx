/** Signing in with a token, and signing out. Loaded when a user does either. */
import { useState } from 'preact/hooks'
import { ApiFailure } from '../data/api.ts'
import { gatewayApi } from '../data/gateway.ts'
import { token } from '../data/token.ts'
import { Heading } from './heading.tsx'

/** Why the token is asked for. `kept`: the browser still has a session after signing out. */
export type SignInReason = 'asked' | 'rejected' | 'kept'

const NOTICES: Readonly<Record<SignInReason, string | null>> = {
  asked: null,
  rejected: 'The gateway rejected the token. It may have expired. Enter another one.',
  kept: 'This browser may still be signed in: the gateway could not end the session. Sign out on the sign-in page of your organization, or delete the cookies of this site.',
}

/** Asks for the token of a gateway. `done` gets whether the browser has stored it. */
export function SignIn({ reason, done }: { reason: SignInReason; done(isStored: boolean): void }) {
  const [text, setText] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    done(token.store(text.trim()))
  }
  return (
    <form class="sign-in" onSubmit={submit}>
      <Heading>Sign in</Heading>
      {NOTICES[reason] === null ? null : (
        <p class="notice failure" role="alert">
          {NOTICES[reason]}
        </p>
      )}
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
        This tab keeps the token until you close it. If you have no token, ask the operator of the gateway, or run{' '}
        <code>vulnshelf-gateway token</code>.
      </p>
      <button type="submit">Sign in</button>
    </form>
  )
}

/** Removes the session cookie. Returns whether nobody is signed in: a cookie that another host set can stay. */
export async function endSession(): Promise<boolean> {
  try {
    // Pages of other hosts cannot send this header.
    const headers = { 'X-Requested-With': 'explorer' }
    await fetch(new URL('logout', document.baseURI), { method: 'POST', headers })
    await gatewayApi.get('/snapshot')
    return false
  } catch (error) {
    return error instanceof ApiFailure && error.status === 401
  }
}
