import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { EfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, pollUntil, type SimulatorFixture } from './support/simulator-fixture.ts'

let simulator: SimulatorFixture
let efi: EfiClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  efi = await simulator.createShop()
})
afterAll(() => simulator.close())

let count = 0
const charged = async (value = '12.34', more: object = {}) => {
  const { body } = await efi.createCob(`payment${String(++count).padStart(25, '0')}`, value, more)
  return { txid: body.txid as string, payload: body.pixCopiaECola as string }
}
/** The notifications of a charge that reached that inbox. */
const notificationsOf = async (inbox: string, txid: string) =>
  (await simulator.control.listInbox(inbox)).filter(message => message.body.includes(txid))
const register = (url: string) => efi.put('/v2/webhook/loja@trilho.test', { webhookUrl: url })

test('a paid charge is CONCLUIDA, its amount is credited, and its notification arrives', async () => {
  await register(`${simulator.facts.inbox_url}/paid`)
  const accountBefore = await simulator.control.findAccount('shop')
  const { txid, payload } = await charged()
  const payer = { name: 'Maria', document: '52998224725' }
  const { end_to_end } = await simulator.control.pay({ payload, payer })
  expect(end_to_end).toMatch(/^E99999004\d{12}\w{11}$/)

  const { body } = await efi.get(`/v2/cob/${txid}`)
  expect(body).toMatchObject({
    status: 'CONCLUIDA',
    pix: [{ endToEndId: end_to_end, txid, valor: '12.34' }],
  })
  expect(body.pix[0]).not.toHaveProperty('pagador')
  expect((await efi.get(`/v2/pix/${end_to_end}`)).body).toEqual(body.pix[0])
  expect((await simulator.control.findAccount('shop')).balance).toBeCloseTo(accountBefore.balance + 12.34)

  const [notification] = await pollUntil(
    () => notificationsOf('paid', txid),
    messages => messages.length === 1,
  )
  expect(notification).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } })
  expect(JSON.parse(notification!.body)).toEqual({ pix: [body.pix[0]] })
})

test('a notification shows the payer once the account’s configuration enables it', async () => {
  await register(`${simulator.facts.inbox_url}/payer`)
  const recebimento = {
    txidObrigatorio: false,
    qrCodeEstatico: { recusarTodos: false },
    webhook: { notificacao: { tarifa: false, pagador: true } },
  }
  const config = { pix: { receberSemChave: true, chaves: { 'loja@trilho.test': { recebimento } } } }
  expect((await efi.put('/v2/gn/config', config)).status).toBe(204)
  const { txid, payload } = await charged()
  await simulator.control.pay({ payload, payer: { name: 'Maria', document: '52998224725' } })
  const [notification] = await pollUntil(
    () => notificationsOf('payer', txid),
    messages => messages.length === 1,
  )
  const payer = { nome: 'Maria', cpf: '52998224725' }
  expect(JSON.parse(notification!.body).pix).toMatchObject([{ pagador: payer, gnExtras: { pagador: payer } }])
  await efi.put('/v2/gn/config', { pix: { receberSemChave: true } })
})

test('an address that ends in ?ignorar= is called unchanged', async () => {
  await register(`${simulator.facts.inbox_url}/alone?hmac=abc&ignorar=`)
  const { txid, payload } = await charged()
  await simulator.control.pay({ payload })
  await pollUntil(
    () => notificationsOf('alone', txid),
    messages => messages.length === 1,
  )
})

test('a notification is repeated until it is answered 2xx, and listed even where it was refused', async () => {
  await register(`${simulator.facts.inbox_url}/stubborn?ignorar=`)
  await simulator.control.setInboxResponse('stubborn', { status: 500 })
  const { txid, payload } = await charged()
  await simulator.control.pay({ payload })
  await pollUntil(
    () => notificationsOf('stubborn', txid),
    messages => messages.length >= 2,
  )
  await simulator.control.setInboxResponse('stubborn', { status: 200 })
  await pollUntil(
    () => notificationsOf('stubborn', txid),
    messages => messages.length >= 3,
  )
  expect(new Set((await notificationsOf('stubborn', txid)).map(one => one.body)).size).toBe(1)
})

test('a charge is paid once, and not after its time', async () => {
  const { payload } = await charged()
  const all = await Promise.allSettled([1, 2, 3, 4].map(() => simulator.control.pay({ payload })))
  expect(all.filter(one => one.status === 'fulfilled')).toHaveLength(1)

  const late = await charged('1.00', { calendario: { expiracao: 60 } })
  simulator.advanceClock(61)
  await expect(simulator.control.pay({ payload: late.payload })).rejects.toMatchObject({
    status: 409,
    message: 'not payable: expired',
  })
  expect((await efi.get(`/v2/cob/${late.txid}`)).body.status).toBe('ATIVA')
})

