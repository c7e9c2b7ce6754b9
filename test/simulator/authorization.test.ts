import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { efiCaller } from './support/efi.ts'
import { openStage, SHOP, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('credentials are exchanged for an hour of access', async () => {
  const efi = await stage.shop()
  const { status, body } = await efi.authorize()
  expect(status).toBe(200)
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 })
  expect((await efi.get('/v2/gn/saldo')).status).toBe(200)

  stage.passTime(3601)
  expect((await efi.get('/v2/gn/saldo')).body.error).toBe('invalid_token')
})

test('wrong credentials, and those of another provider, are refused', async () => {
  const efi = await stage.shop()
  expect((await efi.authorize('shop-id:wrong')).body.error).toBe('invalid_client')
  const elsewhere = efiCaller(stage.facts.providers.PROVIDER_B.base_url, { ca: stage.ca, ...SHOP })
  expect((await elsewhere.authorize()).status).toBe(401)
  await elsewhere.close()
})

test('a changed secret ends the tokens issued under the old one', async () => {
  const efi = await stage.shop()
  await efi.authorize()
  await stage.control.account('shop', { ...SHOP, keys: [...SHOP.keys], client_secret: 'rotated' })
  expect((await efi.get('/v2/gn/saldo')).status).toBe(401)
})

test('an account may require a certificate of the local authority', async () => {
  const without = await stage.shop({ requires_certificate: true })
  expect((await without.authorize()).status).toBe(403)
  const certificate = await stage.control.certificate('shop')
  const withOne = efiCaller(stage.facts.providers.PROVIDER_A.base_url, { ca: stage.ca, ...SHOP, certificate })
  expect((await withOne.authorize()).status).toBe(200)
  expect((await withOne.get('/v2/gn/saldo')).body).toEqual({ saldo: '100.00' })
  await withOne.close()
})

test('the certificate serves the fixed host names of the official SDKs', async () => {
  const { connect } = await import('node:tls')
  const port = Number(new URL(stage.facts.providers.PROVIDER_A.base_url).port)
  for (const servername of ['pix.api.efipay.com.br', 'api.woovi.com', 'localhost']) {
    const socket = connect({ host: '127.0.0.1', port, servername, ca: stage.ca })
    await new Promise((done, fail) => socket.once('secureConnect', () => done(null)).once('error', fail))
    expect(socket.authorized).toBe(true)
    socket.destroy()
  }
})

test('control refuses what does not fit, naming the fields', async () => {
  const wrong = { ...SHOP, keys: [...SHOP.keys], balance: 1.005, ispb: '1' }
  await expect(stage.control.account('shop', wrong)).rejects.toMatchObject({
    status: 422,
    message: expect.stringMatching(/ispb.*balance/),
  })
  await stage.shop()
  const thief = { ...SHOP, keys: [...SHOP.keys], client_id: 'thief' }
  await expect(stage.control.account('thief', thief)).rejects.toMatchObject({ status: 409 })
})
