/** Swagger UI, without its own style sheet, header and sign-in. Loaded by the page of the API only. */
import SwaggerUI, { type Collection, type Plugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import type { OpenapiDocument } from '../../../../answers/openapi/model.ts'
import { apiBase } from '../../data/gateway.ts'
import { token } from '../../data/token.ts'

export interface Viewer {
  /** Shows the operations that match `text`; all if it is empty. */
  search(text: string): void
  /** Shows the details of the operations with these ids, and of no others. */
  open(ids: readonly string[]): void
  close(): void
}

export interface ViewerOptions {
  /** Whether operations have a form that sends requests to the gateway. */
  sendsRequests: boolean
  /** Called with the ids of all open operations when the user opens or closes one. */
  opened(ids: string[]): void
  /** Called when the operations are shown. */
  ready(): void
}

/** Maximum time to wait for the details of open operations. Then all operations are shown. */
const PATIENCE_MS = 2000
/** The details are complete when nothing has changed for this time. */
const QUIET_MS = 100

export function openViewer(place: HTMLElement, document: OpenapiDocument, options: ViewerOptions): Viewer {
  const tags = new Map(Object.values(document.paths).map(({ get }) => [get.operationId, get.tags[0]!]))
  const isOpen = new Set<string>()
  const changed = (thing: readonly string[], shown: boolean) => {
    const [kind, , id] = thing
    if (kind !== 'operations' || id === undefined || isOpen.has(id) === shown) return
    if (shown) isOpen.add(id)
    else isOpen.delete(id)
    options.opened([...isOpen])
  }
  const ui = SwaggerUI({
    domNode: place,
    spec: shownParts(document),
    layout: 'Operations',
    plugins: [frame(changed), searchIn(document)],
    docExpansion: 'list',
    deepLinking: false,
    displayRequestDuration: true,
    syntaxHighlight: { activated: false },
    supportedSubmitMethods: options.sendsRequests ? ['get'] : [],
    validatorUrl: null,
    requestInterceptor(request) {
      const own = token.read()
      if (own !== null) request.headers.Authorization = `Bearer ${own}`
      return request
    },
  })
  // Hidden until all operations are shown, so that nothing moves.
  place.hidden = true
  let patience: ReturnType<typeof setTimeout> | undefined
  let quiet: ReturnType<typeof setTimeout> | undefined
  const reveal = () => {
    if (!place.hidden) return
    place.hidden = false
    options.ready()
  }
  const observer = new MutationObserver(() => {
    nameControls(place)
    if (!place.hidden || !place.querySelector('.opblock')) return
    patience ??= setTimeout(reveal, PATIENCE_MS)
    clearTimeout(quiet)
    if (place.querySelectorAll('.opblock-body').length >= isOpen.size) quiet = setTimeout(reveal, QUIET_MS)
  })
  observer.observe(place, { childList: true, subtree: true })
  return {
    search: (text) => ui.layoutActions.updateFilter(text.trim()),
    open(ids) {
      for (const [id, tag] of tags) {
        const shown = ids.includes(id)
        if (shown === isOpen.has(id)) continue
        if (shown) isOpen.add(id)
        else isOpen.delete(id)
        ui.layoutActions.show(['operations', tag, id], shown)
      }
    },
    close() {
      observer.disconnect()
      clearTimeout(patience)
      clearTimeout(quiet)
      place.replaceChildren()
    },
  }
}

/** Errors without their body and headers: they are the same for all, and the page describes them. */
function shownParts(document: OpenapiDocument): object {
  const { responses, ...components } = document.components
  const inner = Object.entries(responses).map(([name, { description }]) => [name, { description }])
  const paths = Object.entries(document.paths).map(([path, { get }]) => {
    const answers = Object.entries(get.responses).map(([status, response]) => [
      status,
      Number(status) < 400 || '$ref' in response ? response : { description: response.description },
    ])
    return [path, { get: { ...get, responses: Object.fromEntries(answers) } }]
  })
  return {
    ...document,
    servers: [{ url: apiBase().href }],
    paths: Object.fromEntries(paths),
    components: { ...components, responses: Object.fromEntries(inner) },
  }
}

/** The list of operations, without a header: the page has one. Tokens come from the sign-in. */
const frame =
  (changed: (thing: readonly string[], shown: boolean) => void): Plugin =>
  ({ React }) => ({
    components: {
      Operations: ({ getComponent }) =>
        React.createElement(
          'div',
          { className: 'swagger-ui' },
          React.createElement(getComponent('SvgAssets')),
          React.createElement(getComponent('errors', true)),
          React.createElement(getComponent('operations', true)),
        ),
    },
    wrapComponents: {
      authorizeOperationBtn: () => () => null,
      // The line is copied and shared: it must not have the token.
      curl: (Original) => (props) =>
        React.createElement(Original, {
          ...props,
          request: props.request!.update('headers', (headers) =>
            headers.map((value, name) => (name === 'Authorization' ? 'Bearer <token>' : value)),
          ),
        }),
    },
    statePlugins: {
      layout: {
        wrapActions: {
          show: (original) => (thing, shown) => {
            changed(thing, shown)
            return original(thing, shown)
          },
        },
      },
    },
  })

/** Its own search finds tags and paths only. */
function searchIn({ paths, components }: OpenapiDocument): Plugin {
  const texts = new Map(
    Object.entries(paths).map(([path, { get }]) => {
      const parameters = get.parameters.map((one) =>
        '$ref' in one ? components.parameters[one.$ref.split('/').at(-1)!]! : one,
      )
      const words = [path, get.operationId, get.summary, get.description, ...get.tags]
      return [path, [...words, ...parameters.map(({ name }) => name)].join('\n').toLowerCase()]
    }),
  )
  const matches = (path: string, text: string) =>
    text
      .toLowerCase()
      .split(/\s+/)
      .every((word) => texts.get(path)?.includes(word))
  return () => ({
    fn: {
      opsFilter: (tagged: Collection, text: string) =>
        tagged
          .map((tag) => tag.update('operations', (all) => all.filter((one) => matches(String(one.get('path')), text))))
          .filter((tag) => tag.get('operations').size > 0),
    },
  })
}

/** Names the controls of Swagger UI that lack a name, and lets the keyboard scroll its code blocks. */
function nameControls(place: HTMLElement): void {
  for (const row of place.querySelectorAll<HTMLElement>('tr[data-param-name]'))
    for (const control of row.querySelectorAll<HTMLInputElement>('input, select, textarea'))
      if (control.labels?.length === 0) control.setAttribute('aria-label', row.dataset.paramName!)
  for (const scrolled of place.querySelectorAll('pre')) scrolled.tabIndex = 0
}
