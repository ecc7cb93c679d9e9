/** Asks for the token of a gateway. `done` gets whether the browser has stored it. */
import { useState } from 'preact/hooks'
import { token } from '../data/gateway.ts'
import { Heading } from './heading.tsx'

export function SignIn({ wasRejected, done }: { wasRejected: boolean; done(isStored: boolean): void }) {
  const [text, setText] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    done(token.store(text.trim()))
  }
  return (
    <form class="sign-in" onSubmit={submit}>
      <Heading>Sign in</Heading>
      {wasRejected ? (
        <p class="notice failure" role="alert">
          The gateway rejected the token. It may have expired. Enter another one.
        </p>
      ) : null}
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
