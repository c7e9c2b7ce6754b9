import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { EfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, pollUntil, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'

let simulator: SimulatorFixture
let efi: EfiClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  efi = await simulator.createShop({ balance: 0, options: { unpublished_fields: true } })
  await efi.put('/v2/webhook/loja@trilho.test', { webhookUrl: `${simulator.facts.inbox_url}/efi?ignorar=` })
})
afterEach(() => simulator.control.clearFaults())
afterAll(() => simulator.close())

const shop = () => simulator.control.findAccount('shop')
const received = async (value: number) =>
  (await simulator.control.deposit({ account: 'shop', value })).end_to_end
const disputed = async (value: number, more: object = {}) => {
  const endToEnd = await received(value)
  return {
    endToEnd,
    ...(await simulator.control.openDispute({ end_to_end: endToEnd, type: 'SCAM', ...more })),
  }
}
const listed = async (id: string, caller = efi) => {
  const { body } = await caller.get('/v2/gn/infracoes?inicio=2020-01-01T00:00:00Z&fim=2099-01-01T00:00:00Z')
  return body.infracoes.find((one: { idInfracao: string }) => one.idInfracao === id)
}
const defend = (id: string) =>
  efi.call('POST', `/v2/gn/infracoes/${id}/defesa`, { analise: 'rejeitado', justificativa: 'Entregue.' })
const returned = (endToEnd: string) =>
  pollUntil(
    () => efi.get(`/v2/pix/${endToEnd}`),
    ({ body }) => body.devolucoes?.every((one: { status: string }) => one.status !== 'EM_PROCESSAMENTO'),
  )

test('a dispute blocks the available amount, is listed, and when accepted is returned by the provider itself', async () => {
  const accountBefore = await shop()
  const { id, endToEnd } = await disputed(30, { value: 20, due_at: '2099-01-01T12:00:00Z' })
  expect(await shop()).toMatchObject({ balance: accountBefore.balance + 10, blocked: 20, held: 0 })
  const { body: saldo } = await efi.get('/v2/gn/saldo?bloqueios=true')
  expect(saldo.bloqueios).toEqual({ judicial: '0.00', med: '20.00', total: '20.00' })
  expect(await listed(id)).toMatchObject({
    endToEndId: endToEnd,
    valor: 20,
    chave: 'loja@trilho.test',
    status: 'ABERTA',
    tipoSituacao: 'golpe',
    dadosAnalise: { prazoFinalizacao: '2099-01-01T12:00:00.000Z' },
    destino: { nome: SHOP.holder.name },
  })

  await simulator.control.decideDispute(id, 'agreed')
  expect(await listed(id)).toMatchObject({
    status: 'ACEITA',
    dadosAnalise: { finalizacao: expect.any(String) },
  })
  const { body } = await returned(endToEnd)
  expect(body.devolucoes).toMatchObject([
    {
      natureza: 'MED_FRAUDE',
      valor: '20.00',
      status: 'DEVOLVIDO',
      rtrId: expect.stringMatching(/^D09089356/),
    },
  ])
  expect(await shop()).toMatchObject({ balance: accountBefore.balance + 10, blocked: 0, held: 0 })
  const line = (await simulator.control.listStatement()).find(one => one.original_end_to_end === endToEnd)
  expect(line).toMatchObject({ id: null, kind: 'refund', value: 20, end_to_end: body.devolucoes[0].rtrId })
  const notification = await pollUntil(
    () => simulator.control.listInbox('efi'),
    all => all.some(one => one.body.includes('MED_FRAUDE')),
  )
  // Efí notifies of the return with its PIX; it has no notification of a dispute itself.
  expect(notification.filter(one => one.body.includes(id))).toEqual([])
})

test.each(['disagreed', 'cancelled'] as const)('%s, the amount is released', async decision => {
  const accountBefore = await shop()
  const { id } = await disputed(5)
  await simulator.control.decideDispute(id, decision)
  expect(await shop()).toMatchObject({ balance: accountBefore.balance + 5, blocked: 0 })
  expect((await listed(id)).status).toBe(decision === 'cancelled' ? 'CANCELADA_EFI' : 'REJEITADA')
  await expect(simulator.control.decideDispute(id, 'agreed')).rejects.toMatchObject({ status: 409 })
})

