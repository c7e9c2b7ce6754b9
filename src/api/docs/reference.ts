import type { buildOpenApiDocument } from '../openapi/document.ts'
import { toHeadingId } from './markdown.ts'

/** Writes the API reference, from the OpenAPI document alone, as Markdown: a page as the others are. */

export const REFERENCE_PATH = '/docs/reference'

type OpenApi = ReturnType<typeof buildOpenApiDocument>
/** The parts of a JSON Schema that the document uses. */
type Schema = {
  $ref?: string
  description?: string
  type?: string | string[]
  format?: string
  enum?: string[]
  pattern?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  discriminator?: { mapping: Record<string, string> }
} & Partial<Record<'anyOf' | 'oneOf' | 'allOf', Schema[]>>
type Content = Record<string, { schema?: Schema; example?: unknown; examples?: Record<string, unknown> }>
type Response = { $ref?: string; content?: Content }
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema }
type Operation = {
  operationId: string
  tags: [string]
  summary: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, Response>
  'x-codeSamples'?: { label: string; lang: string; source: string }[]
}
/** An operation with its method and path; null for an event, which is sent to an endpoint of the merchant. */
type Call = { address: string | null; operation: Operation }

/** Writes the reference: an intro, the operations by tag, and every object once. */
export function writeReference(openApi: OpenApi): string {
  const calls = listCalls(openApi)
  const objects = new ReferencedObjects(openApi.components.schemas as Record<string, Schema>)
  const tags = openApi.tags.flatMap(({ name, description }) => {
    const tagCalls = calls.filter(({ operation }) => operation.tags[0] === name)
    const index = tagCalls.map(
      ({ address, operation: { summary } }) =>
        `- [${summary}](#${toHeadingId(summary)})${address ? `: \`${address}\`` : ''}`,
    )
    const sections = tagCalls.flatMap(call => writeOperation(call, openApi, objects))
    return [`## ${toTitle(name)}`, description, index.join('\n'), ...sections]
  })
  const intro = [
    '# API reference',
    openApi.info.description,
    'Requests under `/api/v1` have the header `Authorization: Bearer <token>`. Answers and errors are JSON in UTF-8; the ' +
      '[guide](/docs/en/requests) says what is common to all requests. Programs read the [OpenAPI document](/openapi.json).',
  ]
  return [...intro, ...tags, '## Objects', ...objects.writeAll()].join('\n\n')
}

function listCalls({ paths, webhooks }: OpenApi): Call[] {
  const merchantCalls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      address: `${method.toUpperCase()} ${path}`,
      operation: operation as Operation,
    })),
  )
  const webhookCalls = Object.values(webhooks).map(({ post }) => ({
    address: null,
    operation: post as Operation,
  }))
  return [...merchantCalls, ...webhookCalls]
}

