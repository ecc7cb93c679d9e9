/** `/healthz` and `/readyz`: for whoever watches the process, outside `/api/v1` and without a token. */

export interface Health {
  status: number
  body: object
}

/** An address that is answered without a token, whatever the state of the rest. */
export interface OpenRoute {
  path: string
  answer(): Health
}

/** `snapshotId` gives the id of the verified snapshot that answers now, or null while there is none. */
export function healthRoutes(snapshotId: () => string | null): OpenRoute[] {
  return [
    { path: '/healthz', answer: () => ({ status: 200, body: { status: 'ok' } }) },
    {
      path: '/readyz',
      answer: () => {
        const id = snapshotId()
        return id === null
          ? { status: 503, body: { error: 'unavailable', message: 'no snapshot is loaded yet' } }
          : { status: 200, body: { status: 'ready', snapshot: id } }
      },
    },
  ]
}