test('a return is limited to the available amount, and that of the rest is not executed', async () => {
  const endToEnd = await received(40)
  const { balance } = await shop()
  await efi.send('spent', 'maria@example.com', (balance - 15).toFixed(2))
  const { id } = await simulator.control.openDispute({ end_to_end: endToEnd, type: 'COERCION_CRIME' })
  expect(await shop()).toMatchObject({ balance: 0, blocked: 15 })
  await simulator.control.decideDispute(id, 'agreed')
  expect((await returned(endToEnd)).body.devolucoes).toMatchObject([
    { valor: '15.00', status: 'DEVOLVIDO' },
    { natureza: 'MED_FRAUDE', valor: '25.00', status: 'NAO_REALIZADO' },
  ])

  const another = await received(8)
  await efi.send('spentToo', 'maria@example.com', '8.00')
  const { id: poor } = await simulator.control.openDispute({ end_to_end: another, type: 'UNDEFINED' })
  await simulator.control.decideDispute(poor, 'agreed')
  expect((await returned(another)).body.devolucoes).toMatchObject([
    {
      natureza: 'MED_FRAUDE',
      valor: '8.00',
      status: 'NAO_REALIZADO',
      motivo: expect.stringMatching(/Saldo/),
    },
  ])
})

test('an amount that was refunded before is not returned again', async () => {
  const { id, endToEnd } = await disputed(20)
  await received(20)
  await efi.put(`/v2/pix/${endToEnd}/devolucao/ours`, { valor: '12.00' })
  await simulator.control.decideDispute(id, 'agreed')
  expect((await returned(endToEnd)).body.devolucoes).toMatchObject([
    { natureza: 'ORIGINAL', valor: '12.00' },
    { natureza: 'MED_FRAUDE', valor: '8.00', status: 'DEVOLVIDO' },
    { natureza: 'MED_FRAUDE', valor: '12.00', status: 'NAO_REALIZADO' },
  ])
})

test('a defence is accepted once, before its deadline, for an existing dispute', async () => {
  const { id } = await disputed(3)
  expect((await efi.call('POST', `/v2/gn/infracoes/${id}/defesa`, { analise: 'talvez' })).status).toBe(400)
  const acceptance = { analise: 'aceito', justificativa: 'x' }
  expect((await efi.call('POST', `/v2/gn/infracoes/${id}/defesa`, acceptance)).status).toBe(400)
  expect((await defend(id)).status).toBe(201)
  expect(await listed(id)).toMatchObject({
    status: 'EM_DEFESA',
    defesa: 'Entregue.',
    dadosAnalise: { recebimentoDefesa: expect.any(String) },
  })
  const repeat = await defend(id)
  expect([repeat.status, repeat.body.violacoes[0].razao]).toEqual([
    409,
    'A defesa para essa infração já foi criada.',
  ])
  expect((await simulator.control.findDispute(id))[0]).toMatchObject({
    status: 'replied',
    replies: [{ accept: false, text: 'Entregue.' }],
  })

  const { id: late } = await disputed(3, { due_at: new Date(Date.now() - 1).toISOString() })
  expect((await defend(late)).body.violacoes[0].razao).toBe('O prazo para defesa foi excedido.')
  const absent = await defend('8ad75c93-6150-422c-929e-822f361c7a6b')
  expect([absent.status, absent.body.type]).toEqual([404, expect.stringMatching(/InfracaoNaoEncontrada$/)])
})

test('a transfer of ours is disputed, and returned', async () => {
  await received(20)
  const unsettled = {
    provider: 'PROVIDER_A',
    operation: 'sendTransfer',
    fault: 'accepted_then_silent',
  } as const
  await simulator.control.addFault({ ...unsettled, delay_ms: 60_000 })
  const { body: onItsWay } = await efi.send('unsettled', 'maria@example.com', '10.00')
  const contest = (endToEnd: string) =>
    simulator.control.openDispute({ end_to_end: endToEnd, type: 'UNAUTHORIZED_ACCESS' })
  await expect(contest(onItsWay.e2eId)).rejects.toMatchObject({ status: 404 })

  const { body } = await efi.send('contested', 'maria@example.com', '10.00')
  await pollUntil(
    () => efi.findSent('contested'),
    response => response.body.status === 'REALIZADO',
  )
  const { id } = await contest(body.e2eId)
  expect(await listed(id)).toMatchObject({
    origem: { nome: SHOP.holder.name },
    tipoSituacao: 'acesso fraudulento',
  })
  expect((await defend(id)).status).toBe(404)
  const accountBefore = await shop()
  await simulator.control.decideDispute(id, 'agreed')
  expect((await efi.findSent('contested')).body.devolucoes).toMatchObject([
    { natureza: 'MED_FRAUDE', valor: '10.00' },
  ])
  expect((await shop()).balance).toBe(accountBefore.balance + 10)
})