test('payments that a bank would refuse can be forced: late, repeated, removed, of another amount', async () => {
  const { txid, payload } = await charged('10.00')
  const pixOf = async () => (await efi.get(`/v2/cob/${txid}`)).body
  await simulator.control.pay({ payload, value: 9.99 })
  expect(await pixOf()).toMatchObject({ status: 'ATIVA', pix: [{ valor: '9.99' }] })
  await efi.call('PATCH', `/v2/cob/${txid}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' })
  await expect(simulator.control.pay({ payload })).rejects.toMatchObject({ status: 409 })
  await simulator.control.pay({ payload, force: true })
  await simulator.control.pay({ payload, force: true })
  expect((await pixOf()).pix.map((pix: { valor: string }) => pix.valor)).toEqual(['9.99', '10.00', '10.00'])
})

test('a deposit has no txid, a foreign payment has a foreign one; both are notified and listed', async () => {
  await register(`${simulator.facts.inbox_url}/deposits?ignorar=`)
  const since = new Date(Date.now() - 1000).toISOString()
  // Without a txid a PIX is notified only where the account's configuration says so.
  await simulator.control.deposit({ provider: 'PROVIDER_A', value: 1 })
  expect((await efi.call('PUT', '/v2/gn/config', withoutTxid(true))).status).toBe(204)
  expect((await efi.get('/v2/gn/config')).body).toEqual(withoutTxid(true))
  const own = await simulator.control.deposit({ provider: 'PROVIDER_A', value: 50 })
  const foreign = await simulator.control.deposit({ key: 'loja@trilho.test', value: 7.5, txid: 'alheio' })
  const received = await pollUntil(
    () => simulator.control.listInbox('deposits'),
    messages => messages.length === 2,
  )
  const items = received.map(one => JSON.parse(one.body).pix[0])
  expect(items.map(item => [item.endToEndId, item.txid]).toSorted()).toEqual(
    [
      [own.end_to_end, undefined],
      [foreign.end_to_end, 'alheio'],
    ].toSorted(),
  )
  const listed = (query: string) => efi.get(`/v2/pix?inicio=${since}&fim=2099-01-01T00:00:00Z${query}`)
  const withTxid = (await listed('&txid=alheio')).body.pix
  expect(withTxid).toMatchObject([{ endToEndId: foreign.end_to_end, valor: '7.50' }])
  const without = (await listed('&txIdPresente=false')).body.pix
  expect(without.at(-1)).toMatchObject({ endToEndId: own.end_to_end })
})

const withoutTxid = (pixSemTxid: boolean) => ({
  pix: {
    receberSemChave: true,
    chaves: {
      'loja@trilho.test': {
        recebimento: {
          txidObrigatorio: false,
          qrCodeEstatico: { recusarTodos: false },
          webhook: { notificar: { pixSemTxid } },
        },
      },
    },
  },
})

test('webhooks are listed and removed; plain http is allowed to this machine only', async () => {
  expect((await register('http://example.com.br/x')).body.nome).toBe('valor_invalido')
  expect((await register('http://127.0.0.1:3000/provider-notifications/x')).status).toBe(201)
  const response = await efi.get('/v2/webhook/loja@trilho.test')
  expect(response.body).toMatchObject({
    webhookUrl: 'http://127.0.0.1:3000/provider-notifications/x',
    chave: 'loja@trilho.test',
  })
  expect((await efi.call('DELETE', '/v2/webhook/loja@trilho.test')).status).toBe(204)
  expect((await efi.get('/v2/webhook/loja@trilho.test')).status).toBe(404)
})

test('with magic amounts a charge of at most ten reais is paid automatically', async () => {
  const magic = await simulator.createShop({ amount_magic: true })
  await magic.createCob('m'.repeat(32), '10.00')
  await magic.createCob('n'.repeat(32), '10.01')
  await pollUntil(
    () => magic.get(`/v2/cob/${'m'.repeat(32)}`),
    response => response.body.status === 'CONCLUIDA',
  )
  expect((await magic.get(`/v2/cob/${'n'.repeat(32)}`)).body.status).toBe('ATIVA')
})

test('an unresponsive receiver delays no other receiver', async () => {
  await simulator.control.setInboxResponse('hanging', { delay_ms: 600_000 })
  await register(`${simulator.facts.inbox_url}/hanging?ignorar=`)
  await Promise.all(
    Array.from({ length: 140 }, () => simulator.control.deposit({ account: 'shop', value: 0.01 })),
  )
  await efi.send('past', 'maria@example.com', '1.00')
  await pollUntil(
    () => efi.findSent('past'),
    response => response.body.status === 'REALIZADO',
  )
})
