import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import { Trilho, TrilhoError, verifyWebhook } from '../../sdk/typescript/src/index.ts'
import { installPackage, readExamples, run, writeProgram } from '../sdk/typescript/support/package.ts'
import { createTemporaryFolder } from '../support/servers.ts'
import { pollUntil } from './support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack } from './support/test-stack.ts'

/** The TypeScript SDK against a running Trilho: the story of the README, and what a lost response does. */

let stack: TestStack
let merchant: Merchant
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
beforeAll(async () => {
  ;[stack, folder] = await Promise.all([openSharedTestStack(), createTemporaryFolder()])
  merchant = await stack.createMerchant({ providers: [{ balance: 100 }] })
})
afterAll(async () => {
  await stack.close()
  await folder.remove()
})

const createClient = (fetch?: typeof globalThis.fetch) =>
  new Trilho({
    token: merchant.token,
    baseUrl: stack.local.api_url,
    retries: { baseDelayMs: 20 },
    ...(fetch && { fetch }),
  })

async function waitForMessages(inbox: string, type: string) {
  const messages = await pollUntil(
    () => stack.simulator.listInbox(inbox),
    all => all.some(({ body }) => body.includes(`"type":"${type}"`)),
  )
  return messages.filter(({ body }) => body.includes(`"type":"${type}"`))
}

test('a charge is created, paid, announced, refunded and listed; a transfer is sent', async () => {
  const trilho = createClient()
  const inbox = `sdk-${merchant.uuid}`
  const { token, uuid: webhook } = await trilho.webhooks.create({ url: `${stack.local.inbox_url}/${inbox}` })
  const charge = await trilho.payments.create({ value: 150.75, type: 'PIX', external_ref: 'story' })
  expect(await trilho.payments.getQrSvg(charge.uuid)).toMatch(/^<svg/)
  const png = await trilho.payments.getQrPng(charge.uuid)
  expect(new TextDecoder('latin1').decode(png.subarray(1, 4))).toBe('PNG')

  await stack.simulator.pay({ payload: charge.payment.payload })
  const [paid] = await waitForMessages(inbox, 'PAYMENT')
  const event = await verifyWebhook(paid!.body, paid!.headers, token)
  if (event.type !== 'PAYMENT') throw new Error(`A PAYMENT was expected, not ${event.type}`)
  expect(event.data).toMatchObject({ uuid: charge.uuid, status: 'PAID', value: 150.75 })
  expect(await trilho.events.get(event.id)).toEqual(event)
  await expect(verifyWebhook(paid!.body, paid!.headers, 'another secret')).rejects.toThrow(/No signature/)

  const refund = await trilho.payments.refund(charge.uuid, { value: 50 })
  expect(refund).toMatchObject({ uuid: charge.uuid, refund: { value: 50 } })
  const transfer = await trilho.transfers.create({ value: 12.5, type: 'PIX', pix_key: 'joana@example.com' })
  await pollUntil(
    () => trilho.transfers.get(transfer.uuid),
    ({ status }) => status === 'PAID',
  )
  await pollUntil(
    () => trilho.payments.get(charge.uuid),
    ({ status }) => status === 'PARTIALLY_REFUNDED',
  )

  const charges = []
  for await (const one of trilho.payments.listAll({ status: ['PAID', 'PARTIALLY_REFUNDED'], per_page: 1 }))
    charges.push(one.uuid)
  expect(charges).toContain(charge.uuid)
  const lines = []
  for await (const line of trilho.ledger.listAll({ per_page: 1 })) lines.push(line)
  expect(lines.length).toBeGreaterThanOrEqual(3)
  expect(
    (await trilho.webhooks.listDeliveries(webhook, { status: 'DELIVERED' })).data.length,
  ).toBeGreaterThan(0)
  await trilho.webhooks.delete(webhook)
})

test('a create whose response is lost is repeated, and is one charge', async () => {
  let calls = 0
  const trilho = createClient(async (input, init) => {
    const response = await fetch(input, init)
    if (++calls > 2) return response
    await response.arrayBuffer()
    throw new TypeError('the connection broke')
  })
  const charge = await trilho.payments.create({ value: 3, type: 'PIX', external_ref: 'lost' })
  expect(calls).toBe(3)
  const { data } = await trilho.payments.list({ external_ref: 'lost' })
  expect(data.map(({ uuid }) => uuid)).toEqual([charge.uuid])
})

test('an error has the fields of the API', async () => {
  const failure = await createClient()
    .transfers.create({ value: 1, type: 'PIX', pix_key: 'no key' })
    .catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(TrilhoError)
  expect(failure).toMatchObject({
    code: 'validation_failed',
    status: 422,
    isOutcomeUnknown: false,
    attempts: 1,
    errors: { pix_key: expect.any(Array) },
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
})

test('the examples of its README run', async () => {
  await installPackage(folder.path)
  const { receiver, parts } = await readExamples()
  const inbox = `sdk-readme-${merchant.uuid}`
  const trilho = createClient()
  const { token } = await trilho.webhooks.create({ url: `${stack.local.inbox_url}/${inbox}` })
  const [start, ...others] = parts
  const environment = { TRILHO_TOKEN: merchant.token, TRILHO_BASE_URL: stack.local.api_url }
  const execute = async (name: string, text: string) => {
    const program = await writeProgram(folder.path, name, text)
    const { stdout } = await run(process.execPath, [program], { env: environment })
    return stdout
  }
  // A program of the first two blocks, and one of all: the key of the order makes both the same charge.
  const payload = (await execute('charge.ts', `${start}\n${others[0]}`)).replace(/^pay |\n$/g, '')
  await stack.simulator.pay({ payload })
  const [paid] = await waitForMessages(inbox, 'PAYMENT')
  expect((await execute('all.ts', parts.join('\n'))).split('\n')).toEqual([
    `pay ${payload}`,
    'refund 50',
    'transfer PROCESSING',
    // The refund may have settled.
    expect.stringMatching(/^charge 150.75 (PROCESSING|PARTIALLY_REFUNDED)$/),
    'failed provider_rejected false',
    expect.stringMatching(/^read (PROCESSING|PARTIALLY_REFUNDED)$/),
    '',
  ])

  const { port, release } = await reserveFreePort()
  const listening = spawn(process.execPath, [await writeProgram(folder.path, 'receiver.ts', receiver)], {
    env: { PORT: String(port), WEBHOOK_TOKEN: token },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  listening.stdout.on('data', chunk => (output += chunk))
  try {
    const { body, headers: received } = paid!
    const headers = { ...received, 'content-length': undefined, host: undefined, connection: undefined }
    const post = async (sent: string) => {
      const init = { method: 'POST', body: sent, headers: JSON.parse(JSON.stringify(headers)) }
      return (await fetch(`http://127.0.0.1:${port}`, init).catch(() => undefined))?.status
    }
    await pollUntil(
      () => post(body),
      status => status === 204,
    )
    expect(await post(`${body} `)).toBe(400)
    expect(output).toBe('verified: PAID 150.75\n')
  } finally {
    listening.kill()
    await once(listening, 'close')
    release()
  }
})
