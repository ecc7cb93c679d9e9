/** `/docs`: the API reference, outside `/api/v1` and without a token. */
import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { OpenRoute } from '../http/open-route.ts'
import type { OpenapiDocument } from '../openapi/model.ts'
import { referencePage } from './page.ts'
import { STYLE } from './style.ts'

/** No scripts, no requests, no frames. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function docsRoute(document: OpenapiDocument): OpenRoute {
  const body = Buffer.from(referencePage(document, STYLE).html)
  const answer = {
    type: 'text/html; charset=utf-8',
    body,
    gzip: gzipSync(body, { level: 9 }),
    headers: [
      'Cache-Control',
      'no-cache',
      'Content-Security-Policy',
      POLICY,
      'Cross-Origin-Opener-Policy',
      'same-origin',
      'Referrer-Policy',
      'no-referrer',
    ],
  }
  return { path: '/docs', answer: () => answer }
}
