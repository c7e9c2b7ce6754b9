import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * `npm run sdk:bruno`, from the root of the repository: writes `collection/`, a collection of the API client Bruno,
 * from `openapi.json`, by the library that Bruno itself writes its files with. With `--check` it writes nothing, and
 * fails where the files differ.
 */

type Parameter = { name: string; in: string; required?: boolean; description?: string }
type MediaType = {
  schema?: { properties?: Record<string, { type?: string }> }
  example?: unknown
  examples?: Record<string, { value?: unknown }>
}
type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, MediaType> }
}
type Document = {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
}
type BrunoLanguage = {
  jsonToBruV2: (request: object) => string
  jsonToCollectionBru: (collection: object) => string
  envJsonToBruV2: (environment: object) => string
}

const { jsonToBruV2, jsonToCollectionBru, envJsonToBruV2 }: BrunoLanguage = createRequire(import.meta.url)(
  '@usebruno/lang',
)
const folder = join(import.meta.dirname, 'collection')
const document: Document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'))

const files = new Map<string, string>([
  [
    'bruno.json',
    `${JSON.stringify({ version: '1', name: 'Trilho', type: 'collection', ignore: [] }, null, 2)}\n`,
  ],
  ['collection.bru', jsonToCollectionBru({ auth: { mode: 'bearer', bearer: { token: '{{token}}' } } })],
  [
    'environments/local.bru',
    envJsonToBruV2({
      variables: [
        { name: 'baseUrl', value: 'http://127.0.0.1:3000', enabled: true, secret: false },
        { name: 'idempotencyKey', value: 'order-1042', enabled: true, secret: false },
        { name: 'token', value: '', enabled: true, secret: true },
      ],
    }),
  ],
])
for (const [index, { name }] of document.tags.entries()) {
  const operations = listOperations(name)
  if (operations.length === 0) continue
  files.set(`${name}/folder.bru`, jsonToCollectionBru({ meta: { name, seq: index + 1 } }))
  for (const [place, operation] of operations.entries())
    files.set(`${name}/${operation.operationId}.bru`, writeRequest(operation, place + 1))
}

const isCheck = process.argv.includes('--check')
const present = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
const different = [
  ...present.filter(name => !files.has(name)),
  ...[...files]
    .filter(([name, text]) => !present.includes(name) || read(name) !== text)
    .map(([name]) => name),
]
if (isCheck && different.length > 0) {
  process.stderr.write('sdk/bruno/collection is not what openapi.json describes: npm run sdk:bruno\n')
  process.exitCode = 1
}
if (!isCheck)
  for (const name of different) {
    const text = files.get(name)
    if (text === undefined) rmSync(join(folder, name))
    else {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
  }

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

function listOperations(tag: string) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags[0] === tag)
      .map(([method, operation]) => ({ path, method, ...operation })),
  )
}

/** Writes a request. Filters are there and disabled; a body is the document's example. */
function writeRequest(
  {
    method,
    path,
    summary,
    description,
    security,
    parameters = [],
    requestBody,
  }: ReturnType<typeof listOperations>[number],
  seq: number,
): string {
  const [mediaType = '', media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const example = media?.example ?? Object.values(media?.examples ?? {})[0]?.value ?? {}
  const isForm = mediaType === 'multipart/form-data'
  const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key')
  return jsonToBruV2({
    meta: { name: summary, type: 'http', seq },
    http: {
      method,
      url: `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      body: media ? (isForm ? 'multipartForm' : 'json') : 'none',
      auth: security?.length === 0 ? 'none' : 'inherit',
    },
    params: parameters
      .filter(one => one.in === 'path' || one.in === 'query')
      .map(one => ({
        name: one.name,
        value: '',
        type: one.in,
        enabled: one.in === 'path' || one.required === true,
      })),
    // The same variable in all of them: a second "Send" repeats the operation until somebody names another one.
    headers: isKeyed ? [{ name: 'Idempotency-Key', value: '{{idempotencyKey}}', enabled: true }] : [],
    body: !media
      ? undefined
      : isForm
        ? {
            multipartForm: Object.entries(media.schema?.properties ?? {})
              .filter(([, { type }]) => type === 'string')
              .map(([name]) => ({ name, value: '', type: 'text', enabled: true })),
          }
        : { json: JSON.stringify(example, null, 2) },
    docs: description,
  })
}
