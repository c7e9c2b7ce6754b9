import { html, type Markup } from '../html.ts'
import type { OpenApi } from './document.ts'
import type { JsonSchema } from './example.ts'
import type { Operation } from './operation.ts'
import { STYLE } from './style.ts'

/** The OpenAPI document as a page to read: one file, no script, nothing fetched from anywhere. */
export function documentationPage(document: OpenApi): string {
  const groups = Map.groupBy(operationsOf(document), ({ operation }) => operation.tags[0] ?? '')
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title} API</title>
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="Contents">
<a class="brand" href="#top">${document.info.title}</a>
${[...groups].map(([tag, listed]) => html`<h2>${tag}</h2><ul>${listed.map(contentsLine)}</ul>`)}
<h2>schemas</h2>
<ul>${Object.keys(document.components.schemas).map(name => html`<li><a href="#schema-${name}">${name}</a></li>`)}</ul>
</nav>
<main id="top">
<header>
<h1>${document.info.title} API</h1>
<p class="lead">${document.info.description}</p>
<p>Every call carries <code>Authorization: Bearer &lt;access token&gt;</code>. The same description for machines:
<a href="/openapi.json">/openapi.json</a> (OpenAPI ${document.openapi}).</p>
</header>
${[...groups].map(([tag, listed]) => html`<section><h2 class="group">${tag}</h2>${listed.map(operationCard)}</section>`)}
<section><h2 class="group">schemas</h2>
${Object.entries(document.components.schemas).map(([name, schema]) => schemaCard(name, schema))}
</section>
</main>
</body>
</html>
`
  return text
}

type Listed = { path: string; method: string; operation: Operation }

function operationsOf(document: OpenApi): Listed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
}

function contentsLine({ method, operation }: Listed): Markup {
  return html`<li><a href="#${operation.operationId}"><b class="method ${method}">${method}</b>${operation.summary}</a></li>`
}

function operationCard({ path, method, operation }: Listed): Markup {
  return html`<article id="${operation.operationId}">
<h3><b class="method ${method}">${method}</b><code>${path}</code></h3>
<p><strong>${operation.summary}.</strong> ${prose(operation.description)}</p>
${parameterTable(operation.parameters)}
${operation.requestBody && contentPart('Body', operation.requestBody)}
${Object.entries(operation.responses).map(([status, response]) => responsePart(status, response))}
</article>`
}

function parameterTable(parameters: JsonSchema[]): Markup {
  return html`<table><caption>Parameters</caption>
${parameters.map(
  ({ name, in: place, required, schema, description }) => html`<tr>
<th scope="row"><code>${name as string}</code>${required === true && html`<em>required</em>`}</th>
<td class="type">${place as string}, ${typeOf(schema as JsonSchema)}</td>
<td>${prose(description)}</td></tr>`,
)}</table>`
}

function responsePart(status: string, response: JsonSchema): Markup {
  if (status.startsWith('2')) return contentPart(`Answer ${status}`, response)
  return html`<p class="refusal"><b>${status}</b> ${prose(response.description)}</p>`
}

function contentPart(title: string, { content = {} }: JsonSchema): Markup {
  const [[type, { schema, example }] = ['', {} as JsonSchema]] = Object.entries(
    content as Record<string, JsonSchema>,
  )
  const shown = schema as JsonSchema | undefined
  return html`<h4>${title} <small>${type}</small></h4>
${shown?.properties !== undefined && fieldTable(shown)}
${example !== undefined && html`<details><summary>Example</summary><pre>${JSON.stringify(example, null, 2)}</pre></details>`}`
}

function schemaCard(name: string, schema: JsonSchema): Markup {
  return html`<article id="schema-${name}"><h3>${name}</h3>
<p>${prose(schema.description)}</p>${fieldTable(schema)}</article>`
}

function fieldTable(schema: JsonSchema): Markup {
  const required = (schema.required ?? []) as string[]
  return html`<table>${Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(
    ([name, field]) => html`<tr>
<th scope="row"><code>${name}</code>${required.includes(name) && html`<em>required</em>`}</th>
<td class="type">${typeOf(field)}</td>
<td>${prose(field.description)}${field.properties !== undefined && fieldTable(field)}</td></tr>`,
  )}</table>`
}

/** A schema in a few words: `integer 1..100`, `PENDING | PAID`, `list of Charge`. */
function typeOf(schema: JsonSchema): Markup {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return html`<a href="#schema-${name}">${name}</a>`
  }
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`
  if (Array.isArray(schema.enum)) return html`<code>${schema.enum.join(' | ')}</code>`
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (choices) return html`${choices.map((choice, index) => html`${index > 0 && ' or '}${typeOf(choice)}`)}`
  if (schema.type === 'array') return html`list of ${typeOf((schema.items ?? {}) as JsonSchema)}`
  const bounds = [schema.minimum ?? schema.minLength, schema.maximum ?? schema.maxLength]
  const range = bounds.some(bound => bound !== undefined) && ` ${bounds[0] ?? ''}..${bounds[1] ?? ''}`
  return html`${(schema.format ?? schema.type ?? 'anything') as string}${range}`
}

/** Text with its `code` marked. */
function prose(text: unknown = ''): Markup {
  return html`${String(text)
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
