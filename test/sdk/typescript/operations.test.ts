import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Trilho, VERSION } from '../../../sdk/typescript/src/index.ts'
import { startScriptedApi } from '../support/scripted-api.ts'

/** What the methods for TypeScript have alone; test/sdk/conformance sends every operation. */

const ROOT = join(import.meta.dirname, '../../..')
const UUID = '6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21'

let api: Awaited<ReturnType<typeof startScriptedApi>>
let trilho: Trilho
beforeAll(async () => {
  api = await startScriptedApi()
  trilho = new Trilho({ token: 'trl_test', baseUrl: `${api.url}/api/v1/` })
})
afterAll(() => api?.close())

test('the generated files are what openapi.json describes: npm run sdk:typescript', async () => {
  const { stderr } = await promisify(execFile)(process.execPath, [
    join(ROOT, 'sdk/typescript/generate.ts'),
    '--check',
  ]).catch((error: { stderr: string }) => error)
  expect(stderr).toBe('')
})

test('a receipt as a PDF is bytes, in the language of the query', async () => {
  api.answer({ status: 200, json: {}, headers: { 'content-type': 'application/pdf' } })
  const pdf = await trilho.transfers.getReceiptPdf(UUID, { language: 'en' })
  expect([ArrayBuffer.isView(pdf), new TextDecoder().decode(pdf)]).toEqual([true, '{}'])
  expect(api.requests[0]).toMatchObject({
    url: `/api/v1/transfers/${UUID}/receipt.pdf?language=en`,
    headers: {
      accept: 'application/pdf, application/json',
      'user-agent': `trilho-sdk-typescript/${VERSION}`,
    },
  })
})

test('a refund whose value is undefined is not sent: JSON would omit it, and everything would be refunded', async () => {
  const body: { value?: number } = {}
  Reflect.set(body, 'value', undefined)
  api.answer({ status: 200, json: { data: {} } })
  await expect(trilho.payments.refund(UUID, body)).rejects.toThrow(TypeError)
  expect(api.requests).toEqual([])
})

test('an iterator reads no further than it is consumed', async () => {
  api.answer({ status: 200, json: { data: [1, 2], meta: { per_page: 100, next_cursor: 'second' } } })
  for await (const item of trilho.providers.listAll()) if (Number(item) === 2) break
  expect(api.requests).toHaveLength(1)
})

test('a page is read by its number, or by cursor; one value of a filter is written alone', async () => {
  api.answer({ status: 200, json: { data: [], meta: { per_page: 2, next_cursor: 'second' } } })
  const { meta } = await trilho.payments.list({ cursor: '', per_page: 2 })
  const query = { cursor: meta.next_cursor ?? '', status: 'PAID', date_from: undefined } as const
  const next = await trilho.payments.list(query)
  expect(next.meta satisfies { next_cursor: string | null }).toMatchObject({ per_page: 2 })
  await trilho.payments.listRefunds(UUID, { cursor: 'third' })
  const numbered = await trilho.webhooks.listDeliveries(UUID, { page: 2 })
  expect(numbered.meta satisfies { total: number }).toBeDefined()
  expect(api.requests.map(({ url }) => url.split('?')[1])).toEqual([
    'cursor=&per_page=2',
    'cursor=second&status=PAID',
    'cursor=third',
    'page=2',
  ])
})

test('the version is that of the project and of the API', async () => {
  const readVersion = async (file: string) => JSON.parse(await readFile(join(ROOT, file), 'utf8')).version
  expect(VERSION).toBe(await readVersion('package.json'))
  expect(VERSION).toBe(await readVersion('sdk/typescript/package.json'))
})
