import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openSimulatorFixture, pollUntil, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'
import { createWooviClient, type WooviClient } from './support/woovi-client.ts'

let simulator: SimulatorFixture
let woovi: WooviClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  await simulator.control.putAccount('shop', {
    ...SHOP,
    keys: [...SHOP.keys],
    dialect: 'woovi',
    balance: 10_000,
  })
  woovi = createWooviClient(simulator.facts.providers.PROVIDER_A.base_url, { ca: simulator.ca, ...SHOP })
})
afterAll(async () => {
  await woovi.close()
  await simulator.close()
})

const waitForEnd = (id: string) =>
  pollUntil(
    () => woovi.get(`/payment/${id}`),
    response => response.body.payment?.status !== 'APPROVED',
  )
test('a payment waits until it is approved, and moves nothing before', async () => {
  const accountBefore = await simulator.control.findAccount('shop')
  expect((await woovi.orderPayment('wait')).body.payment).toMatchObject({ status: 'CREATED', value: 1000 })
  expect((await woovi.get('/payment/wait')).body).toEqual({
    payment: expect.objectContaining({ status: 'CREATED' }),
  })
  expect((await woovi.orderPayment('wait')).body.error).toMatch(/^Já existe um pagamento/)
  expect(await simulator.control.findAccount('shop')).toEqual(accountBefore)

  const { body } = await woovi.approvePayment('wait')
  expect(body).toMatchObject({ payment: { status: 'APPROVED' }, transaction: { value: 1000 } })
  expect((await waitForEnd('wait')).body).toMatchObject({
    payment: { status: 'CONFIRMED' },
    destination: { name: 'Favorecido de Teste', taxID: { taxID: '52998224725', type: 'BR:CPF' } },
  })
  expect((await woovi.approvePayment('wait')).body.error).toMatch(/aprovação/)
  expect((await woovi.approvePayment('nobody')).body.error).toBe('Pagamento não encontrado')
  expect((await woovi.orderPayment('wait')).status).toBe(400)
})

test('an approval without balance leaves it waiting; one that the rail refuses ends it', async () => {
  await woovi.orderPayment('poor', undefined, { value: 99_000_000 })
  expect((await woovi.approvePayment('poor')).body).toEqual({
    error: 'Você não possui saldo o suficiente para realizar esse pagamento',
  })
  await woovi.orderPayment('refused', 'ac03@sim.trilho.test')
  const failed = {
    payment: { status: 'FAILED' },
    transaction: { providerErrorCode: 'AC03', providerRejectedReason: expect.stringMatching(/^AC03 - /) },
  }
  expect((await woovi.approvePayment('refused')).body).toMatchObject(failed)
  expect((await woovi.get('/payment/refused')).body).toMatchObject(failed)
  expect((await woovi.get('/payment/poor')).body.payment.status).toBe('CREATED')
})

test('timeout-then-done@ does not answer the approval', async () => {
  await woovi.orderPayment('silent', 'timeout-then-done@sim.trilho.test')
  await expect(woovi.approvePayment('silent')).rejects.toThrow()
  expect((await waitForEnd('silent')).body.payment.status).toBe('CONFIRMED')
})

test('a key of another type than stated is refused', async () => {
  const refusal = await woovi.orderPayment('alias', '52998224725')
  expect(refusal.body).toEqual({ error: 'Chave Pix inválida' })
})

test('a payment to a key of the paying account itself fails', async () => {
  const [shopKey] = SHOP.keys
  const failed = { payment: { status: 'FAILED' }, error: { code: 'SAME_ACCOUNT_TRANSFER' } }
  expect((await woovi.orderPayment('own', shopKey, { autoApprove: true })).body).toMatchObject(failed)
  await woovi.orderPayment('own-later', shopKey)
  expect((await woovi.approvePayment('own-later')).body).toMatchObject(failed)
})
