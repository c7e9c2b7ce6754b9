import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openStage, SHOP, type Stage, until } from './support/stage.ts'
import { type WooviCaller, wooviCaller } from './support/woovi.ts'

let stage: Stage
let woovi: WooviCaller
beforeAll(async () => {
  stage = await openStage()
  await stage.control.account('shop', { ...SHOP, keys: [...SHOP.keys], dialect: 'woovi', balance: 10_000 })
  woovi = wooviCaller(stage.facts.providers.PROVIDER_A.base_url, { ca: stage.ca, ...SHOP })
})
afterAll(async () => {
  await woovi.close()
  await stage.close()
})

const ended = (id: string) =>
  until(
    () => woovi.get(`/payment/${id}`),
    said => said.body.payment?.status !== 'APPROVED',
  )
test('a payment waits until it is approved, and moves nothing before', async () => {
  const before = await stage.control.findAccount('shop')
  expect((await woovi.order('wait')).body.payment).toMatchObject({ status: 'CREATED', value: 1000 })
  expect((await woovi.get('/payment/wait')).body).toEqual({
    payment: expect.objectContaining({ status: 'CREATED' }),
  })
  expect((await woovi.order('wait')).body.error).toMatch(/^Já existe um pagamento/)
  expect(await stage.control.findAccount('shop')).toEqual(before)

  const { body } = await woovi.approve('wait')
  expect(body).toMatchObject({ payment: { status: 'APPROVED' }, transaction: { value: 1000 } })
  expect((await ended('wait')).body).toMatchObject({
    payment: { status: 'CONFIRMED' },
    destination: { name: 'Favorecido de Teste', taxID: { taxID: '52998224725', type: 'BR:CPF' } },
  })
  expect((await woovi.approve('wait')).body.error).toMatch(/aprovação/)
  expect((await woovi.approve('nobody')).body.error).toBe('Pagamento não encontrado')
  expect((await woovi.order('wait')).status).toBe(400)
})

test('an approval without balance leaves it waiting; one that the rail refuses ends it', async () => {
  await woovi.order('poor', undefined, { value: 99_000_000 })
  expect((await woovi.approve('poor')).body).toEqual({
    error: 'Você não possui saldo o suficiente para realizar esse pagamento',
  })
  await woovi.order('refused', 'ac03@sim.trilho.test')
  const failed = {
    payment: { status: 'FAILED' },
    transaction: { providerErrorCode: 'AC03', providerRejectedReason: expect.stringMatching(/^AC03 - /) },
  }
  expect((await woovi.approve('refused')).body).toMatchObject(failed)
  expect((await woovi.get('/payment/refused')).body).toMatchObject(failed)
  expect((await woovi.get('/payment/poor')).body.payment.status).toBe('CREATED')
})

test('timeout-then-done@ keeps silent at the approval', async () => {
  await woovi.order('silent', 'timeout-then-done@sim.trilho.test')
  await expect(woovi.approve('silent')).rejects.toThrow()
  expect((await ended('silent')).body.payment.status).toBe('CONFIRMED')
})

test('a key of another type than told is refused', async () => {
  const refused = await woovi.order('alias', '52998224725')
  expect(refused.body).toEqual({ error: 'Chave Pix inválida' })
})

test('a payment to a key of the paying account itself fails', async () => {
  const [own] = SHOP.keys
  const failed = { payment: { status: 'FAILED' }, error: { code: 'SAME_ACCOUNT_TRANSFER' } }
  expect((await woovi.order('own', own, { autoApprove: true })).body).toMatchObject(failed)
  await woovi.order('own-later', own)
  expect((await woovi.approve('own-later')).body).toMatchObject(failed)
})
