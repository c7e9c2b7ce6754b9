import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { EfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, pollUntil, type SimulatorFixture } from './support/simulator-fixture.ts'

let simulator: SimulatorFixture
let efi: EfiClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  efi = await simulator.createShop({ balance: 10_000 })
  await efi.put('/v2/webhook/loja@trilho.test', {
    webhookUrl: `${simulator.facts.inbox_url}/faulty?hmac=secret&ignorar=`,
  })
})
afterEach(async () => {
  await simulator.control.clearFaults()
})
afterAll(() => simulator.close())

type Fault = Parameters<SimulatorFixture['control']['addFault']>[0]
const fault = (kind: Fault['fault'], operation?: Fault['operation'], more: Partial<Fault> = {}) =>
  simulator.control.addFault({
    provider: 'PROVIDER_A',
    fault: kind,
    ...(operation ? { operation } : {}),
    ...more,
  })

let count = 0
const id = () => `f${++count}`
const send = (name: string) => efi.send(name, 'maria@example.com')
const settledIs = (name: string, status: string) =>
  pollUntil(
    () => efi.findSent(name),
    response => response.body.status === status,
  )
const notificationsOf = async (name: string) =>
  (await simulator.control.listInbox('faulty')).filter(message =>
    message.body.includes(`"idEnvio":"${name}"`),
  )

test('unreachable resets the next handshakes of that provider, and closes its open connections', async () => {
  await efi.get('/v2/gn/saldo')
  await fault('unreachable', undefined, { times: 2 })
  for (let i = 0; i < 2; i++)
    await expect(efi.get('/v2/gn/saldo')).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
  expect((await efi.get('/v2/gn/saldo')).status).toBe(200)
  expect(await simulator.control.listFaults()).toEqual([])
})

test('unreachable closes a connection whose request runs as soon as it is answered', async () => {
  await fault('slow', 'balances', { delay_ms: 2_000 })
  const running = efi.get('/v2/gn/saldo')
  await pollUntil(
    () => simulator.control.listFaults(),
    faults => faults.length === 0,
  )
  await fault('unreachable', undefined, { times: 2 })
  expect((await running).status).toBe(200)
  // The client takes its connections in turn, so that one of two calls would be made by that of the answered call.
  for (let i = 0; i < 2; i++)
    await expect(efi.get('/v2/gn/saldo')).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
})

test('unreachable does not affect the other providers', async () => {
  await simulator.control.addFault({ provider: 'PROVIDER_B', fault: 'unreachable' })
  expect((await efi.get('/v2/gn/saldo')).status).toBe(200)
})

test.each([
  ['refused', 400, 'documento_bloqueado'],
  ['http_429', 429, 'balde_fichas_vazio'],
  ['http_500', 500, 'erro_aplicacao'],
] as const)('%s answers %i and does nothing', async (kind, status, nome) => {
  await fault(kind, 'sendTransfer')
  const name = id()
  const response = await send(name)
  expect([response.status, response.body.nome]).toEqual([status, nome])
  expect(response.headers['retry-after']).toBe(status === 429 ? '1' : undefined)
  expect((await efi.findSent(name)).status).toBe(404)
  expect((await send(name)).status).toBe(201)
})

test('a fault applies to its operation only, and a given number of times', async () => {
  await fault('http_500', 'findTransfer', { times: 2 })
  const name = id()
  expect((await send(name)).status).toBe(201)
  expect([(await efi.findSent(name)).status, (await efi.findSent(name)).status]).toEqual([500, 500])
  expect((await efi.findSent(name)).status).toBe(200)
})

test('timeout_then_done does not answer, and executes the call', async () => {
  await fault('timeout_then_done', 'sendTransfer', { delay_ms: 50 })
  const name = id()
  await expect(send(name)).rejects.toThrow()
  await settledIs(name, 'REALIZADO')
})

test('timeout_then_absent does not answer, and does not execute the call', async () => {
  await fault('timeout_then_absent', 'issueCharge', { delay_ms: 50 })
  const txid = 'x'.repeat(32)
  await expect(efi.createCob(txid)).rejects.toThrow()
  expect((await efi.get(`/v2/cob/${txid}`)).body.nome).toBe('cobranca_nao_encontrada')
})

test('slow answers after its delay', async () => {
  await fault('slow', 'balances', { delay_ms: 120 })
  const start = Date.now()
  expect((await efi.get('/v2/gn/saldo')).status).toBe(200)
  expect(Date.now() - start).toBeGreaterThanOrEqual(115)
})

test('accepted_then_silent stays in process, then settles without a notification', async () => {
  await fault('accepted_then_silent', 'sendTransfer', { delay_ms: 300 })
  const [name, next] = [id(), id()]
  expect((await send(name)).body.status).toBe('EM_PROCESSAMENTO')
  await send(next)
  const { solicitacao, liquidacao } = (await settledIs(name, 'REALIZADO')).body.horario
  expect(Date.parse(liquidacao) - Date.parse(solicitacao)).toBeGreaterThanOrEqual(300)
  await pollUntil(
    () => notificationsOf(next),
    messages => messages.length === 1,
  )
  expect(await notificationsOf(name)).toEqual([])
})

