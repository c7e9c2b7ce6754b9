import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { parse } from 'yaml'

/** A request of an operation. `path`: without base path; `query`: as text, list or record. */
export type ContractRequest = {
  method: string
  path: string
  query?: URLSearchParams | Record<string, string> | string
  body?: unknown
}
export type ContractResponse = { method: string; path: string; status: number; body?: unknown }

export type OpenContract = ReturnType<typeof openContract>

type Schema = Record<string, unknown>
type Parameter = { name: string; in: string; required?: boolean; schema?: Schema }
type Content = { content?: Record<string, { schema?: Schema }>; required?: boolean }
type Operation = {
  parameters?: Parameter[]
  requestBody?: Content
  responses: Record<string, Content>
  callbacks?: Record<string, Record<string, Record<string, Operation>>>
}
type PathItem = Record<string, Operation> & { parameters?: Parameter[] }
type Document = { paths: Record<string, PathItem> }

/**
 * Opens a provider's published OpenAPI document (3.0, YAML) of `test/providers/openapi`, in which its README lists what is
 * corrected. `validateRequest` and `validateResponse` return what violates it, one sentence each; an empty list for none.
 */
export function openContract(file: string) {
  const text = readFileSync(new URL(`../providers/openapi/${file}`, import.meta.url), 'utf8')
  const document = correctDocument(parse(text)) as Document
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false, logger: false })
  const coercingAjv = new Ajv({ strict: false, coerceTypes: true, unicodeRegExp: false, logger: false })
  for (const validator of [ajv, coercingAjv]) {
    addFormats.default(validator)
    validator.addSchema(document, 'openapi')
  }
  const operations = listOperations(document)
  const validators = new Map<string, ValidateFunction>()

  return {
    /** Validates path, query and body of a request. */
    validateRequest({ method, path, query, body }: ContractRequest): string[] {
      const found = findOperation(method, path)
      if (!found) return [`${method} ${path}: no such operation`]
      const { operation, parameters, pointer, pathValues } = found
      const queryValues = Object.fromEntries(new URLSearchParams(query))
      const values: Record<string, Record<string, string>> = { path: pathValues, query: queryValues }
      const violations = parameters.flatMap((parameter, index) => {
        const value = values[parameter.in]?.[parameter.name]
        if (!(parameter.in in values)) return []
        if (value === undefined) return parameter.required ? [`${parameter.name}: is required`] : []
        const schema = `${pointer.parameters[index]}/schema`
        // Text of an URL is coerced to the number or boolean of its schema.
        return check(coercingAjv, schema, { value }).map(violation => `${parameter.name}: ${violation}`)
      })
      const known = parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name)
      for (const name of Object.keys(queryValues))
        if (!known.includes(name)) violations.push(`${name}: no such parameter`)
      return [...violations, ...checkBody(operation.requestBody, pointer.requestBody, body)]
    },

    /** Validates status and body of a response. */
    validateResponse({ method, path, status, body }: ContractResponse): string[] {
      const found = findOperation(method, path)
      if (!found) return [`${method} ${path}: no such operation`]
      const response = found.operation.responses[status]
      if (!response) return [`${method} ${path}: HTTP status ${status} is not described`]
      return checkBody(response, `${found.pointer.responses}/${status}`, body)
    },

    /** Validates the body of a provider's request to us, as the callbacks of an operation describe it, or the one of a name. */
    validateCallback({ method, path, body }: Omit<ContractRequest, 'query'>, callback?: string): string[] {
      const found = findOperation(method, path)
      const callbacks = Object.entries(found?.operation.callbacks ?? {}).filter(
        ([name]) => callback === undefined || name === callback,
      )
      if (!found || callbacks.length === 0) return [`${method} ${path}: no callback`]
      return callbacks.flatMap(([name, urls]) =>
        Object.entries(urls).flatMap(([url, { post }]) => {
          const pointer = `${found.pointer.operation}/callbacks/${escapePointer(name)}/${escapePointer(url)}/post`
          return checkBody(post!.requestBody, `${pointer}/requestBody`, body)
        }),
      )
    },
  }

  function findOperation(method: string, path: string) {
    const pathname = path.split('?')[0]!
    for (const { template, pattern, names } of operations) {
      const match = pattern.exec(pathname)
      const operation = match && document.paths[template]?.[method.toLowerCase()]
      if (!match || !operation) continue
      const item = `#/paths/${escapePointer(template)}`
      const pointer = `${item}/${method.toLowerCase()}`
      const shared = document.paths[template]!.parameters ?? []
      const own = operation.parameters ?? []
      return {
        operation,
        parameters: [...shared, ...own].map(parameter => resolve<Parameter>(parameter)),
        pathValues: Object.fromEntries(
          names.map((name, index) => [name, decodeURIComponent(match[index + 1]!)]),
        ),
        pointer: {
          operation: pointer,
          parameters: [
            ...shared.map((one, index) => toPointer(one, `${item}/parameters/${index}`)),
            ...own.map((one, index) => toPointer(one, `${pointer}/parameters/${index}`)),
          ],
          requestBody: `${pointer}/requestBody`,
          responses: `${pointer}/responses`,
        },
      }
    }
    return undefined
  }

  function checkBody(described: Content | undefined, pointer: string, body: unknown): string[] {
    if (!described) return body === undefined ? [] : ['has a body, which is not described']
    const { content, required } = resolve<Content>(described)
    const [type, media] = Object.entries(content ?? {}).find(([name]) => name.includes('json')) ?? []
    if (type === undefined || !media?.schema) return []
    if (body === undefined) return required === false ? [] : ['has no body']
    return check(ajv, `${toPointer(described, pointer)}/content/${escapePointer(type)}/schema`, body)
  }

  /** Checks a value by the schema at a pointer; `{ value }` is coerced first. */
  function check(validator: Ajv, pointer: string, value: unknown): string[] {
    const isCoerced = validator === coercingAjv
    const key = `${isCoerced}${pointer}`
    const reference = { $ref: `openapi${pointer}` }
    const validate =
      validators.get(key) ??
      validator.compile(isCoerced ? { type: 'object', properties: { value: reference } } : reference)
    validators.set(key, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || 'body'} ${message} ${JSON.stringify(params)}`,
    )
  }

  function resolve<T>(described: T): T {
    const reference = (described as { $ref?: string }).$ref
    if (reference === undefined) return described
    const steps = reference.slice('#/'.length).split('/').map(unescapePointer)
    return steps.reduce<unknown>((value, step) => (value as Schema)[step], document) as T
  }

  function toPointer(described: unknown, pointer: string): string {
    return (described as { $ref?: string }).$ref ?? pointer
  }
}

/** Lists the paths of a document, those without parameters first; locations of payloads are paths of another server. */
function listOperations({ paths }: Document) {
  const templates = Object.keys(paths).filter(template => !template.includes('UrlAccessToken}'))
  const listed = templates.map(template => ({
    template,
    names: [...template.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!),
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '([^/]+)')}$`),
  }))
  return listed.sort((a, b) => a.names.length - b.names.length)
}

