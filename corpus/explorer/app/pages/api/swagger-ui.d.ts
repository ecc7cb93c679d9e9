/** Types for the used part of Swagger UI, which has none of its own. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** A collection of Immutable.js. */
  export interface Collection {
    readonly size: number
    get(name: string): Collection
    update(name: string, change: (value: Collection) => Collection): Collection
    map(change: (value: Collection, key: string) => Collection | string): Collection
    filter(test: (value: Collection) => boolean): Collection
  }

  interface Props {
    getComponent(name: string, isContainer?: boolean): Component
    request?: Collection
  }

  /** A component of React. */
  type Component = (props: Props) => unknown

  export interface System {
    React: { createElement(type: string | Component, props?: object | null, ...children: unknown[]): unknown }
    layoutActions: {
      updateFilter(text: string): void
      show(thing: readonly string[], shown: boolean): void
    }
  }

  export type Plugin = (system: System) => {
    components?: Record<string, Component>
    wrapComponents?: Record<string, (original: Component) => Component>
    statePlugins?: {
      layout: {
        wrapActions: {
          show(original: System['layoutActions']['show']): (thing: readonly string[], shown: boolean) => unknown
        }
      }
    }
    fn?: { opsFilter(tagged: Collection, text: string): Collection }
  }

  export default function SwaggerUI(options: {
    domNode: HTMLElement
    spec: object
    layout: string
    plugins: Plugin[]
    docExpansion: 'list'
    deepLinking: boolean
    displayRequestDuration: boolean
    syntaxHighlight: { activated: boolean }
    supportedSubmitMethods: 'get'[]
    validatorUrl: null
    requestInterceptor<R extends { headers: Record<string, string> }>(request: R): R
  }): System
}