test('accepted_then_rejected is accepted, then rejected; a devolução likewise', async () => {
  await fault('accepted_then_rejected', 'sendTransfer')
  const name = id()
  expect((await send(name)).status).toBe(201)
  expect((await settledIs(name, 'NAO_REALIZADO')).body).not.toHaveProperty('gnExtras')
  const [notice] = await pollUntil(
    () => notificationsOf(name),
    messages => messages.length === 1,
  )
  expect(JSON.parse(notice!.body).pix[0].gnExtras.erro.codigo).toBe('AB03')

  await fault('accepted_then_rejected', 'refund')
  const { end_to_end } = await simulator.control.deposit({ account: 'shop', value: 3 })
  await efi.put(`/v2/pix/${end_to_end}/devolucao/r`, { valor: '3.00' })
  await pollUntil(
    () => efi.get(`/v2/pix/${end_to_end}/devolucao/r`),
    response => response.body.status === 'NAO_REALIZADO',
  )
})

test('a charge may be accepted and then removed, or paid without a notification', async () => {
  await fault('accepted_then_rejected', 'issueCharge')
  expect((await efi.createCob('v'.repeat(32))).status).toBe(201)
  expect((await efi.get(`/v2/cob/${'v'.repeat(32)}`)).body.status).toBe('REMOVIDA_PELO_PSP')

  await fault('accepted_then_silent', 'issueCharge')
  const { body } = await efi.createCob('w'.repeat(32))
  await simulator.control.pay({ payload: body.pixCopiaECola })
  const name = id()
  await send(name)
  await pollUntil(
    () => notificationsOf(name),
    messages => messages.length === 1,
  )
  expect(
    (await simulator.control.listInbox('faulty')).some(message => message.body.includes('w'.repeat(32))),
  ).toBe(false)
})

test('broken_body executes the call and sends an unreadable answer', async () => {
  await fault('broken_body', 'sendTransfer')
  const name = id()
  const body = { valor: '1.00', pagador: { chave: 'loja@trilho.test' }, favorecido: { chave: 'a@b.com' } }
  const response = await efi.raw('PUT', `/v3/gn/pix/${name}`, body)
  expect(response.status).toBe(201)
  expect(() => JSON.parse(response.text)).toThrow()
  await settledIs(name, 'REALIZADO')
})

test('notification_lost is never sent, notification_duplicated twice', async () => {
  await fault('notification_lost', 'sendTransfer')
  const lost = id()
  await send(lost)
  await settledIs(lost, 'REALIZADO')
  await fault('notification_duplicated', 'sendTransfer')
  const twice = id()
  await send(twice)
  await pollUntil(
    () => notificationsOf(twice),
    messages => messages.length === 2,
  )
  expect(await notificationsOf(lost)).toEqual([])
})

test('notification_reordered is sent after the next one', async () => {
  await fault('notification_reordered', 'sendTransfer', { delay_ms: 200 })
  const settledAt = async (name: string) =>
    Date.parse((await settledIs(name, 'REALIZADO')).body.horario.liquidacao)
  const toldAt = async (name: string) => {
    const [notification] = await pollUntil(
      () => notificationsOf(name),
      messages => messages.length === 1,
    )
    return Date.parse(notification!.at)
  }
  const [first, second] = [id(), id()]
  await send(first)
  const heldUntil = (await settledAt(first)) + 200
  await send(second)
  const isInTime = (await settledAt(second)) < heldUntil // Otherwise the machine stood still.
  const late = await toldAt(first)
  expect(late).toBeGreaterThanOrEqual(heldUntil)
  if (isInTime) expect(await toldAt(second)).toBeLessThanOrEqual(late)
})

test('notification_forged sends a notification without the secret about an invented PIX, besides the true one', async () => {
  await fault('notification_forged', 'issueCharge')
  const { body } = await efi.createCob('z'.repeat(32), '4.00')
  const { end_to_end } = await simulator.control.pay({ payload: body.pixCopiaECola })
  const all = await pollUntil(
    async () =>
      (await simulator.control.listInbox('faulty')).filter(message => message.body.includes('z'.repeat(32))),
    messages => messages.length === 3,
  )
  const ids = all.map(one => JSON.parse(one.body).pix[0].endToEndId)
  expect(ids.filter(one => one === end_to_end)).toHaveLength(2)
  expect(ids).toContain(`E${'0'.repeat(31)}`)
})

test('an unknown fault or operation is refused by name', async () => {
  const wrong = { provider: 'PROVIDER_A', operation: 'dance', fault: 'late' } as unknown as Fault
  await expect(simulator.control.addFault(wrong)).rejects.toMatchObject({
    status: 422,
    message: expect.stringMatching(/operation.*fault/),
  })
})

test('a fault of one account does not affect the others, and unreachable applies to no account', async () => {
  await fault('http_500', 'sendTransfer', { account: 'another' })
  expect((await send(id())).status).toBe(201)
  await fault('http_500', 'sendTransfer', { account: 'shop' })
  expect((await send(id())).status).toBe(500)
  await expect(fault('unreachable', undefined, { account: 'shop' })).rejects.toMatchObject({ status: 422 })
})
