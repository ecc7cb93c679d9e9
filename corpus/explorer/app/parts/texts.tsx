/** Texts of catalogs: paragraphs, lists, facts. */
import { type ComponentChildren, Fragment } from 'preact'
import { InSteps } from './steps.tsx'

const FIRST_BULLETS = 50

/** Paragraphs as text. Line breaks of the source stay. */
export function Paragraphs({ texts }: { texts: readonly (string | null | undefined)[] }) {
  return (
    <>
      {texts.map((text, i) =>
        text ? (
          <p key={i} class="prose">
            {text}
          </p>
        ) : null,
      )}
    </>
  )
}

export function Bullets({ items }: { items: readonly ComponentChildren[] }) {
  if (items.length === 0) return null
  return (
    <InSteps items={items} first={FIRST_BULLETS} noun="items">
      {(shown) => (
        <ul class="prose">
          {shown.map((item, i) => (
            <li key={i}>{item}</li>
          ))}
        </ul>
      )}
    </InSteps>
  )
}

/** A section with a heading, if there is something in it. */
export function Part({ title, of, children }: { title: string; of: readonly unknown[]; children: ComponentChildren }) {
  if (of.length === 0) return null
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** Names and values. Those without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) =>
        value === null || value === undefined || value === '' || value === false ? null : (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ),
      )}
    </dl>
  )
}

/** Figures side by side. */
export function Figures({
  figures,
}: {
  figures: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[]
}) {
  return (
    <dl class="figures">
      {figures.map(([name, value], i) => (
        <div key={i}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Names with commas between them; the rest on request. */
export function Names({
  names,
  most = 20,
  noun = 'names',
}: {
  names: readonly string[]
  most?: number
  noun?: string
}) {
  return (
    <InSteps items={names} first={most} noun={noun}>
      {(shown) => <span>{shown.join(', ')}</span>}
    </InSteps>
  )
}
