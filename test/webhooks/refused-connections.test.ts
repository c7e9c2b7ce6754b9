import { expect, test } from '@jest/globals'
import { createAddressPolicy } from '../../src/webhook-client/address-policy.ts'
import { findUnusedPort, waitUntilHolds } from './support/merchant-server.ts'
import { openWebhookClientFixture } from './support/webhook-client-fixture.ts'

test.each([
  ['no process listens', async () => `https://hooks.test:${await findUnusedPort()}/`, 'ECONNREFUSED'],
  [
    'the certificate is another’s',
    async (port: number) => `https://other.test:${port}/`,
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ],
  ['it is not https', async (port: number) => `http://hooks.test:${port}/`, 'Only https is supported'],
])('no connection is made where %s', async (_, url, message) => {
  const { dialer, port, seen } = await openWebhookClientFixture((_, response) => response.end())
  const tried = await dialer.postSigned({ url: await url(port), body: '{}', headers: {} })
  expect(tried).toMatchObject({ kind: 'no_connection', message })
  expect(seen.requests).toEqual([])
})

test('no connection is made where the certificate is untrusted, or the name no longer resolves', async () => {
  const untrusted = await openWebhookClientFixture((_, response) => response.end(), { ca: undefined })
  expect(await untrusted.post()).toMatchObject({
    kind: 'no_connection',
    message: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  })
  const gone = await openWebhookClientFixture((_, response) => response.end(), { resolve: async () => [] })
  expect(await gone.post()).toMatchObject({ kind: 'no_connection', message: 'The host has no address' })
})

test('a name that changes to a private address between two attempts is refused', async () => {
  const answers = [['127.0.0.1'], ['127.0.0.1', '127.0.0.2'], ['10.0.0.1'], ['127.0.0.1']]
  // A kept connection would need no look-up.
  const close = { connection: 'close' }
  const { post, seen } = await openWebhookClientFixture(
    (_, response) => response.writeHead(200, close).end(),
    {
      policy: ip => ip === '127.0.0.1', // Represents the public address.
      resolve: async () => answers.shift() ?? [],
    },
  )
  const kinds = []
  for (const _ of [1, 2, 3, 4]) kinds.push((await post()).kind)
  expect(kinds).toEqual(['answered', 'refused_address', 'refused_address', 'answered'])
  expect(seen.connections).toBe(2)
})

test.each([['127.0.0.1'], ['2130706433'], ['0x7f.1'], ['[::1]'], ['[::ffff:127.0.0.1]'], ['localhost']])(
  'the host %s, which needs no lookup, is refused all the same',
  async host => {
    const { dialer, port, seen } = await openWebhookClientFixture((_, response) => response.end(), {
      policy: createAddressPolicy({ canReachLoopback: false }),
      resolve: undefined,
    })
    const tried = await dialer.postSigned({ url: `https://${host}:${port}/`, body: '{}', headers: {} })
    expect(tried).toMatchObject({ kind: 'refused_address' })
    expect(seen.connections).toBe(0)
  },
)

test('a literal address that is allowed is called, and its certificate checked', async () => {
  const { dialer, port } = await openWebhookClientFixture((_, response) => response.end('here'))
  const tried = await dialer.postSigned({ url: `https://127.0.0.1:${port}/`, body: '{}', headers: {} })
  expect(tried).toMatchObject({ kind: 'answered', answer: 'here' })
})

test('an attempt given up during its name lookup is never sent', async () => {
  const { post, seen } = await openWebhookClientFixture((_, response) => response.end(), {
    timeoutMs: 100,
    resolve: () => new Promise(resolve => setTimeout(resolve, 300, ['127.0.0.1'])),
  })
  expect(await post()).toMatchObject({ kind: 'timeout' })
  await waitUntilHolds(() => seen.connections === 1)
  await new Promise(resolve => setTimeout(resolve, 200))
  expect(seen.requests).toEqual([])
})

test('an invalid URL, or a call after closing, throws', async () => {
  const { dialer, post } = await openWebhookClientFixture((_, response) => response.end())
  await expect(dialer.postSigned({ url: 'hooks', body: '', headers: {} })).rejects.toThrow()
  await expect(post({ headers: { 'bad header': 'x' } })).rejects.toThrow()
  await dialer.close()
  await expect(post()).rejects.toThrow()
})
