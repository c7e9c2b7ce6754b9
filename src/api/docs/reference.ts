import type { buildOpenApiDocument } from '../openapi/document.ts'
import type { GuideLanguage } from './guide-pages.ts'
import { toHeadingId } from './markdown.ts'
import { REFERENCE_PHRASES, REFERENCE_TITLES, type ReferencePhrases } from './reference-phrases.ts'

/** Writes the API reference, from the OpenAPI document alone, as Markdown: a page as the others are. */

/** Pages of the reference. */
export const REFERENCE_PATHS: Record<GuideLanguage, string> = {
  en: '/docs/reference',
  pt: '/docs/pt/reference',
}

/** Returns the title of an operation in a language: its summary in that of the OpenAPI document. */
export function titleOperation(
  { operationId, summary }: { operationId: string; summary: string },
  language: GuideLanguage,
): string {
  return REFERENCE_TITLES[language]?.operations[operationId] ?? summary
}

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
type Parameter = {
  name: string
  in: 'header' | 'path' | 'query'
  required?: boolean
  description?: string
  schema: Schema
}
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
/** An operation with its title, its method and path; null for an event, which is sent to an endpoint of the merchant. */
type Call = { title: string; address: string | null; operation: Operation }

/** Writes the reference: an intro, the operations by tag, and every object once. */
export function writeReference(openApi: OpenApi, language: GuideLanguage = 'en'): string {
  const phrases = REFERENCE_PHRASES[language]
  const calls = listCalls(openApi, language)
  const objects = new ReferencedObjects(openApi.components.schemas as Record<string, Schema>, phrases)
  const tags = openApi.tags.flatMap(({ name, description }) => {
    const tagCalls = calls.filter(({ operation }) => operation.tags[0] === name)
    const index = tagCalls.map(
      ({ title, address }) => `- [${title}](#${toHeadingId(title)})${address ? `: \`${address}\`` : ''}`,
    )
    const sections = tagCalls.flatMap(call => writeOperation(call, openApi, objects))
    const [title, text] = REFERENCE_TITLES[language]?.tags[name] ?? [toTitle(name), description]
    return [`## ${title}`, text, index.join('\n'), ...sections]
  })
  const intro = [
    `# ${phrases.title}`,
    ...(language === 'en' ? [openApi.info.description] : []),
    phrases.common,
  ]
  return [...intro, ...tags, `## ${phrases.objects}`, ...objects.writeAll()].join('\n\n')
}

function listCalls({ paths, webhooks }: OpenApi, language: GuideLanguage): Call[] {
  const merchantCalls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      title: titleOperation(operation as Operation, language),
      address: `${method.toUpperCase()} ${path}`,
      operation: operation as Operation,
    })),
  )
  const webhookCalls = Object.values(webhooks).map(({ post }) => ({
    title: titleOperation(post as Operation, language),
    address: null,
    operation: post as Operation,
  }))
  return [...merchantCalls, ...webhookCalls]
}

