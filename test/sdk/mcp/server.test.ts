import { cp, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { type Access, listOfferedOperations } from '../../../sdk/typescript/src/operations.ts'
import { createTemporaryFolder } from '../../support/servers.ts'
import { startScriptedApi } from '../support/scripted-api.ts'
import { installPackage, run } from '../typescript/support/package.ts'

/** The MCP server as it would be installed, called by a client of MCP over stdio, before a scripted API. */

const ROOT = join(import.meta.dirname, '../../..')
const TOKEN = 'trl_test_tokenOfTheTestThatNobodyMaySee'
const UUID = '6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21'
const TRANSFER = { value: 12.5, type: 'PIX', pix_key: 'joana@example.com' }
const ALLOWED = 'charges,refunds,transfers,webhooks,reports'

let api: Awaited<ReturnType<typeof startScriptedApi>>
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
let program: string
beforeAll(async () => {
  api = await startScriptedApi()
  folder = await createTemporaryFolder()
  await installPackage(folder.path)
  const modules = join(folder.path, 'node_modules')
  await mkdir(join(modules, '@trilho/mcp'))
  await cp(join(ROOT, 'sdk/mcp/package.json'), join(modules, '@trilho/mcp/package.json'))
  await run(process.execPath, [join(ROOT, 'sdk/mcp/build.ts'), join(modules, '@trilho/mcp/dist')])
  await symlink(join(ROOT, 'node_modules/@modelcontextprotocol'), join(modules, '@modelcontextprotocol'))
  program = join(modules, '@trilho/mcp/dist/main.js')
})
afterAll(async () => {
  await api?.close()
  await folder?.remove()
})

const open: Client[] = []
let printed = ''
afterEach(async () => {
  for (const client of open.splice(0)) await client.close()
  expect(printed).toBe('')
})

async function connect(allow?: string): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, ...(allow === undefined ? [] : ['--allow', allow])],
    env: { TRILHO_BASE_URL: api.url, TRILHO_TOKEN: TOKEN },
    stderr: 'pipe',
  })
  printed = ''
  transport.stderr?.on('data', (chunk: Buffer) => {
    printed += chunk
  })
  const client = new Client({ name: 'test', version: '1' })
  open.push(client)
  await client.connect(transport)
  return client
}

/** Calls a tool, and returns what it says; its text has never the token. */
async function call(client: Client, name: string, values: Record<string, unknown>) {
  const { isError, content } = await client.callTool({ name, arguments: values })
  const [part] = content as { type: string; text: string; data: string; mimeType: string }[]
  expect(JSON.stringify(content)).not.toContain(TOKEN)
  return { isError: isError ?? false, ...part! }
}

describe('tools', () => {
  test('without an option they are the operations that read', async () => {
    const { tools } = await (await connect()).listTools()
    expect(tools.map(({ name }) => name)).toEqual(listOfferedOperations().map(({ id }) => id))
    expect(tools.length).toBeGreaterThan(50)
    for (const { name, annotations } of tools) {
      expect(annotations?.readOnlyHint).toBe(true)
      expect(name).toMatch(/^(get|list|check|export|download)/)
    }
  })

  test('with the option they are those that it allows too, but none that shows a secret or sends a file', async () => {
    const { tools } = await (await connect(ALLOWED)).listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(listOfferedOperations(ALLOWED.split(',') as Access[]).map(({ id }) => id))
    expect(names).toEqual(expect.arrayContaining(['createTransfer', 'refundPayment', 'createPayment']))
    for (const name of [
      'createWebhook',
      'rotateWebhookToken',
      'replaceLimits',
      'rotateCalloutToken',
      'replyToMed',
    ])
      expect(names).not.toContain(name)
    const some = await (await connect('charges')).listTools()
    expect(some.tools.map(({ name }) => name)).toContain('createPayment')
    expect(some.tools.map(({ name }) => name)).not.toContain('createTransfer')
  })

  test('one that moves money wants a key and a body', async () => {
    const { tools } = await (await connect('refunds')).listTools()
    const refund = tools.find(({ name }) => name === 'refundPayment')!
    expect(refund.inputSchema.required).toEqual(['uuid', 'body', 'idempotency_key'])
    expect(refund.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
    })
    // A schema stands alone: whatever it refers to is in it.
    for (const { inputSchema } of tools)
      for (const [, name] of JSON.stringify(inputSchema).matchAll(/"#\/([^"]+)"/g))
        expect(name!.split('/').reduce((part: unknown, key) => Object(part)[key], inputSchema)).toBeDefined()
  })
})

test('a server that may only read refuses money, and sends nothing', async () => {
  api.answer({ status: 201, json: { data: {} } })
  const { isError, text } = await call(await connect(), 'createTransfer', {
    body: TRANSFER,
    idempotency_key: 'payout-77',
  })
  expect([isError, text]).toEqual([true, expect.stringContaining('not allowed')])
  expect(api.requests).toEqual([])
})

