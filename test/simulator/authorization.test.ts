import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createEfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'

let simulator: SimulatorFixture
beforeAll(async () => {
  simulator = await openSimulatorFixture()
})
afterAll(() => simulator.close())

test('credentials are exchanged for an hour of access', async () => {
  const efi = await simulator.createShop()
  const { status, body } = await efi.authorize()
  expect(status).toBe(200)
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 })
  expect((await efi.get('/v2/gn/saldo')).status).toBe(200)

  simulator.advanceClock(3601)
  expect((await efi.get('/v2/gn/saldo')).body.error).toBe('invalid_token')
})

test('wrong credentials, and those of another provider, are refused', async () => {
  const efi = await simulator.createShop()
  expect((await efi.authorize('shop-id:wrong')).body.error).toBe('invalid_client')
  const elsewhere = createEfiClient(simulator.facts.providers.PROVIDER_B.base_url, {
    ca: simulator.ca,
    ...SHOP,
  })
  expect((await elsewhere.authorize()).status).toBe(401)
  await elsewhere.close()
})

test('a changed secret ends the tokens issued under the old one', async () => {
  const efi = await simulator.createShop()
  await efi.authorize()
  await simulator.control.putAccount('shop', { ...SHOP, keys: [...SHOP.keys], client_secret: 'rotated' })
  expect((await efi.get('/v2/gn/saldo')).status).toBe(401)
})

test('an account may require a certificate of the local authority', async () => {
  const without = await simulator.createShop({ requires_certificate: true })
  expect((await without.authorize()).status).toBe(403)
  const certificate = await simulator.control.issueCertificate('shop')
  const withOne = createEfiClient(simulator.facts.providers.PROVIDER_A.base_url, {
    ca: simulator.ca,
    ...SHOP,
    certificate,
  })
  expect((await withOne.authorize()).status).toBe(200)
  expect((await withOne.get('/v2/gn/saldo')).body).toEqual({ saldo: '100.00' })
  await withOne.close()
})

test('the certificate covers the fixed host names of the official SDKs', async () => {
  const { connect } = await import('node:tls')
  const port = Number(new URL(simulator.facts.providers.PROVIDER_A.base_url).port)
  for (const servername of ['pix.api.efipay.com.br', 'api.woovi.com', 'localhost']) {
    const socket = connect({ host: '127.0.0.1', port, servername, ca: simulator.ca })
    await new Promise((done, fail) => socket.once('secureConnect', () => done(null)).once('error', fail))
    expect(socket.authorized).toBe(true)
    socket.destroy()
  }
})

test('the control API refuses an invalid request, naming its fields', async () => {
  const wrong = { ...SHOP, keys: [...SHOP.keys], balance: 1.005, ispb: '1' }
  await expect(simulator.control.putAccount('shop', wrong)).rejects.toMatchObject({
    status: 422,
    message: expect.stringMatching(/ispb.*balance/),
  })
  await simulator.createShop()
  const thief = { ...SHOP, keys: [...SHOP.keys], client_id: 'thief' }
  await expect(simulator.control.putAccount('thief', thief)).rejects.toMatchObject({ status: 409 })
})
