import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * `npm run sdk:typescript`, from the root of the repository: writes `src/openapi/` from `openapi.json`, the types by
 * openapi-typescript and the table of operations here. With `--check` it writes nothing, and fails where the files
 * differ.
 */

type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: unknown }
type MediaTypes = Record<string, { schema: unknown; example?: unknown; examples?: unknown }>
type Operation = {
  operationId: string
  tags?: string[]
  summary?: string
  description?: string
  'x-token-scopes'?: string[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: MediaTypes }
  responses: Record<string, { headers?: unknown; content?: MediaTypes }>
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
}

const HEADER = '/** Written from openapi.json by `npm run sdk:typescript`; do not change it by hand. */\n'

const source = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8')
const document: Document = JSON.parse(source)
const files = {
  'src/openapi/types.ts': HEADER + writeTypes(keepWhatTypesNeed(structuredClone(document))),
  'src/openapi/operations.ts': HEADER + writeOperationTable(document),
  'src/openapi/descriptions.ts': HEADER + writeDescriptions(document),
  'src/openapi/error-codes.ts': HEADER + writeErrorCodes(source),
}

const isCheck = process.argv.includes('--check')
for (const [name, text] of Object.entries(files)) {
  const file = join(import.meta.dirname, name)
  if (!isCheck) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(
      `sdk/typescript/${name} is not what openapi.json describes: npm run sdk:typescript\n`,
    )
    process.exitCode = 1
  }
}

/** Removes what the client has no types for: headers, examples, and the bodies of errors, which are one type. */
function keepWhatTypesNeed(document: Document): Document {
  const operations = [document.paths, document.webhooks ?? {}].flatMap(Object.values).flatMap(Object.values)
  for (const operation of operations as Operation[]) {
    operation.parameters = operation.parameters?.filter(parameter => parameter.in !== 'header')
    for (const [status, response] of Object.entries(operation.responses)) {
      if (!status.startsWith('2')) delete operation.responses[status]
      delete response.headers
    }
    const contents = [operation.requestBody, ...Object.values(operation.responses)].map(one => one?.content)
    for (const media of contents.flatMap(content => Object.values(content ?? {}))) {
      delete media.example
      delete media.examples
    }
  }
  const { schemas } = document.components
  const needed = findReferences({ paths: document.paths, webhooks: document.webhooks }, schemas)
  document.components = {
    schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => needed.has(name))),
  }
  return document
}

/** Finds the schemas that a part of the document needs, itself or through other schemas. */
function findReferences(part: unknown, schemas: Record<string, unknown>): Set<string> {
  const found = new Set<string>()
  const pending = [part]
  for (const one of pending)
    for (const [, name = ''] of JSON.stringify(one).matchAll(/"#\/components\/schemas\/([\w.-]+)"/g)) {
      if (!found.has(name)) pending.push(schemas[name])
      found.add(name)
    }
  return found
}

/** Runs openapi-typescript as its users do; its own TypeScript is the one of this package. */
function writeTypes(document: Document): string {
  const program = join(
    dirname(createRequire(import.meta.url).resolve('openapi-typescript/package.json')),
    'bin/cli.js',
  )
  const options = ['--root-types', '--root-types-no-schema-prefix', '--default-non-nullable=false']
  return execFileSync(process.execPath, [program, ...options], {
    input: JSON.stringify(document),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
}

function writeOperationTable(document: Document): string {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const names = (place: string) =>
        (operation.parameters ?? []).filter(one => one.in === place).map(({ name }) => name)
      const [success] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? []
      const content = operation.responses[success ?? '']?.content ?? {}
      const [accept = 'application/json', media] = Object.entries(content)[0] ?? []
      const entry = {
        method: method.toUpperCase(),
        path,
        isKeyed: names('header').includes('Idempotency-Key'),
        accept,
        hasData: hasData(media?.schema),
      }
      return `  ${operation.operationId}: ${JSON.stringify(entry)},\n`
    }),
  )
  return `export const OPERATIONS = {\n${entries.join('')}} as const\n`

  /** Returns whether a body has the result in `data`. */
  function hasData(schema: unknown): boolean {
    const name = (Object(schema) as { $ref?: string }).$ref?.split('/').at(-1) ?? ''
    return 'data' in Object(Object(document.components.schemas[name]).properties)
  }
}

/** Writes what programs need that choose an operation by its name: texts, parameters, the body's JSON Schema. */
function writeDescriptions({ paths, components: { schemas } }: Document): string {
  const bodies: unknown[] = []
  const entries = Object.values(paths).flatMap(methods =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, tags, summary, description, requestBody } = operation
      const [mediaType = '', media] = Object.entries(requestBody?.content ?? {})[0] ?? []
      bodies.push(media?.schema)
      const entry = {
        tag: tags?.[0],
        summary,
        description,
        access: findAccess(method, operation),
        showsSecret: method !== 'get' && hasSecret(operation.responses, schemas),
        parameters: (operation.parameters ?? [])
          .filter(one => one.in === 'path' || one.in === 'query')
          .map(({ name, in: place, required, schema }) => ({
            name,
            in: place,
            isRequired: required ?? false,
            schema,
          })),
        body: media && {
          mediaType,
          isRequired: requestBody?.required ?? false,
          schema: media.schema,
          example: media.example,
        },
      }
      return `  ${operationId}: ${JSON.stringify(entry)},\n`
    }),
  )
  const needed = findReferences(bodies, schemas)
  const lines = Object.entries(schemas)
    .filter(([name]) => needed.has(name))
    .map(([name, schema]) => `  ${name}: ${JSON.stringify(schema)},\n`)
  return [
    "import type { OperationDescription } from '../operations.ts'\n",
    `export const DESCRIPTIONS: Record<string, OperationDescription> = {\n${entries.join('')}}\n`,
    `export const SCHEMAS: Record<string, object> = {\n${lines.join('')}}\n`,
  ].join('\n')
}

/** An operation that changes something takes the scope of tokens for it; where `read` is enough, its noun. */
function findAccess(method: string, operation: Operation): string | undefined {
  const [scope = 'read'] = operation['x-token-scopes'] ?? []
  if (method === 'get') return 'read'
  return scope === 'read' ? operation.tags?.[0] : scope
}

/** Returns whether a response of success may hold a secret of a webhook or of call-outs as a whole. */
function hasSecret(responses: Operation['responses'], schemas: Record<string, unknown>): boolean {
  const contents = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const parts = [contents, [...findReferences(contents, schemas)].map(name => schemas[name])]
  return /"(?:\w+_)?(?:token|secret)":\{/.test(JSON.stringify(parts))
}

/** Collects the codes of every error body, wherever the document describes one. */
function writeErrorCodes(source: string): string {
  const codes = new Set<string>()
  JSON.parse(source, (_, value) => {
    const { code, request_id } = Object(Object(value).properties)
    for (const name of (request_id && code?.enum) ?? []) codes.add(name)
    return value
  })
  const names = [...codes].sort().map(code => `  | '${code}'\n`)
  return `/** Codes of the API's errors. */\nexport type ErrorCode =\n${names.join('')}`
}
