/** The page that a browser gets when signing in fails. Its texts are the gateway's own. */
import type { OpenAnswer } from '../http/open-route.ts'

/** No script, style or image, and no text of a request or a provider. */
const HEADERS = [
  ...['Cache-Control', 'no-store', 'Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ...['Referrer-Policy', 'no-referrer'],
]

/** `again` are the addresses to begin again and of the explorer, relative to the page. */
export function failurePage(status: number, message: string, headers: readonly string[] = []): OpenAnswer {
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign-in failed - vulnshelf</title>
<h1>vulnshelf: sign-in failed</h1>
<p>${escaped(message)}</p>
<p><a href="login">Sign in again</a></p>
<p><a href="../">Other ways to sign in</a></p>
</html>
`
  return { status, type: 'text/html; charset=utf-8', body: Buffer.from(page), headers: [...HEADERS, ...headers] }
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)