function writeOperation(
  { title, address, operation }: Call,
  openApi: OpenApi,
  objects: ReferencedObjects,
): string[] {
  const { phrases } = objects
  const { operationId, description, parameters = [], requestBody, responses } = operation
  const [media, body] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const samples = operation['x-codeSamples'] ?? []
  const [success, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const [answerMedia, answerBody] = Object.entries(answer?.content ?? {})[0] ?? []
  return [
    `### ${title}`,
    ...(address ? [`\`${address}\` (\`${operationId}\`)`] : []),
    ...(description ? [description] : []),
    ...writeTable(
      phrases.parameter,
      parameters.map(one => [
        nameField(one.name, one.required, phrases),
        objects.describeType(one.schema),
        describeParameter(one, phrases),
      ]),
      phrases,
    ),
    ...(body?.schema
      ? [
          `${phrases.body}, \`${media}\`:`,
          ...writeTable(phrases.field, objects.listFields(objects.resolve(body.schema)), phrases),
        ]
      : []),
    ...samples.map(({ label, lang, source }) =>
      writeFold(label, lang === 'Shell' ? 'sh' : lang.toLowerCase(), source),
    ),
    ...(address ? [] : writeExample(phrases.body, body?.example)),
    ...(answerBody?.schema
      ? [`${phrases.answer} \`${success}\`, \`${answerMedia}\`: ${objects.describeBody(answerBody.schema)}`]
      : []),
    ...(success && !answerBody?.schema && address
      ? [`${phrases.answer} \`${success}\`${answerMedia ? `, \`${answerMedia}\`` : ''}.`]
      : []),
    ...writeExample(phrases.answer, answerBody?.example),
    ...writeErrors(responses, openApi, objects),
  ]
}

function describeParameter({ in: place, description, schema }: Parameter, phrases: ReferencePhrases): string {
  const sentence = { header: phrases.inHeader, path: phrases.inPath, query: phrases.inQuery }[place]
  return joinSentences([sentence, description, ...listLimits(schema, phrases)])
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
      return `[\`${code}\`](${objects.phrases.errorsPath}#${code})${data ? ` (\`data\`: ${objects.describeType(data)})` : ''}`
    })
    return codes.length > 0 ? [`${status} ${codes.join(', ')}`] : []
  })
  return errors.length > 0 ? [`${objects.phrases.errors}: ${errors.join('; ')}.`] : []
}

/** The named schemas that the reference has referred to; each is written once. */
class ReferencedObjects {
  readonly #names = new Set<string>()
  readonly #schemas: Record<string, Schema>

  /** Words of the language. */
  readonly phrases: ReferencePhrases

  constructor(schemas: Record<string, Schema>, phrases: ReferencePhrases) {
    this.#schemas = schemas
    this.phrases = phrases
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
      const text = variants
        ? [`${this.phrases.oneOf} ${variants.map(one => this.describeType(one)).join(', ')}.`]
        : []
      sections.set(name, [
        `### ${this.phrases.object} ${name}`,
        ...(schema.description ? [`${joinSentences([schema.description])}.`] : []),
        ...text,
        ...writeTable(this.phrases.field, this.listFields(schema), this.phrases),
      ])
    }
    return [...sections.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, section]) => section)
  }

  /** Lists the fields of an object; those of an unnamed object in it follow, after its name and a dot. */
  listFields(schema: Schema, prefix = ''): string[][] {
    const parts = [schema, ...(schema.allOf ?? []).map(one => this.resolve(one))]
    return parts.flatMap(({ properties = {}, required = [] }) =>
      Object.entries(properties).flatMap(([name, field]) => {
        const meaning = joinSentences([field.description, ...listLimits(field, this.phrases)])
        const inner = field.type === 'array' ? field.items : withoutNull(field)
        const fieldName = nameField(prefix + name, required.includes(name), this.phrases)
        const row = [fieldName, this.describeType(field), meaning]
        return [row, ...(inner?.properties ? this.listFields(inner, `${prefix}${name}.`) : [])]
      }),
    )
  }

  /** Describes the body of an answer by its fields where they are few, else by the object. */
  describeBody(schema: Schema): string {
    const fields = Object.entries(this.resolve(schema).properties ?? {})
    if (fields.length === 0 || fields.length > 2) return `${this.describeType(schema)}.`
    return `${fields.map(([name, field]) => `\`${name}\` ${this.phrases.is} ${this.describeType(field)}`).join(', ')}.`
  }

  describeType(schema: Schema): string {
    const { $ref, type, items, format, enum: values } = schema
    if ($ref) {
      const name = $ref.split('/').at(-1)!
      this.#names.add(name)
      return `[${name}](#${toHeadingId(`${this.phrases.object} ${name}`)})`
    }
    if (values) return values.map(value => `\`${value}\``).join(', ')
    const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
    if (choices)
      return [...new Set(choices.map(one => this.describeType(one)))].join(
        ` ${schema.allOf ? this.phrases.and : this.phrases.or} `,
      )
    if (type === 'array') return `${this.phrases.listOf} ${this.describeType(items ?? {})}`
    return format ?? [type ?? 'any'].flat().join(` ${this.phrases.or} `)
  }
}

/** Returns the schema of a field that may be null, else the field's own. */
function withoutNull(schema: Schema): Schema {
  const choices = schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
  return choices.length === 1 ? choices[0]! : schema
}

function listLimits(schema: Schema, phrases: ReferencePhrases): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema
  return [
    ...listRange([minimum, maximum], '', phrases),
    ...listRange([minLength, maxLength], ` ${phrases.characters}`, phrases),
    ...listRange([minItems, maxItems], ` ${phrases.items}`, phrases),
    ...(pattern ? [`${phrases.matches} \`${pattern}\``] : []),
  ]
}

function listRange(
  [min, max]: [number | undefined, number | undefined],
  unit: string,
  { to, atLeast, atMost }: ReferencePhrases,
): string[] {
  if (min !== undefined && max !== undefined) return [`${min} ${to} ${max}${unit}`]
  if (min !== undefined) return [`${atLeast} ${min}${unit}`]
  return max === undefined ? [] : [`${atMost} ${max}${unit}`]
}

/** Joins sentences, of which some end in a period and some are absent. */
function joinSentences(sentences: (string | undefined)[]): string {
  return sentences.flatMap(one => (one ? [one.replace(/\.$/, '')] : [])).join('. ')
}

function find(parts: Record<string, unknown>, reference: string): Schema {
  return parts[reference.split('/').at(-1)!] as Schema
}

/** Not a code alone: a row that starts with one has its name as an anchor, and names of fields occur in many objects. */
function nameField(name: string, isRequired: boolean | undefined, phrases: ReferencePhrases): string {
  return `\`${name}\` ${isRequired ? phrases.required : phrases.optional}`
}

function writeTable(first: string, rows: string[][], { type, meaning }: ReferencePhrases): string[] {
  if (rows.length === 0) return []
  const lines = [[first, type, meaning], ['---', '---', '---'], ...rows.map(cells => cells.map(escapeCell))]
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
