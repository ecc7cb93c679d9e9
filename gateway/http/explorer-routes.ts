/** `/`: the explorer, outside `/api/v1` and without a token. Its pages need one for the API. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { notFound } from '../../corpus/answers/errors.ts'
import {
  type Explorer,
  HEADER_POLICY,
  isCompressible,
  openExplorer,
  ROOT_FILES,
  typeOf,
} from '../../corpus/explorer/explorer.ts'
import { tagOf } from './encoded-answer.ts'
import { type OpenAnswer, type OpenRoute, rootFrom } from './open-route.ts'

const compress = promisify(gzip)

const PAGE_HEADERS = [
  ...['Cache-Control', 'no-cache'],
  ...['Content-Security-Policy', HEADER_POLICY],
  ...['Cross-Origin-Opener-Policy', 'same-origin'],
  ...['Referrer-Policy', 'no-referrer'],
]
const FILE_HEADERS = ['Cache-Control', 'no-cache', 'Cross-Origin-Resource-Policy', 'same-origin']
/** The name of such a file changes with its content. */
const ASSET_HEADERS = [
  ...['Cache-Control', 'public, max-age=31536000, immutable'],
  ...['Cross-Origin-Resource-Policy', 'same-origin'],
]

/** Opens the explorer at the first request of it: in a checkout, this bundles it. `open` is another source, for tests. */
export function explorerRoutes(open: () => Promise<Explorer> = openExplorer): OpenRoute[] {
  let opened: Promise<Explorer> | null = null
  const explorer = () => {
    opened ??= open().catch((error) => {
      opened = null
      throw error
    })
    return opened
  }
  const answers = new Map<string, Promise<OpenAnswer>>()
  /** Each file is compressed once, at its first request. */
  const answer = (path: string, body: Buffer, headers: readonly string[]) => {
    let known = answers.get(path)
    if (known === undefined) {
      known = answerOf(path, body, headers)
      answers.set(path, known)
    }
    return known
  }
  const fileRoute = (path: string, name: (parameters: Record<string, string>) => string, headers: string[]) => ({
    path,
    answer: async ({ parameters }: { parameters: Record<string, string> }) => {
      const found = name(parameters)
      const body = (await explorer()).files.get(found)
      if (body === undefined) throw notFound('the explorer has no such file; reload the page')
      return answer(found, body, headers)
    },
  })
  return [
    { path: '/', answer: async () => answer('index.html', (await explorer()).page('gateway'), PAGE_HEADERS) },
    ...ROOT_FILES.map((name) => fileRoute(`/${name}`, () => name, FILE_HEADERS)),
    fileRoute('/assets/:name', ({ name }) => `assets/${name}`, ASSET_HEADERS),
    { path: '/docs', answer: ({ path }) => redirect(`${rootFrom(path)}#/api`) },
  ]
}

const redirect = (location: string): OpenAnswer => ({
  status: 302,
  type: 'text/plain; charset=utf-8',
  body: Buffer.from(`${location}\n`),
  headers: ['Cache-Control', 'no-cache', 'Location', location],
})

async function answerOf(path: string, body: Buffer, headers: readonly string[]): Promise<OpenAnswer> {
  const answer = { type: typeOf(path), body, tag: tagOf(body), headers }
  return isCompressible(path) ? { ...answer, gzip: await compress(body, { level: 9 }) } : answer
}
