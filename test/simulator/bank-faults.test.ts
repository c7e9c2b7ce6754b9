import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { BankClient } from './support/bank-client.ts'
import { BANK_KEYS, BANKS, createBankCaller, putBankAccount } from './support/banks.ts'
import { openSimulatorFixture, pollUntil, type SimulatorFixture } from './support/simulator-fixture.ts'

type Fault = Parameters<SimulatorFixture['control']['addFault']>[0]
type Operation = NonNullable<Fault['operation']>

/** The faults of the control API at the banks over the Central Bank's API, on every operation that each has. */
describe.each(['sicoob', 'inter'] as const)('%s', bank => {
  const { provider, pix } = BANKS[bank]
  const key = BANK_KEYS[bank]
  let simulator: SimulatorFixture
  let client: BankClient
  beforeAll(async () => {
    simulator = await openSimulatorFixture()
    await putBankAccount(simulator, bank, { balance: 100_000, options: { enforces_pace: false } })
    client = await createBankCaller(simulator, bank)
  })
  afterEach(() => simulator.control.clearFaults())
  afterAll(async () => {
    await client.close()
    await simulator.close()
  })

  const fault = (kind: Fault['fault'], operation: Operation, more: Partial<Fault> = {}) =>
    simulator.control.addFault({ provider, fault: kind, operation, ...more })
  let count = 0
  const txid = () => `fault${String(++count).padStart(26, '0')}`
  const cob = { calendario: { expiracao: 3600 }, valor: { original: '10.00' }, chave: key }
  const period = 'inicio=2020-01-01T00:00:00Z&fim=2099-01-01T00:00:00Z'
  const payCharge = async () => {
    const { body } = await client.put(`${pix}/cob/${txid()}`, cob)
    return await simulator.control.pay({ payload: body.pixCopiaECola ?? body.brcode })
  }

  type Transfer = { id: string; reference: string }
  const transfers: Record<
    'sicoob' | 'inter',
    {
      prepare(): Promise<Transfer>
      send(one: Transfer): [string, string, object, Record<string, string>]
      look(one: Transfer): string
      settled: string
    }
  > = {
    sicoob: {
      prepare: async () => {
        const { body } = await client.post('/pix-pagamentos/v2/pagamentos', { chave: 'maria@example.com' })
        return { id: body.endToEndId, reference: body.endToEndId }
      },
      send: ({ id }) => [
        'POST',
        '/pix-pagamentos/v2/pagamentos/confirmacao',
        { endToEndId: id, valor: '5,00', meioIniciacao: 'CHAVE' },
        {},
      ],
      look: ({ reference }) => `/pix-pagamentos/v2/pagamentos/${reference}`,
      settled: 'FINALIZADO',
    },
    inter: {
      prepare: async () => ({ id: randomUUID(), reference: '' }),
      send: ({ id }) => [
        'POST',
        '/banking/v2/pix',
        { valor: 5, destinatario: { tipo: 'CHAVE', chave: 'maria@example.com' } },
        { 'x-id-idempotente': id },
      ],
      look: ({ reference }) => `/banking/v2/pix/${reference}`,
      settled: 'PAGO',
    },
  }
  const { prepare, send, look, settled } = transfers[bank]
  /** Sends a transfer, and finds its reference by a repeat where only the answer has it. */
  const sendRaw = (transfer: Transfer) => client.raw(...send(transfer))
  const findReference = async (transfer: Transfer) => {
    if (transfer.reference !== '') return transfer
    const { text } = await sendRaw(transfer)
    return { ...transfer, reference: JSON.parse(text).codigoSolicitacao as string }
  }
  const statusOf = async (transfer: Transfer): Promise<string> => {
    const { body } = await client.get(look(transfer))
    return body.estado ?? body.transacaoPix?.status
  }
  const settles = async (transfer: Transfer) =>
    pollUntil(
      () => statusOf(transfer),
      status => status === settled,
    )
  const sentCount = async () =>
    (await simulator.control.listStatement(provider)).filter(({ kind }) => kind === 'transfer').length

  const CALLS: Partial<Record<Operation, () => Promise<[string, string, unknown?]>>> = {
    issueCharge: async () => ['PUT', `${pix}/cob/${txid()}`, cob],
    findCharge: async () => ['GET', `${pix}/cob/${txid()}`],
    cancelCharge: async () => ['PATCH', `${pix}/cob/${txid()}`, {}],
    findPayment: async () => ['GET', `${pix}/pix/${'E'.repeat(32)}`],
    refund: async () => [
      'PUT',
      `${pix}/pix/${(await payCharge()).end_to_end}/devolucao/x`,
      { valor: '1.00' },
    ],
    findRefund: async () => ['GET', `${pix}/pix/${'E'.repeat(32)}/devolucao/x`],
    registerNotificationUrl: async () => ['GET', `${pix}/webhook/${key}`],
    findTransfer: async () => ['GET', look({ id: '', reference: randomUUID() })],
    sendTransfer: async () => {
      const [method, path, body] = send(await prepare())
      return [method, path, body]
    },
    ...(bank === 'sicoob'
      ? {
          prepareTransfer: async () => [
            'POST',
            '/pix-pagamentos/v2/pagamentos',
            { chave: 'maria@example.com' },
          ],
          balances: async () => ['GET', '/conta-corrente/v4/saldo'],
          statement: async () => ['GET', '/conta-corrente/v4/extrato/1/2026?numeroContaCorrente=13525622'],
        }
      : {
          balances: async () => ['GET', '/banking/v2/saldo'],
          statement: async () => [
            'GET',
            '/banking/v2/extrato/completo?dataInicio=2026-01-01&dataFim=2026-01-02',
          ],
        }),
  }

  test.each(Object.keys(CALLS) as Operation[])(
    'http_500, http_429 and undocumented answers of %s',
    async operation => {
      const [method, path, body] = await CALLS[operation]!()
      const before = client.violations.length
      for (const [kind, status] of [
        ['http_500', 500],
        ['http_429', 429],
      ] as const) {
        await fault(kind, operation)
        expect((await client.call(method, path, body)).status).toBe(status)
      }
      expect(client.violations.slice(before)).toEqual([])
      await fault('unlisted_refusal', operation, { status: 418, body: '<p>teapot</p>' })
      expect(await client.raw(method, path, body)).toMatchObject({ status: 418, text: '<p>teapot</p>' })
      await fault('unlisted_refusal', operation, { times: 9 })
      const answers = []
      for (let i = 0; i < 9; i++) answers.push(await client.raw(method, path, body))
      expect(answers.every(({ status }) => status >= 400 && status < 500)).toBe(true)
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(9)
    },
  )

  test.each(Object.keys(CALLS) as Operation[])('a refused %s is answered as documented', async operation => {
    const before = client.violations.length
    await fault('refused', operation)
    const [method, path, body] = await CALLS[operation]!()
    const response = await client.call(method, path, body)
    expect([400, 403, 422]).toContain(response.status)
    const isDescribed = !client.undescribed.has(`${method} ${response.status}`)
    expect([operation, isDescribed]).toEqual([operation, true])
    expect(client.violations.slice(before)).toEqual([])
  })

  test.each([
    ['done_then_unlisted_refusal', 1],
    ['unlisted_refusal', 0],
    ['unknown_route', 0],
    ['http_500', 0],
  ] as const)('a transfer under %s moves money %i times', async (kind, times) => {
    const before = await sentCount()
    const transfer = await prepare()
    await fault(kind, 'sendTransfer')
    expect((await sendRaw(transfer)).status).toBeGreaterThanOrEqual(400)
    if (times === 1) await settles(await findReference(transfer))
    expect(await sentCount()).toBe(before + times)
  })

  test('a transfer is silent, or rejected later, and its look-ups say so', async () => {
    await fault('accepted_then_silent', 'sendTransfer', { delay_ms: 200 })
    const silent = await prepare()
    expect((await sendRaw(silent)).status).toBe(200)
    const found = await findReference(silent)
    expect(await statusOf(found)).not.toBe(settled)
    await settles(found)
    await fault('accepted_then_rejected', 'sendTransfer')
    const rejected = await prepare()
    await sendRaw(rejected)
    const reference = await findReference(rejected)
    await pollUntil(
      () => statusOf(reference),
      status => ['FALHA', 'NÃO_REALIZADO'].includes(status),
    )
  })

  test('broken_body carries a transfer out and answers unreadably', async () => {
    await fault('broken_body', 'sendTransfer')
    const transfer = await prepare()
    const { text } = await sendRaw(transfer)
    expect(() => JSON.parse(text)).toThrow()
    await settles(await findReference(transfer))
  })

  test('books_lag hides a transfer and a received PIX from look-ups, and shows them later', async () => {
    await fault('books_lag', 'sendTransfer', { delay_ms: 60_000 })
    const transfer = await prepare()
    await sendRaw(transfer)
    const found = await findReference(transfer)
    expect((await client.raw('GET', look(found))).status).toBe(404)
    await fault('books_lag', 'findPayment', { delay_ms: 60_000 })
    const { end_to_end } = await payCharge()
    expect((await client.raw('GET', `${pix}/pix/${end_to_end}`)).status).toBe(404)
    simulator.advanceClock(60)
    await settles(found)
    expect((await client.raw('GET', `${pix}/pix/${end_to_end}`)).status).toBe(200)
  })

  test('a status and an item that no document has', async () => {
    const transfer = await prepare()
    await sendRaw(transfer)
    const found = await findReference(transfer)
    await fault('unlisted_status', 'findTransfer')
    expect((await client.raw('GET', look(found))).text).toContain('SOB_REVISAO_INTERNA')
    await payCharge()
    await fault('odd_item', 'statement')
    const { text } = await client.raw('GET', `${pix}/pix?${period}`)
    expect((await simulator.control.listServedFaults()).at(-1)?.item_id).toBeTruthy()
    expect(text).toContain('E99999999')
    await fault('page_cap', 'statement', { page_size: 1 })
    const page = JSON.parse((await client.raw('GET', `${pix}/pix?${period}`)).text)
    expect([page.pix.length, page.parametros.paginacao.itensPorPagina]).toEqual([1, 1])
  })

  test('a notification is lost, sent twice, or forged', async () => {
    await client.put(`${pix}/webhook/${key}`, { webhookUrl: `${simulator.facts.inbox_url}/faulty-${bank}` })
    const messagesOf = async (endToEnd: string) =>
      (await simulator.control.listInbox(`faulty-${bank}`)).filter(({ body }) => body.includes(endToEnd))
    await fault('notification_lost', 'issueCharge')
    const lost = await payCharge()
    await fault('notification_duplicated', 'issueCharge')
    const twice = await payCharge()
    await pollUntil(
      () => messagesOf(twice.end_to_end),
      messages => messages.length === 2,
    )
    expect(await messagesOf(lost.end_to_end)).toEqual([])
    await fault('notification_forged', 'issueCharge')
    const forged = await payCharge()
    await pollUntil(
      () => messagesOf(`E${'0'.repeat(31)}`),
      messages => messages.length === 1,
    )
    await pollUntil(
      () => messagesOf(forged.end_to_end),
      messages => messages.length === 1,
    )
  })

  test('unreachable resets the handshake of tokens and calls', async () => {
    await simulator.control.addFault({ provider, fault: 'unreachable', times: 2 })
    for (const act of [() => client.raw('GET', `${pix}/webhook/${key}`), () => client.authorize()])
      await expect(act()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    expect((await client.authorize()).status).toBe(200)
  })
})
