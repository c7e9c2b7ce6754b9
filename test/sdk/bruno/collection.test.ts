import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

/** The collection for Bruno, read by Bruno's own parser: one request for each operation of openapi.json. */

const ROOT = join(import.meta.dirname, '../../..')
const FOLDER = join(ROOT, 'sdk/bruno/collection')

type Field = { name: string; value: string; type?: string; enabled?: boolean }
type BrunoRequest = {
  meta: { name: string }
  http: { method: string; url: string; auth: string; body: string }
  params?: Field[]
  headers?: Field[]
  body?: { json?: string; multipartForm?: Field[] }
}
type Operation = {
  operationId: string
  security?: unknown[]
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Record<string, unknown> }
}

const { bruToJsonV2, bruToEnvJsonV2, collectionBruToJson } = createRequire(import.meta.url)('@usebruno/lang')
const read = (name: string) => readFile(join(FOLDER, name), 'utf8')
const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
  await readFile(join(ROOT, 'openapi.json'), 'utf8'),
)
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
)

const requests = new Map<string, BrunoRequest>()
for (const name of await readdir(FOLDER, { recursive: true }))
  if (/\/\w+\.bru$/.test(name) && !/folder\.bru$|^environments/.test(name))
    requests.set(name.replace(/^.*\/|\.bru$/g, ''), bruToJsonV2(await read(name)))

test('is what openapi.json describes', async () => {
  await promisify(execFile)(process.execPath, [join(ROOT, 'sdk/bruno/generate.ts'), '--check'])
})

test('holds a request for each operation, with its method, path and parameters', () => {
  expect([...requests.keys()].sort()).toEqual(operations.map(({ operationId }) => operationId).sort())
  for (const { operationId, method, path, parameters = [], security } of operations) {
    const { http, params = [] } = requests.get(operationId)!
    expect(http.method).toBe(method)
    expect(http.url).toBe(`{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
    expect(http.auth).toBe(security?.length === 0 ? 'none' : 'inherit')
    const names = (place: string) => parameters.filter(one => one.in === place).map(({ name }) => name)
    expect(params.filter(({ type }) => type === 'path').map(({ name }) => name)).toEqual(names('path'))
    expect(params.filter(({ type }) => type === 'query').map(({ name }) => name)).toEqual(names('query'))
  }
})

test('every operation that takes an idempotency key sends the variable, which a second "Send" leaves as it is', async () => {
  const keyed = operations.filter(({ parameters = [] }) =>
    parameters.some(({ name }) => name === 'Idempotency-Key'),
  )
  expect(keyed.length).toBeGreaterThan(10)
  for (const { operationId } of operations) {
    const isKeyed = keyed.some(one => one.operationId === operationId)
    const header = { name: 'Idempotency-Key', value: '{{idempotencyKey}}', enabled: true }
    expect(requests.get(operationId)!.headers ?? []).toEqual(isKeyed ? [header] : [])
  }
})

test('bodies are JSON that a person can change, and a form where files are sent', () => {
  for (const { operationId, requestBody } of operations) {
    const { http, body } = requests.get(operationId)!
    const mediaType = Object.keys(requestBody?.content ?? {})[0]
    if (mediaType === undefined) expect(http.body).toBe('none')
    else if (mediaType === 'application/json') expect(JSON.parse(body!.json!)).toBeInstanceOf(Object)
    else expect(body!.multipartForm!.map(({ name }) => name)).toContain('analysis')
  }
})

test('the token is a secret of the environment, and in no file', async () => {
  expect(collectionBruToJson(await read('collection.bru')).auth).toEqual({
    mode: 'bearer',
    bearer: { token: '{{token}}' },
  })
  const { variables } = bruToEnvJsonV2(await read('environments/local.bru'))
  expect(variables).toContainEqual(expect.objectContaining({ name: 'token', value: '', secret: true }))
})