function writeOperation(
  { address, operation }: Call,
  openApi: OpenApi,
  objects: ReferencedObjects,
): string[] {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  const [media, body] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const samples = operation['x-codeSamples'] ?? []
  const [success, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const [answerMedia, answerBody] = Object.entries(answer?.content ?? {})[0] ?? []
  return [
    `### ${summary}`,
    ...(address ? [`\`${address}\` (\`${operationId}\`)`] : []),
    ...(description ? [description] : []),
    ...writeTable(
      'Parameter',
      parameters.map(one => [
        nameField(one.name, one.required),
        objects.describeType(one.schema),
        describeParameter(one),
      ]),
    ),
    ...(body?.schema
      ? [`Body, \`${media}\`:`, ...writeTable('Field', objects.listFields(objects.resolve(body.schema)))]
      : []),
    ...samples.map(({ label, lang, source }) =>
      writeFold(label, lang === 'Shell' ? 'sh' : lang.toLowerCase(), source),
    ),
    ...(address ? [] : writeExample('Body', body?.example)),
    ...(answerBody?.schema
      ? [`Answer \`${success}\`, \`${answerMedia}\`: ${objects.describeBody(answerBody.schema)}`]
      : []),
    ...(success && !answerBody?.schema && address
      ? [`Answer \`${success}\`${answerMedia ? `, \`${answerMedia}\`` : ''}.`]
      : []),
    ...writeExample('Answer', answerBody?.example),
    ...writeErrors(responses, openApi, objects),
  ]
}

function describeParameter({ in: place, description, schema }: Parameter): string {
  const sentence = `In the ${place === 'header' ? 'headers' : place}`
  return joinSentences([sentence, description, ...listLimits(schema)])
}

/** Lists the codes by status; a code whose `data` says more than the message has its type. */
function writeErrors(
  responses: Operation['responses'],
  openApi: OpenApi,
  objects: ReferencedObjects,
): string[] {
  const errors = Object.entries(responses).flatMap(([status, response]) => {
    if (status.startsWith('2')) return []
    const { content } = (
      response.$ref ? find(openApi.components.responses, response.$ref) : response
    ) as Response
    const { schema, examples = {} } = content?.['application/json'] ?? {}
    const codes = Object.keys(examples).map(code => {
      const $ref = schema?.discriminator?.mapping[code]
      const { data } = objects.resolve($ref ? { $ref } : (schema ?? {})).properties ?? {}
      return `[\`${code}\`](/docs/errors#${code})${data ? ` (\`data\`: ${objects.describeType(data)})` : ''}`
    })
    return codes.length > 0 ? [`${status} ${codes.join(', ')}`] : []
  })
  return errors.length > 0 ? [`Errors: ${errors.join('; ')}.`] : []
}

/** The named schemas that the reference has referred to; each is written once. */
class ReferencedObjects {
  readonly #names = new Set<string>()
  readonly #schemas: Record<string, Schema>

  constructor(schemas: Record<string, Schema>) {
    this.#schemas = schemas
  }

  resolve(schema: Schema): Schema {
    return schema.$ref ? find(this.#schemas, schema.$ref) : schema
  }

  /** Writes every object that was referred to, and those that they refer to. */
  writeAll(): string[] {
    const sections = new Map<string, string[]>()
    // The set grows while objects are described.
    for (const name of this.#names) {
      const schema = this.#schemas[name]!
      const variants = schema.oneOf ?? schema.anyOf
      const text = variants ? [`One of ${variants.map(one => this.describeType(one)).join(', ')}.`] : []
      sections.set(name, [
        `### Object ${name}`,
        ...(schema.description ? [`${joinSentences([schema.description])}.`] : []),
        ...text,
        ...writeTable('Field', this.listFields(schema)),
      ])
    }
    return [...sections.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, section]) => section)
  }

  /** Lists the fields of an object; those of an unnamed object in it follow, after its name and a dot. */
  listFields(schema: Schema, prefix = ''): string[][] {
    const parts = [schema, ...(schema.allOf ?? []).map(one => this.resolve(one))]
    return parts.flatMap(({ properties = {}, required = [] }) =>
      Object.entries(properties).flatMap(([name, field]) => {
        const meaning = joinSentences([field.description, ...listLimits(field)])
        const inner = field.type === 'array' ? field.items : withoutNull(field)
        const row = [nameField(prefix + name, required.includes(name)), this.describeType(field), meaning]
        return [row, ...(inner?.properties ? this.listFields(inner, `${prefix}${name}.`) : [])]
      }),
    )
  }

  /** Describes the body of an answer by its fields where they are few, else by the object. */
  describeBody(schema: Schema): string {
    const fields = Object.entries(this.resolve(schema).properties ?? {})
    if (fields.length === 0 || fields.length > 2) return `${this.describeType(schema)}.`
    return `${fields.map(([name, field]) => `\`${name}\` is ${this.describeType(field)}`).join(', ')}.`
  }

  describeType(schema: Schema): string {
    const { $ref, type, items, format, enum: values } = schema
    if ($ref) {
      const name = $ref.split('/').at(-1)!
      this.#names.add(name)
      return `[${name}](#${toHeadingId(`Object ${name}`)})`
    }
    if (values) return values.map(value => `\`${value}\``).join(', ')
    const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
    if (choices)
      return [...new Set(choices.map(one => this.describeType(one)))].join(schema.allOf ? ' and ' : ' or ')
    if (type === 'array') return `list of ${this.describeType(items ?? {})}`
    return format ?? [type ?? 'any'].flat().join(' or ')
  }
}

/** Returns the schema of a field that may be null, else the field's own. */
function withoutNull(schema: Schema): Schema {
  const choices = schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
  return choices.length === 1 ? choices[0]! : schema
}

function listLimits(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema
  return [
    ...listRange(minimum, maximum, ''),
    ...listRange(minLength, maxLength, ' characters'),
    ...listRange(minItems, maxItems, ' items'),
    ...(pattern ? [`Matches \`${pattern}\``] : []),
  ]
}

function listRange(min: number | undefined, max: number | undefined, unit: string): string[] {
  if (min !== undefined && max !== undefined) return [`${min} to ${max}${unit}`]
  if (min !== undefined) return [`At least ${min}${unit}`]
  return max === undefined ? [] : [`At most ${max}${unit}`]
}

/** Joins sentences, of which some end in a period and some are absent. */
function joinSentences(sentences: (string | undefined)[]): string {
  return sentences.flatMap(one => (one ? [one.replace(/\.$/, '')] : [])).join('. ')
}

function find(parts: Record<string, unknown>, reference: string): Schema {
  return parts[reference.split('/').at(-1)!] as Schema
}

/** Not a code alone: a row that starts with one has its name as an anchor, and names of fields occur in many objects. */
function nameField(name: string, isRequired = false): string {
  return `\`${name}\` ${isRequired ? 'required' : 'optional'}`
}

function writeTable(first: string, rows: string[][]): string[] {
  if (rows.length === 0) return []
  const lines = [
    [first, 'Type', 'Meaning'],
    ['---', '---', '---'],
    ...rows.map(cells => cells.map(escapeCell)),
  ]
  return [lines.map(cells => `| ${cells.join(' | ')} |`).join('\n')]
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

function writeExample(title: string, example: unknown): string[] {
  if (example === undefined) return []
  return typeof example === 'string'
    ? [writeFold(title, 'text', example)]
    : [writeFold(title, 'json', JSON.stringify(example, null, 2))]
}

/** A block of code that is folded until a reader opens it. */
function writeFold(title: string, language: string, code: string): string {
  return `\`\`\`\`${language} fold=${title}\n${code}\n\`\`\`\``
}

function toTitle(name: string): string {
  return (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('-', ' ')
}
