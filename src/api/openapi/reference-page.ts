import { html, type Markup } from '../docs/html.ts'
import type { DocumentationPage } from '../docs/page.ts'
import type { OpenApiDocument } from './document.ts'
import type { JsonSchema } from './example.ts'
import type { OpenApiOperation } from './operation.ts'

/** Builds the reference page of the OpenAPI document. */
export function buildReferencePage(document: OpenApiDocument): DocumentationPage {
  const groups = [...Map.groupBy(listOperations(document), ({ operation }) => operation.tags[0] ?? '')].sort(
    ([one], [other]) => Number(one === 'health') - Number(other === 'health'),
  )
  const schemas = Object.entries(document.components.schemas)
  return {
    name: '',
    title: 'API reference',
    contents: html`${groups.map(([tag, listed]) => html`<h2>${formatGroupTitle(tag)}</h2><ul>${listed.map(renderContentsLine)}</ul>`)}
<h2>Schemas</h2>
<ul>${schemas.map(([name]) => html`<li><a href="#schema-${name}">${name}</a></li>`)}</ul>`,
    main: html`<header>
<h1>${document.info.title} API</h1>
<p class="lead">${document.info.description}</p>
<p>Every call carries <code>Authorization: Bearer &lt;access token&gt;</code>. <a href="/docs/errors">Errors</a> lists
all error codes, <a href="/docs/webhooks">Webhooks</a> shows how to verify a delivery. The same description in
machine-readable form: <a href="/openapi.json">/openapi.json</a> (OpenAPI ${document.openapi}).</p>
</header>
${groups.map(([tag, listed]) => html`<section><h2>${formatGroupTitle(tag)}</h2>${listed.map(renderOperationCard)}</section>`)}
<section><h2>Schemas</h2>
${schemas.map(
  ([name, schema]) => html`<article id="schema-${name}"><h3>${name}</h3>
<p>${renderProse(schema.description)}</p>${renderFieldTable(schema)}</article>`,
)}
</section>`,
  }
}

const GROUP_TITLES: Record<string, string> = { 'pix-keys': 'PIX keys', meds: 'Disputes (MEDs)' }

/** Formats the name of a group as a heading. */
function formatGroupTitle(tag: string): string {
  return GROUP_TITLES[tag] ?? tag.charAt(0).toUpperCase() + tag.slice(1)
}

type ListedOperation = { path: string; method: string; operation: OpenApiOperation }

function listOperations(document: OpenApiDocument): ListedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
}

function renderContentsLine({ method, operation }: ListedOperation): Markup {
  return html`<li><a class="call" href="#${operation.operationId}"><b class="method ${method}">${method}</b>${operation.summary}</a></li>`
}

function renderOperationCard({ path, method, operation }: ListedOperation): Markup {
  const answers = Object.entries(operation.responses)
  const successes = answers.filter(([status]) => status.startsWith('2'))
  const refusals = answers.filter(([status]) => !status.startsWith('2'))
  return html`<article id="${operation.operationId}">
<h3>${operation.summary}</h3>
<p class="call"><b class="method ${method}">${method}</b><code>${path}</code></p>
${operation.description !== undefined && html`<p>${renderProse(operation.description)}</p>`}
${renderParameterTable(operation.parameters)}
${operation.requestBody && renderContentPart('Body', operation.requestBody)}
${successes.map(([status, response]) => renderContentPart(`Answer ${status}`, response))}
<details><summary>Refusals: ${refusals.map(([status]) => status).join(', ')}</summary>
${refusals.map(([status, response]) => renderErrorLine(status, response))}
</details>
</article>`
}

function renderParameterTable(parameters: JsonSchema[]): Markup {
  return html`<table><caption>Parameters</caption>
${parameters.map(
  ({ name, in: location, required, schema, description }) => html`<tr>
<th scope="row"><code>${name as string}</code>${required === true && html`<em>required</em>`}</th>
<td class="type">${location as string}, ${renderSchemaType(schema as JsonSchema)}</td>
<td>${renderProse(description)}</td></tr>`,
)}</table>`
}

/** Renders the error codes of a status as links to their description. */
function renderErrorLine(status: string, { content = {} }: JsonSchema): Markup {
  const { examples } = (
    content as Record<string, { examples: Record<string, { value: { message: string } }> }>
  )['application/json']!
  const items = Object.entries(examples).map(
    ([code, { value }]) => html`<a href="/docs/errors#${code}"><code>${code}</code></a> ${value.message} `,
  )
  return html`<p class="refusal"><b>${status}</b> ${items}</p>`
}

function renderContentPart(title: string, { content = {} }: JsonSchema): Markup {
  const [[type, { schema, example }] = ['', {} as JsonSchema]] = Object.entries(
    content as Record<string, JsonSchema>,
  )
  const jsonSchema = schema as JsonSchema | undefined
  return html`<h4>${title} <small>${type}</small></h4>
${jsonSchema?.properties !== undefined && renderFieldTable(jsonSchema)}
${example !== undefined && html`<details><summary>Example</summary><pre tabindex="0">${JSON.stringify(example, null, 2)}</pre></details>`}`
}

function renderFieldTable(schema: JsonSchema): Markup {
  return html`<table>${renderFieldRows(schema)}</table>`
}

/** Renders one row per field, followed by one per nested field: `final_beneficiary.name`. */
function renderFieldRows(schema: JsonSchema, within = ''): Markup[] {
  const required = (schema.required ?? []) as string[]
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(
    ([name, field]) => html`<tr>
<th scope="row"><code>${within}${name}</code>${required.includes(name) && html`<em>required</em>`}</th>
<td class="type">${renderSchemaType(field)}</td>
<td>${renderProse(field.description)}</td></tr>
${renderFieldRows(field, `${within}${name}.`)}${renderFieldRows((field.items ?? {}) as JsonSchema, `${within}${name}[].`)}`,
  )
}

/** Renders a short form of a schema: `integer 1..100`, `PENDING | PAID`, `list of Charge`. */
function renderSchemaType(schema: JsonSchema): Markup {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return html`<a href="#schema-${name}">${name}</a>`
  }
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`
  if (Array.isArray(schema.enum)) return html`<code>${schema.enum.join(' | ')}</code>`
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (choices)
    return html`${choices.map((choice, index) => html`${index > 0 && ' or '}${renderSchemaType(choice)}`)}`
  if (schema.type === 'array') return html`list of ${renderSchemaType((schema.items ?? {}) as JsonSchema)}`
  const bounds = [schema.minimum ?? schema.minLength, schema.maximum ?? schema.maxLength]
  const range = bounds.some(bound => bound !== undefined) && ` ${bounds[0] ?? ''}..${bounds[1] ?? ''}`
  return html`${(schema.format ?? schema.type ?? 'anything') as string}${range}`
}

/** Renders text with its `code` marked. */
function renderProse(text: unknown = ''): Markup {
  return html`${String(text)
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
