/** The reference of the API: every operation, its answers, and a form that sends requests. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { OpenapiDocument } from '../../../answers/openapi/model.ts'
import { useAnswer, useSession } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { Await, Loading } from '../parts/answer.tsx'
import { Heading } from '../parts/heading.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { Folded } from '../parts/steps.tsx'
import { go, link } from '../router.ts'
import type { Viewer } from './api/viewer.ts'

/** The address has the search in `q`, and the ids of the open operations in `open`. */
export default function ApiPage({ query }: PageProps) {
  const { api } = useSession()
  const document = useAnswer<OpenapiDocument>('/openapi.json')
  return (
    <>
      <Heading>API</Heading>
      {api.mode === 'static' ? (
        <p class="notice">
          This page reads a snapshot from a web server, without a gateway, so it cannot send requests. A gateway that
          serves the snapshot has the API below.
        </p>
      ) : null}
      <Await answer={document}>{(data) => <Reference document={data} query={query} />}</Await>
    </>
  )
}

function Reference({ document, query }: { document: OpenapiDocument; query: URLSearchParams }) {
  const { api } = useSession()
  const search = query.get('q') ?? ''
  const open = query.get('open') ?? ''
  const place = useRef<HTMLDivElement>(null)
  const address = useRef({ search, open })
  address.current = { search, open }
  const [viewer, setViewer] = useState<Viewer>()
  const [isReady, setReady] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const show = (next: { search?: string; open?: string }) => {
    const { search: q, open } = { ...address.current, ...next }
    address.current = { search: q, open }
    go(link(['api'], { q, open }), { replace: true })
  }

  useEffect(() => {
    let stop = () => {}
    let isCurrent = true
    import('./api/viewer.ts').then(
      ({ openViewer }) => {
        if (!isCurrent) return
        const opened = openViewer(place.current!, document, {
          sendsRequests: api.mode === 'gateway',
          opened: (ids) => show({ open: ids.join(',') }),
          ready: () => setReady(true),
        })
        stop = opened.close
        opened.open(idsOf(open))
        setViewer(opened)
      },
      () => setMissing(true),
    )
    return () => {
      isCurrent = false
      stop()
    }
  }, [document, api])
  useEffect(() => viewer?.search(search), [viewer, search])
  useEffect(() => viewer?.open(idsOf(open)), [viewer, open])

  return (
    <>
      <p>
        {document.info.summary}. Version {document.info.version}, OpenAPI {document.openapi}.
      </p>
      <Folded class="panel" summary="Tokens, pages, errors, quota">
        <Markdown text={document.info.description} />
      </Folded>
      <h2>Operations</h2>
      <label>
        Search in paths, summaries and parameters
        <input
          type="search"
          class="search-operations"
          value={search}
          onInput={({ currentTarget }) => show({ search: currentTarget.value })}
        />
      </label>
      {isReady || isMissing ? null : <Loading />}
      {isMissing ? (
        <p class="notice failure" role="alert">
          The API reference could not be loaded. Check the connection, then reload the page.
        </p>
      ) : null}
      <div ref={place} class="reference" />
    </>
  )
}

const idsOf = (open: string): string[] => (open === '' ? [] : open.split(','))