test('two simulated accounts both see their dispute, and the amount moves from one to the other', async () => {
  const neighbour = { ...SHOP, provider: 'PROVIDER_C' as const, keys: ['vizinha@trilho.test'], balance: 0 }
  await simulator.control.putAccount('neighbour', neighbour)
  await received(7)
  const { body } = await efi.send('toNeighbour', 'vizinha@trilho.test', '7.00')
  await pollUntil(
    () => simulator.control.findAccount('neighbour'),
    ({ balance }) => balance === 7,
  )
  const { id } = await simulator.control.openDispute({ end_to_end: body.e2eId, type: 'SCAM' })
  expect((await simulator.control.findDispute(id)).map(({ account, side }) => [account, side])).toEqual([
    ['neighbour', 'received'],
    ['shop', 'requested'],
  ])
  const accountBefore = await shop()
  await simulator.control.decideDispute(id, 'agreed')
  await pollUntil(shop, ({ balance }) => balance === accountBefore.balance + 7)
  expect(await simulator.control.findAccount('neighbour')).toMatchObject({ balance: 0, blocked: 0, held: 0 })
})

test('a payment of an account to itself is disputed as a received one', async () => {
  await received(3)
  const { body } = await efi.send('toItself', 'loja@trilho.test', '3.00')
  await pollUntil(
    () => efi.findSent('toItself'),
    response => response.body.status === 'REALIZADO',
  )
  const { id } = await simulator.control.openDispute({ end_to_end: body.e2eId, type: 'SCAM' })
  expect((await simulator.control.findDispute(id)).map(({ account, side }) => [account, side])).toEqual([
    ['shop', 'received'],
  ])
  await simulator.control.decideDispute(id, 'cancelled')
})

test.each([
  ['an unknown PIX', async () => ({ end_to_end: `E${'0'.repeat(31)}` }), 404],
  ['more than the PIX', async () => ({ end_to_end: await received(1), value: 1.01 }), 409],
  ['a PIX a second time', async () => ({ end_to_end: (await disputed(1)).endToEnd }), 409],
  ['an unknown type', async () => ({ end_to_end: await received(1), type: 'REGRET' }), 422],
])('%s is not disputed', async (_name, order, status) => {
  await expect(
    simulator.control.openDispute({ type: 'SCAM', ...(await order()) } as never),
  ).rejects.toMatchObject({
    status,
  })
})

test.each(['MED_FRAUDE', 'MED_OPERACIONAL'] as const)(
  'the returns of a dispute have its nature: %s',
  async nature => {
    const { id, endToEnd } = await disputed(30)
    await simulator.control.decideDispute(id, 'agreed', nature)
    const { body } = await returned(endToEnd)
    expect(body.devolucoes).toMatchObject([{ natureza: nature, status: 'DEVOLVIDO' }])
  },
)

test.each(['RETIRADA', 'MED_FRAUDE'])(
  'a receiver cannot order a devolução of a common PIX as %s',
  async natureza => {
    const { endToEnd } = await disputed(30)
    const answer = await efi.put(`/v2/pix/${endToEnd}/devolucao/d1`, { valor: '1.00', natureza })
    expect(answer.status).toBe(400)
  },
)

test('faults apply to dispute calls', async () => {
  const { id } = await disputed(2)
  await simulator.control.addFault({
    provider: 'PROVIDER_A',
    operation: 'replyToDispute',
    fault: 'timeout_then_done',
  })
  await expect(defend(id)).rejects.toThrow()
  expect((await listed(id)).status).toBe('EM_DEFESA')
  await simulator.control.addFault({ provider: 'PROVIDER_A', operation: 'listDisputes', fault: 'refused' })
  const refusal = await efi.get('/v2/gn/infracoes?inicio=2020-01-01T00:00:00Z&fim=2099-01-01T00:00:00Z')
  expect([refusal.status, refusal.body.error]).toEqual([403, 'insufficient_scope'])
  expect((await efi.get('/v2/gn/infracoes?inicio=hoje')).body.type).toMatch(/InfracoesConsultaInvalida$/)
})

test('a dispute, its block and its reply survive a restart', async () => {
  const { id, endToEnd } = await disputed(9)
  await defend(id)
  const { blocked } = await shop()
  await simulator.stop()
  simulator = await openSimulatorFixture({ home: simulator.home })
  efi = await simulator.createShop({ balance: 0 })
  expect((await shop()).blocked).toBe(blocked)
  expect((await simulator.control.findDispute(id))[0]).toMatchObject({ replies: [{ accept: false }] })
  await simulator.control.decideDispute(id, 'agreed')
  expect((await returned(endToEnd)).body.devolucoes).toMatchObject([{ valor: '9.00', status: 'DEVOLVIDO' }])
})
