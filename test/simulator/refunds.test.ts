import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createEfiClient, type EfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, pollUntil, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'

let simulator: SimulatorFixture
let efi: EfiClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  efi = await simulator.createShop({ balance: 0, options: { unpublished_fields: true } })
  await efi.put('/v2/webhook/loja@trilho.test', { webhookUrl: `${simulator.facts.inbox_url}/back?ignorar=` })
})
afterAll(() => simulator.close())

const received = async (value: number) =>
  (await simulator.control.deposit({ account: 'shop', value })).end_to_end
const refund = (endToEnd: string, id: string, valor: string, descricao?: string) =>
  efi.put(`/v2/pix/${endToEnd}/devolucao/${id}`, { valor, descricao })
const settled = (endToEnd: string, id: string) =>
  pollUntil(
    () => efi.get(`/v2/pix/${endToEnd}/devolucao/${id}`),
    response => response.body.status !== 'EM_PROCESSAMENTO',
  )

test('a devolução is accepted, settles, and is notified with its PIX', async () => {
  const endToEnd = await received(30)
  const accepted = await refund(endToEnd, 'back1', '12.50', 'Pedido 1042')
  expect(accepted.status).toBe(201)
  expect(accepted.body).toMatchObject({ id: 'back1', valor: '12.50', status: 'EM_PROCESSAMENTO' })
  expect(accepted.body.rtrId).toMatch(/^D09089356\d{12}\w{11}$/)

  const { body } = await settled(endToEnd, 'back1')
  expect(body).toMatchObject({
    status: 'DEVOLVIDO',
    descricao: 'Pedido 1042',
    horario: { liquidacao: expect.any(String) },
  })
  expect((await efi.get(`/v2/pix/${endToEnd}`)).body.devolucoes).toEqual([body])
  const notifications = await pollUntil(
    () => simulator.control.listInbox('back'),
    all => all.some(one => one.body.includes('back1')),
  )
  const receivedPix = notifications
    .map(notification => JSON.parse(notification.body).pix[0])
    .find(pix => pix.devolucoes)
  expect(receivedPix).toMatchObject({
    endToEndId: endToEnd,
    devolucoes: [{ id: 'back1', status: 'DEVOLVIDO' }],
  })
})

test('devoluções never exceed the PIX, however many there are', async () => {
  const endToEnd = await received(10)
  const all = await Promise.all(['a', 'b', 'c'].map(id => refund(endToEnd, id, '4.00')))
  expect(all.map(one => one.status).sort()).toEqual([201, 201, 400])
  expect(all.find(one => one.status === 400)!.body.type).toMatch(/PixDevolucaoInvalida$/)
  expect((await refund(endToEnd, 'd', '2.00')).status).toBe(201)
})

test('an id is used once, and only for a received PIX', async () => {
  const endToEnd = await received(10)
  await refund(endToEnd, 'same', '1.00')
  expect((await refund(endToEnd, 'same', '1.00')).body.nome).toBe('devolucao_id_duplicado')
  expect((await refund(`E${'9'.repeat(31)}`, 'x', '1.00')).body.nome).toBe('pix_nao_encontrado')
  expect((await efi.get(`/v2/pix/${endToEnd}/devolucao/none`)).body.nome).toBe('devolucao_nao_encontrada')
})

test('without balance it is accepted and then rejected, as at Efí', async () => {
  const endToEnd = await received(20)
  const { balance } = await simulator.control.findAccount('shop')
  await efi.send('empty', 'maria@example.com', balance.toFixed(2))
  await refund(endToEnd, 'poor', '20.00')
  expect((await settled(endToEnd, 'poor')).body).toMatchObject({
    status: 'NAO_REALIZADO',
    motivo: 'Saldo insuficiente para realizar a devolução.',
  })
  expect((await simulator.control.findAccount('shop')).balance).toBe(0)
})

test('rejected_then_done rejects a devolução with a notification, and carries it out later without one', async () => {
  const endToEnd = await received(20)
  const failing = (delay_ms: number) =>
    simulator.control.addFault({
      provider: 'PROVIDER_A',
      operation: 'refund',
      fault: 'rejected_then_done',
      delay_ms,
    })
  await failing(500)
  await refund(endToEnd, 'contradicted', '20.00')
  expect((await settled(endToEnd, 'contradicted')).body.status).toBe('NAO_REALIZADO')
  await pollUntil(
    () => efi.get(`/v2/pix/${endToEnd}/devolucao/contradicted`),
    response => response.body.status === 'DEVOLVIDO',
  )
  const notifications = (await simulator.control.listInbox('back')).map(message => message.body)
  expect(notifications.filter(body => body.includes('contradicted'))).toEqual([
    expect.stringContaining('NAO_REALIZADO'),
  ])
  const lines = await simulator.control.listStatement()
  expect(lines.filter(line => line.id === 'contradicted')).toMatchObject([{ kind: 'refund', value: 20 }])

  // Another devolução took the PIX meanwhile. What is due is done in the order of its time.
  const other = await received(20)
  await failing(60_000)
  await refund(other, 'replaced', '20.00')
  await settled(other, 'replaced')
  await refund(other, 'replacement', '20.00')
  await settled(other, 'replacement')
  simulator.advanceClock(60)
  const last = await received(1)
  await refund(last, 'last', '1.00')
  await settled(last, 'last')
  expect((await efi.get(`/v2/pix/${other}/devolucao/replaced`)).body.status).toBe('NAO_REALIZADO')
})

test('after ninety days it is refused as too late', async () => {
  const endToEnd = await received(1)
  simulator.advanceClock(90 * 86_400 + 1)
  await efi.authorize()
  const late = await refund(endToEnd, 'late', '1.00')
  expect([late.status, late.body.violacoes[0].propriedade]).toEqual([400, 'pix.devolucao.e2eid'])
})

test('a return by a simulated recipient reaches the sender', async () => {
  const settings = { ...SHOP, provider: 'PROVIDER_C' as const, keys: ['remetente@trilho.test'], balance: 50 }
  const sender = await simulator.control.putAccount('sender', settings)
  expect(sender.balance).toBe(50)
  const caller = createEfiClient(simulator.facts.providers.PROVIDER_C.base_url, { ca: simulator.ca, ...SHOP })
  const { body } = await caller.put('/v3/gn/pix/gift', {
    valor: '5.00',
    pagador: { chave: 'remetente@trilho.test' },
    favorecido: { chave: 'loja@trilho.test' },
  })
  await pollUntil(
    () => efi.get(`/v2/pix/${body.e2eId}`),
    response => response.status === 200,
  )
  await refund(body.e2eId, 'thanks', '5.00')
  const { balance } = await pollUntil(
    () => simulator.control.findAccount('sender'),
    one => one.balance === 50,
  )
  expect(balance).toBe(50)
  await caller.close()
})

test('statement and balances add up', async () => {
  for (const id of ['shop', 'sender']) {
    const { balance, held } = await pollUntil(
      () => simulator.control.findAccount(id),
      one => one.held === 0,
    )
    const lines = (await simulator.control.listStatement()).filter(line => line.account === id)
    const signed = lines.map(line => Math.round(line.value * 100) * (OUT.has(line.kind) ? -1 : 1))
    const opening = id === 'sender' ? 5_000 : 0
    expect(signed.reduce((sum, cents) => sum + cents, opening)).toBe(Math.round((balance + held) * 100))
  }
})
const OUT = new Set(['transfer', 'refund'])
