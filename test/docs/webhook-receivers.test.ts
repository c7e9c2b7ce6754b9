import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { waitUntil } from '../../src/startup/wait-until.ts'
import { buildSignatureHeaders, generateSigningSecret } from '../../src/webhook-client/signature.ts'
import { createTemporaryFolder } from '../support/servers.ts'
import {
  buildReceiver,
  isLanguageInstalled,
  type RunningReceiver,
  receivers,
  startReceiver,
} from './support/receivers.ts'

/** The receivers of docs/webhooks.md, unchanged, against deliveries that Trilho has signed. */

const MINUTE = 60_000
const [token, ownToken, stranger] = [
  generateSigningSecret(),
  'um token próprio, com acento',
  generateSigningSecret(),
]
const event = {
  id: 'evt_1',
  type: 'PAYMENT',
  timestamp: '2026-11-21T12:00:00.000000Z',
  data: { name: 'João ✓' },
}
const body = JSON.stringify(event)

const signed = (secrets: string[], at = Date.now()) => ({
  body,
  headers: buildSignatureHeaders({ id: event.id, at: new Date(at), body, secrets }) as Record<string, string>,
})
const without = (name: string) => {
  const { body, headers } = signed([token])
  return { body, headers: Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name)) }
}

type Delivery = { body: string; headers: Record<string, string> }
const GENUINE: [what: string, delivery: () => Delivery][] = [
  ['a delivery', () => signed([token])],
  ['one that the old secret signs too', () => signed([stranger, token])],
  ['one that the new secret signs too', () => signed([token, stranger])],
  ['one of four minutes ago', () => signed([token], Date.now() - 4 * MINUTE)],
]
const FORGED: [what: string, delivery: () => Delivery][] = [
  ['a changed body', () => ({ ...signed([token]), body: body.replace('João', 'Joao') })],
  ['a body with a blank more', () => ({ ...signed([token]), body: `${body} ` })],
  ['an old timestamp', () => signed([token], Date.now() - 6 * MINUTE)],
  ['a future timestamp', () => signed([token], Date.now() + 6 * MINUTE)],
  [
    'an old delivery with a new timestamp',
    () => ({
      body,
      headers: { ...signed([token], 0).headers, 'webhook-timestamp': `${Math.floor(Date.now() / 1000)}` },
    }),
  ],
  [
    'the id of another event',
    () => ({ body, headers: { ...signed([token]).headers, 'webhook-id': 'evt_2' } }),
  ],
  ['signatures of strangers alone', () => signed([stranger, ownToken])],
  ['no signature', () => without('webhook-signature')],
  ['no timestamp', () => without('webhook-timestamp')],
  [
    'a timestamp that is no number',
    () => ({ body, headers: { ...signed([token]).headers, 'webhook-timestamp': 'now' } }),
  ],
  [
    'an empty signature',
    () => ({ body, headers: { ...signed([token]).headers, 'webhook-signature': 'v1,' } }),
  ],
  [
    'a signature of another version',
    () => {
      const { headers } = signed([token])
      return {
        body,
        headers: { ...headers, 'webhook-signature': headers['webhook-signature']!.replace('v1', 'v2') },
      }
    },
  ],
]

test('there are receivers in three languages', () => {
  expect(receivers.map(({ name }) => name)).toEqual(['receiver.mjs', 'receiver.py', 'receiver.go'])
})

const here = new Set<string>()
for (const receiver of receivers) if (await isLanguageInstalled(receiver)) here.add(receiver.name)

describe.each(receivers.filter(({ name }) => here.has(name)))('$name', receiver => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
  let command: string[]
  let listening: RunningReceiver
  beforeAll(async () => {
    folder = await createTemporaryFolder()
    command = await buildReceiver(receiver, folder.path)
    listening = await startReceiver(command, token)
  })
  afterAll(async () => {
    await listening?.stop()
    await folder.remove()
  })

  const post = async ({ url }: RunningReceiver, delivery: Delivery) =>
    (await fetch(url, { method: 'POST', ...delivery })).status

  test.each(GENUINE)('accepts %s', async (_what, delivery) => {
    expect(await post(listening, delivery())).toBe(204)
  })

  test.each(FORGED)('refuses %s', async (_what, delivery) => {
    expect(await post(listening, delivery())).toBe(400)
  })

  test('processes accepted deliveries and no others', async () => {
    const [line, all] = ['verified: PAYMENT evt_1\n', GENUINE.length]
    const what = `Not what it took: ${listening.output()}`
    await waitUntil(() => listening.output() === line.repeat(all), {
      description: what,
      limitMs: 60_000,
      everyMs: 20,
    })
  })

  test('verifies a secret chosen by its owner', async () => {
    const own = await startReceiver(command, ownToken)
    try {
      expect(await post(own, signed([ownToken]))).toBe(204)
      expect(await post(own, signed([token]))).toBe(400)
    } finally {
      await own.stop()
    }
  })
})