/** Pattern of a text between slashes, which the publishers wrote as in JavaScript. */
const SLASHED_PATTERN = /^\/(.*)\/$/

/**
 * Corrects a published document so that a validator of JSON Schema reads it as it is meant; its README has the reasons. Nothing is
 * made stricter but patterns without anchors.
 */
function correctDocument(node: unknown, field = ''): unknown {
  if (Array.isArray(node)) return node.map(item => correctDocument(item))
  if (node === null || typeof node !== 'object') return node
  const corrected: Schema = {}
  for (const [key, value] of Object.entries(node)) {
    if (['example', 'examples', 'x-ibm-endpoints'].includes(key) && field !== 'properties') continue
    corrected[key] = correctDocument(value, key)
  }
  if (typeof corrected.pattern === 'string' && field !== 'properties')
    corrected.pattern = anchorPattern(corrected.pattern)
  if (corrected.nullable === true && typeof corrected.type === 'string')
    corrected.type = [corrected.type, 'null']
  // The location of a payload has no scheme by the Central Bank's own definition.
  const { location, loc } = (corrected.properties ?? {}) as Record<string, Schema | undefined>
  for (const schema of [location, loc]) if (schema?.format === 'uri') delete schema.format
  if (corrected.title === 'Pessoa Física' || corrected.title === 'Pessoa Jurídica')
    delete corrected.additionalProperties
  const { modalidade } = (corrected.properties ?? {}) as Record<string, Schema | undefined>
  if (modalidade?.type === 'string') modalidade.type = ['string', 'integer']
  if ((corrected.properties as Schema | undefined)?.descontoDataFixa)
    corrected.required = ['descontoDataFixa']
  if (Array.isArray(corrected.required)) correctRequired(corrected)
  correctRecurrence(corrected)
  return corrected
}

