/** Renders the reference as one page: introduction, endpoints by resource, then every named schema. */
import type { OpenapiDocument, Operation } from '../openapi/model.ts'
import { type Html, html, inline, prose } from './html.ts'
import { operationSection } from './operation.ts'
import { anchorOf, boundsOf, fieldsOf, typeOf } from './schema.ts'

/** `style` is inlined, so that the page makes no requests. */
export function referencePage(document: OpenapiDocument, style: string): Html {
  const { info, tags, components } = document
  const groups = tags.map((tag) => ({ ...tag, id: `tag-${tag.name.toLowerCase().replaceAll(' ', '-')}` }))
  const operationsOf = (tag: string) => Object.entries(document.paths).filter(([, { get }]) => get.tags.includes(tag))
  const sections = groups.map(
    ({ id, name, description }) => html`<section id="${id}">
<h2>${name}</h2>
<p>${inline(description)}.</p>
${operationsOf(name).map(([path, { get }]) => operationSection(document, path, get))}
</section>`,
  )
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => html`<section class="schema" id="${anchorOf(name)}">
<h3><a href="#${anchorOf(name)}">${name}</a></h3>
${typeof schema.description === 'string' ? prose(`${schema.description}.`) : null}
${fieldsOf(schema) ?? html`<p>${typeOf(schema)} ${boundsOf(schema)}</p>`}
</section>`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title}: API reference</title>
<style>${{ html: style }}</style>
</head>
<body>
<a class="skip" href="#introduction">Skip to the reference</a>
<nav aria-label="Contents">
<p class="title"><a href="#introduction">${info.title}</a> <small>${info.version}</small></p>
${groups.map(({ id, name }) => navigation(id, name, operationsOf(name)))}
<details><summary>Schemas</summary>
<ul>
${Object.keys(components.schemas).map((name) => html`<li><a href="#${anchorOf(name)}">${name}</a></li>`)}
</ul>
</details>
</nav>
<main>
<section id="introduction">
<h1>${info.title}</h1>
<p class="lead">${inline(info.summary)}.</p>
${prose(info.description)}
<p>All paths below begin with <code>${document.servers[0]?.url ?? ''}</code>. The same reference for programs, as OpenAPI ${document.openapi}: <code>${document.servers[0]?.url ?? ''}/openapi.json</code>.</p>
</section>
${sections}
<section id="schemas">
<h2>Schemas</h2>
<p>Schemas of the answers, by name.</p>
${schemas}
</section>
</main>
</body>
</html>
`
}

function navigation(id: string, name: string, operations: readonly (readonly [string, { get: Operation }])[]): Html {
  const items = operations.map(
    ([path, { get }]) => html`<li><a href="#${get.operationId}"><code>${path}</code></a></li>`,
  )
  return html`<p><a href="#${id}">${name}</a></p>
<ul>
${items}
</ul>`
}
