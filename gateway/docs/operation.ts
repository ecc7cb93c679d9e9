/** Renders one endpoint: parameters, answers, and an example. */
import { type OpenapiDocument, type Operation, type Parameter, resolve } from '../openapi/model.ts'
import { type Html, html, inline, joined, prose } from './html.ts'
import { boundsOf, typeOf } from './schema.ts'

export function operationSection(document: OpenapiDocument, path: string, operation: Operation): Html {
  const { operationId, summary, description } = operation
  const parameters = operation.parameters
    .map((parameter) => resolve(document, 'parameters', parameter))
    // The introduction describes the headers.
    .filter((parameter) => parameter.in !== 'header')
  return html`<section class="operation" id="${operationId}">
<h3><a href="#${operationId}"><span class="method">GET</span> <code>${pathShown(path)}</code></a></h3>
<p class="summary">${inline(summary)}</p>
${prose(description)}
${parameters.length === 0 ? null : parameterTable(parameters)}
<h4>Answers</h4>
<table class="answers">
<tbody>
${responseRows(document, operation)}
</tbody>
</table>
<pre><code>${operation['x-codeSamples'][0]?.source ?? ''}</code></pre>
</section>`
}

function parameterTable(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(({ name, required, description, schema, ...parameter }) => {
    const bounds = boundsOf(schema)
    const notes = [parameter.in === 'path' ? 'in the path' : required ? 'required' : null].filter(
      (note) => note !== null,
    )
    return html`<tr><td><code>${name}</code>${notes.length === 0 ? null : html` <em>${notes.join(', ')}</em>`}</td><td>${parameter.explode === false ? 'csv' : typeOf(schema)}</td><td>${inline(description)}${bounds === null ? null : html`<small>${bounds}</small>`}</td></tr>`
  })
  return html`<h4>Parameters</h4>
<table>
<thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead>
<tbody>
${rows}
</tbody>
</table>`
}

function responseRows(document: OpenapiDocument, { responses }: Operation): Html[] {
  return Object.entries(responses).map(([status, given]) => {
    const { description, content } = resolve(document, 'responses', given)
    const schema = content?.['application/json'].schema
    // All errors have the same body.
    const shown = status === '200' && schema ? typeOf(schema) : lines(description)
    return html`<tr><td><span class="status s${status[0]!}">${status}</span></td><td>${shown}</td></tr>`
  })
}

const lines = (text: string) => html`${text.split('\n\n').map((line) => html`<div>${inline(line)}</div>`)}`

function pathShown(path: string): Html {
  const parts = path.split(/(\{\w+\})/).map((part) => (part.startsWith('{') ? html`<i>${part}</i>` : html`${part}`))
  return joined(parts, '')
}