/** Titles of schemas of recurrences that require fields which neither they nor the document's examples have. */
const RECURRENCE_TITLES = new Set([
  'Recorrência Base',
  'Solicitação de Recorrência Base',
  'Solicitação de Recorrência Completa',
  'Dados do Pagador',
])

/** Corrects the schemas of recurrences and automatic charges of the Central Bank's document. */
function correctRecurrence(schema: Schema): void {
  const { title, required, oneOf } = schema
  const properties = (schema.properties ?? {}) as Record<string, Schema | undefined>
  if (Array.isArray(required)) {
    const names = (required as string[]).map(name => name.replace(/"$/, ''))
    const isRecurrenceLocation = 'location' in properties && !('tipoCob' in properties)
    schema.required = names.filter(
      name =>
        name in properties ||
        !(RECURRENCE_TITLES.has(String(title)) || (isRecurrenceLocation && name === 'tipo')),
    )
  }
  // An ending is a rejection or a cancellation, and each alternative requires its own.
  for (const alternative of (oneOf ?? []) as Schema[]) {
    const names = Object.keys((alternative.properties ?? {}) as Schema)
    if (names.length === 1 && ['rejeicao', 'cancelamento'].includes(names[0]!)) alternative.required = names
  }
  // The two kinds of a debtor whose name changes are the same.
  if (Array.isArray(oneOf) && new Set(oneOf.map(one => JSON.stringify({ ...one, title: '' }))).size === 1)
    schema.oneOf = oneOf.slice(0, 1)
  // The amount of the PIX of an automatic charge is a text, and not one of the objects that its alternatives are.
  const { valor } = properties
  if (valor?.type === 'string') delete valor.anyOf
}

function anchorPattern(pattern: string): string {
  const bare = SLASHED_PATTERN.exec(pattern)?.[1] ?? pattern
  return bare.startsWith('^') || !/\{\d+(,\d*)?\}/.test(bare) ? bare : `^(?:${bare})$`
}

/** Removes required fields that the document's own examples and schemas do not have. */
function correctRequired(schema: Schema): void {
  const required = schema.required as string[]
  const properties = Object.keys((schema.properties ?? {}) as Schema)
  const isReceivedPix = ['endToEndId', 'horario', 'valor'].every(name => properties.includes(name))
  const isReceivedPixList = properties.includes('pix') && properties.includes('parametros')
  const isReceiver = required.includes('logradouro') && properties.includes('recebedor')
  const isLocation = required.includes('tipoCob') && required.includes('criacao')
  schema.required = required.filter(
    name =>
      !(isReceivedPix && ['pagador', 'pix'].includes(name) && !properties.includes(name)) &&
      !(isReceivedPixList && name === 'cobs') &&
      !(isReceiver && !properties.includes(name)) &&
      !(isLocation && ['txid', 'criacao'].includes(name)),
  )
}

/** Escapes a step of a JSON pointer in a fragment (RFC 6901, sections 3 and 6). */
function escapePointer(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function unescapePointer(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
}
