/** Returns the page of an advisory: at GitHub, or at osv.dev for other records. */
export const advisoryUrl = (id: string): string =>
  id.startsWith('GHSA-') ? `https://github.com/advisories/${id}` : `https://osv.dev/vulnerability/${id}`
