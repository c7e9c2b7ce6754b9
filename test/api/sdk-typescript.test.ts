import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import { Trilho } from '../../sdk/typescript/src/index.ts'
import { installPackage, readExamples, run, writeProgram } from '../sdk/typescript/support/package.ts'
import { createTemporaryFolder } from '../support/servers.ts'
import { pollUntil } from './support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack } from './support/test-stack.ts'

/** The programs of the TypeScript SDK's README against a running Trilho. */

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

async function waitForMessages(inbox: string, type: string) {
  const messages = await pollUntil(
    () => stack.simulator.listInbox(inbox),
    all => all.some(({ body }) => body.includes(`"type":"${type}"`)),
  )
  return messages.filter(({ body }) => body.includes(`"type":"${type}"`))
}

test('the examples of its README run', async () => {
  await installPackage(folder.path)
  const { receiver, parts } = await readExamples()
  const inbox = `sdk-readme-${merchant.uuid}`
  const trilho = new Trilho({ token: merchant.token, baseUrl: stack.local.api_url })
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
