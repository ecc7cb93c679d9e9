/** Asks for the token of a gateway. `done` gets whether the browser has stored it. */
import { useState } from 'preact/hooks'
import { token } from '../data/gateway.ts'
import { Heading } from './heading.tsx'

/** Why the token is asked for. `kept`: the browser still has a session after signing out. */
export type SignInReason = 'asked' | 'rejected' | 'kept'

const NOTICES: Readonly<Record<SignInReason, string | null>> = {
  asked: null,
  rejected: 'The gateway rejected the token. It may have expired. Enter another one.',
  kept: 'This browser may still be signed in: the gateway could not end the session. Sign out on the sign-in page of your organization, or delete the cookies of this site.',
}

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
