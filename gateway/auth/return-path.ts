/** The address that a sign-in returns to: always one of this gateway. */

/** With it, the cookie of a sign-in is far below 4,096 bytes. */
export const MAX_RETURN_LENGTH = 1000

/**
 * Returns the URL of a path such as `/#/cves?kev=true` below the public URL, which ends with a slash. Returns null for
 * anything that a browser could take for another host, and for the paths that sign in.
 */
export function returnUrl(path: string, publicUrl: string): string | null {
  // Visible ASCII: a line break would be a header of its own, and browsers read a backslash as a slash.
  if (path.length > MAX_RETURN_LENGTH || !/^\/(?![/\\])[!-[\]-~]*$/.test(path)) return null
  const url = new URL(publicUrl + path.slice(1))
  const base = new URL(publicUrl)
  // Dot segments are resolved here.
  if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname)) return null
  const below = url.pathname.slice(base.pathname.length).toLowerCase()
  return below.startsWith('/') || below.startsWith('auth/') || below.startsWith('login/') ? null : url.href
}