test('reads with filters and path, and returns texts and images', async () => {
  const client = await connect()
  api.answer({ status: 200, json: { data: [{ uuid: UUID }], meta: { total: 1 } } })
  const listed = await call(client, 'listPayments', { status: ['PAID'], per_page: 5 })
  expect(JSON.parse(listed.text)).toEqual({ data: [{ uuid: UUID }], meta: { total: 1 } })
  expect(api.requests[0]).toMatchObject({ method: 'GET', url: '/api/v1/payments?per_page=5&status=PAID' })
  expect(api.requests[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
  api.answer({ status: 200, text: 'png', headers: { 'content-type': 'image/png' } })
  const image = await call(client, 'getPaymentQrPng', { uuid: UUID })
  expect(image).toMatchObject({ type: 'image', mimeType: 'image/png', data: 'cG5n' })
  expect(api.requests[0]?.url).toBe(`/api/v1/payments/${UUID}/qr.png`)
})

describe('money', () => {
  test('is sent with the key, which the answer shows', async () => {
    api.answer({ status: 201, json: { data: { uuid: UUID, status: 'PROCESSING' } } })
    const { isError, text } = await call(await connect('transfers'), 'createTransfer', {
      body: TRANSFER,
      idempotency_key: 'payout-77',
    })
    expect(isError).toBe(false)
    expect(JSON.parse(text)).toEqual({
      idempotency_key: 'payout-77',
      result: { uuid: UUID, status: 'PROCESSING' },
    })
    expect(api.requests[0]?.headers['idempotency-key']).toBe('payout-77')
    expect(JSON.parse(api.requests[0]!.body)).toEqual(TRANSFER)
  })

  test.each([
    ['no key', { body: TRANSFER }],
    ['an empty key', { body: TRANSFER, idempotency_key: '' }],
    ['no body', { idempotency_key: 'payout-77' }],
    ['a field that there is not', { body: { ...TRANSFER, valeu: 1 }, idempotency_key: 'payout-77' }],
    ['an argument that there is not', { body: TRANSFER, value: 1, idempotency_key: 'payout-77' }],
    ['another type', { body: { ...TRANSFER, value: '12.50' }, idempotency_key: 'payout-77' }],
  ])('is not sent with %s', async (_what, values) => {
    api.answer({ status: 201, json: { data: {} } })
    const { isError, text } = await call(await connect('transfers'), 'createTransfer', values)
    expect([isError, text]).toEqual([true, expect.stringContaining('Nothing was sent')])
    expect(api.requests).toEqual([])
  })

  test('whose answer is lost is unknown, and is repeated with its key alone', async () => {
    const client = await connect('transfers')
    const values = { body: TRANSFER, idempotency_key: 'payout-78' }
    api.answer(response => response.destroy())
    const lost = await call(client, 'createTransfer', values)
    expect(lost.isError).toBe(true)
    expect(JSON.parse(lost.text)).toMatchObject({
      outcome: 'UNKNOWN',
      idempotency_key: 'payout-78',
      code: 'connection_failed',
    })
    expect(new Set(api.requests.map(({ headers }) => headers['idempotency-key']))).toEqual(
      new Set(['payout-78']),
    )

    api.answer({ status: 201, json: { data: { uuid: UUID } } })
    const other = await call(client, 'createTransfer', {
      idempotency_key: 'payout-79',
      body: { pix_key: TRANSFER.pix_key, type: TRANSFER.type, value: TRANSFER.value },
    })
    expect(other.isError).toBe(true)
    expect(JSON.parse(other.text)).toMatchObject({ idempotency_key: 'payout-78' })
    expect(api.requests).toEqual([])

    // An answer that is not of the operation says nothing of it.
    api.answer({ status: 401, json: { message: 'no', code: 'unauthenticated' } })
    expect(JSON.parse((await call(client, 'createTransfer', values)).text).outcome).toBe('UNKNOWN')

    api.answer({ status: 201, json: { data: { uuid: UUID } }, headers: { 'idempotent-replayed': 'true' } })
    expect(JSON.parse((await call(client, 'createTransfer', values)).text).result).toEqual({ uuid: UUID })
    const next = await call(client, 'createTransfer', { ...values, idempotency_key: 'payout-79' })
    expect(next.isError).toBe(false)
  })

  test('that the API refuses has its code, and the refusals of its fields', async () => {
    api.answer({
      status: 422,
      json: { message: `no ${TOKEN}`, code: 'validation_failed', errors: { value: ['too much'] } },
    })
    const { isError, text } = await call(await connect('transfers'), 'createTransfer', {
      body: TRANSFER,
      idempotency_key: 'payout-80',
    })
    expect(isError).toBe(true)
    expect(JSON.parse(text)).toMatchObject({
      outcome: 'FAILED',
      code: 'validation_failed',
      errors: { value: ['too much'] },
      idempotency_key: 'payout-80',
    })
  })

  test('without a key of its own is sent once, and unknown where its answer is lost', async () => {
    api.answer(response => response.destroy())
    const { text } = await call(await connect('transfers'), 'approveTransfer', { uuid: UUID })
    expect(JSON.parse(text)).toMatchObject({ outcome: 'UNKNOWN' })
    expect(api.requests).toHaveLength(1)
  })
})

test.each([
  ['no token', [], {}],
  ['an access that there is not', ['--allow', 'money'], { TRILHO_TOKEN: TOKEN }],
  ['an option that there is not', ['--all'], { TRILHO_TOKEN: TOKEN }],
])('does not start with %s', async (_what, args, env) => {
  printed = ''
  const error = await run(process.execPath, [program, ...args], {
    env: { TRILHO_BASE_URL: api.url, ...env },
  }).catch(error => error)
  expect(error).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('trilho-mcp: ') })
  expect(error.stderr).not.toContain(TOKEN)
})
