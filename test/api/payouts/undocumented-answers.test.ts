import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import type { FaultBody } from '../../../packages/simulator/control/schemas.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import type { ProviderApi } from '../../../src/domain/providers/provider.ts'
import { openMoneySuite } from '../support/money-suite.ts'
import type { ApiResource } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import type { Merchant, TestStack } from '../support/test-stack.ts'

/**
 * Counts the money at the simulated banks: whatever the first one answers after it took a payment, its money moves once
 * over all banks, and the final state shown is what the bank did.
 */

const { stage, payouts, createMerchant } = await openMoneySuite()

type Answer = Pick<FaultBody, 'fault' | 'status' | 'body' | 'delay_ms'>
const answerWith = (status: number, body?: FaultBody['body']): Answer => ({
  fault: 'done_then_unlisted_refusal',
  status,
  ...(body === undefined ? {} : { body }),
})

/** What a bank of any provider API may answer although it moves the money. */
const EVERYWHERE: [what: string, answer: Answer][] = [
  ['no answer', { fault: 'timeout_then_done', delay_ms: 50 }],
  ['a body that breaks off', { fault: 'broken_body' }],
  ['400 without a body', answerWith(400)],
  ['400 in prose', answerWith(400, 'Bad Request')],
  ['400 of another shape', answerWith(400, { success: false, reason: 'declined' })],
  ['401 of a proxy', answerWith(401, 'Unauthorized')],
  ['402 without a body', answerWith(402)],
  ['403 of a proxy', answerWith(403, '<html><body><h1>403 Forbidden</h1></body></html>')],
  ['404 of a proxy', answerWith(404, 'default backend - 404')],
  ['405 without a body', answerWith(405)],
  ['408 of a proxy', answerWith(408, 'Request Timeout')],
  ['409 without a body', answerWith(409)],
  ['409 in prose', answerWith(409, 'Conflict')],
  ['410 of another shape', answerWith(410, { message: 'Gone' })],
  ['418 in prose', answerWith(418, 'no coffee')],
  ['422 of another shape', answerWith(422, { errors: { value: ['invalid'] } })],
  ['423 without a body', answerWith(423)],
  ['425 of a proxy', answerWith(425, '<html>Too Early</html>')],
  ['429 of a proxy', answerWith(429, 'Too Many Requests')],
  ['451 without a body', answerWith(451)],
  ['499 without a body', answerWith(499)],
  ['JSON that is no object', answerWith(400, '["declined"]')],
]

const ANSWERS: Record<ProviderApi, typeof EVERYWHERE> = {
  efi: [
    ...EVERYWHERE,
    ['400 erro_aplicacao', answerWith(400, { nome: 'erro_aplicacao', mensagem: 'Ocorreu um erro' })],
    ['400 of an unknown name', answerWith(400, { nome: 'pagamento_em_analise', mensagem: 'Em análise' })],
    ['409 of an unknown name', answerWith(409, { nome: 'conflito_operacao', mensagem: 'Em andamento' })],
    [
      '409 saldo_insuficiente',
      answerWith(409, { nome: 'saldo_insuficiente', mensagem: 'Saldo insuficiente' }),
    ],
    ['404 nao_encontrado', answerWith(404, { nome: 'nao_encontrado', mensagem: 'Recurso não encontrado' })],
    [
      '400 of an unknown type',
      answerWith(400, {
        type: 'https://pix.bcb.gov.br/api/v2/error/OperacaoRecusada',
        title: 'Recusada',
        status: 400,
        detail: 'Operação recusada.',
      }),
    ],
  ],
  woovi: [
    ...EVERYWHERE,
    ['400 unexpected', answerWith(400, { error: 'Ocorreu um erro inesperado. Tente novamente' })],
    ['400 of an unknown code', answerWith(400, { error: 'Recusado', errorCode: 'OPERATION_REFUSED' })],
    ['409 in other words', answerWith(409, { error: 'Este pagamento já foi processado' })],
    ['404 of an unknown route', answerWith(404, { error: 'Not Found' })],
    [
      '409 NOT_ENOUGH_BALANCE',
      answerWith(409, { error: 'Saldo insuficiente', errorCode: 'NOT_ENOUGH_BALANCE' }),
    ],
    ['422 of another shape', answerWith(422, { message: 'Unprocessable Entity', code: 17 })],
  ],
  sicoob: [
    ...EVERYWHERE,
    ['400 of an unknown type', answerWith(400, buildProblem(400, 'SaldoInsuficiente'))],
    ['400 RequisicaoInvalida', answerWith(400, buildProblem(400, 'RequisicaoInvalida'))],
    ['403 AcessoNegado', answerWith(403, buildProblem(403, 'AcessoNegado'))],
    ['404 NaoEncontrado', answerWith(404, buildProblem(404, 'NaoEncontrado'))],
  ],
  inter: [
    ...EVERYWHERE,
    [
      '422 of an unknown title',
      answerWith(422, { title: 'Saldo insuficiente', status: 422, detail: 'Pagamento recusado.' }),
    ],
  ],
  stark: [
    ...EVERYWHERE,
    ['400 of an unknown code', answerWith(400, buildStarkErrors('transferUnderReview'))],
    ['400 invalidBalance', answerWith(400, buildStarkErrors('invalidBalance'))],
    ['400 invalidPixKey', answerWith(400, buildStarkErrors('invalidPixKey'))],
    ['400 without an error', answerWith(400, { errors: [] })],
    ['403 invalidCredentials', answerWith(403, buildStarkErrors('invalidCredentials'))],
    ['404 of an unknown route', answerWith(404, buildStarkErrors('routeNotFound'))],
    ['409 in other words', answerWith(409, buildStarkErrors('operationConflict'))],
    ['400 internalServerError', answerWith(400, buildStarkErrors('internalServerError'))],
  ],
}

/** A problem of the Central Bank's API. */
function buildProblem(status: number, name: string) {
  const type = `https://pix.bcb.gov.br/api/v2/error/${name}`
  return { type, title: name, status, detail: 'Operação recusada.', correlationId: '1' }
}

/** Errors of Stark Bank's API. */
function buildStarkErrors(code: string) {
  return { errors: [{ code, message: 'It was refused.' }] }
}

/** Longer than every lookup that could change something, at the suite's time scale. */
const QUIET_PERIOD_MS = 1_500

const createMerchantAtTwoProviders = (dialect: ProviderApi, tells = true): Promise<Merchant> =>
  createMerchant({
    providers: [
      {
        provider: dialect === 'efi' ? 'PROVIDER_A' : 'PROVIDER_B',
        dialect,
        balance: 100,
        sendsNotifications: tells,
      },
      { provider: 'PROVIDER_C', balance: 100 },
    ],
  })
const first = (merchant: Merchant) => merchant.connections[0]!

async function transferred(merchant: Merchant): Promise<{ uuid: string }> {
  return (await payouts.send(merchant)).body.data
}

/** All that has left the accounts of one or more merchants, after every possible follow-up. */
async function movedInTheEnd(accounts: Pick<Merchant, 'connections'>): Promise<ApiResource[]> {
  await sleep(QUIET_PERIOD_MS)
  return payouts.listPaidOut(accounts)
}

async function isRefunded({ api }: Merchant, charge: ApiResource, answer: ApiResource): Promise<string> {
  const { uuid } = answer.body.data.refund ?? answer.body.data
  const path = `/api/v1/payments/${charge.uuid}/refunds/${uuid}`
  await pollUntil(
    () => api.get(path),
    said => said.body.data?.refund.status === 'COMPLETED',
  )
  return uuid
}

/** The second payment of a charge, once its provider has returned it. */
async function isReturned({ uuid }: Merchant): Promise<string> {
  const [stray] = await pollUntil(
    () =>
      stage.sql<{ end_to_end: string; disposition: string }>(
        `select end_to_end, disposition from movement where account_uuid = ? and reason = 'second_payment'`,
        [uuid],
      ),
    rows => rows[0]?.disposition === 'returned',
  )
  return stray!.end_to_end
}

/**
 * A transfer, a refund and the return of a second payment, each answered so by a bank that carries it out. Returns the merchant, and
 * what its bank has moved.
 */
async function movesOnce(dialect: ProviderApi, { fault, ...answer }: Answer) {
  const merchant = await createMerchantAtTwoProviders(dialect)
  const charge = await payouts.createPaidCharge(merchant)
  await payouts.injectFault(first(merchant), 'sendTransfer', fault, answer)
  await payouts.injectFault(first(merchant), 'refund', fault, { ...answer, times: 2 })

  await stage.simulator.pay({ payload: charge.payment.payload, force: true })
  const [transfer, refund] = await Promise.all([
    transferred(merchant),
    payouts.requestRefund(merchant, charge),
  ])
  const [paid, refundUuid, returned] = await Promise.all([
    payouts.waitForStatus(merchant, transfer.uuid, 'PAID'),
    isRefunded(merchant, charge, refund),
    isReturned(merchant),
  ])

  expect(paid.provider.uuid).toBe(first(merchant).uuid)
  const moved = (await payouts.listPaidOut(merchant)).toSorted((a, b) => RANK[a.kind]! - RANK[b.kind]!)
  expect(moved.map(({ account, value }) => [account, value])).toEqual(
    Array.from({ length: 3 }, () => [first(merchant).account, 10]),
  )
  expect(moved.map(line => line.kind)).toEqual(['transfer', 'refund', 'refund'])
  expect(moved[0]!.id).toBe(idAtBank(dialect, transfer.uuid, moved[0]!))
  // Stark Bank's reversals have no id of ours.
  if (dialect !== 'stark') expect(moved.map(line => line.id)).toContain(referenceOf(refundUuid))
  // One of each of the two PIX that have paid the charge.
  const originals = new Set(moved.slice(1).map(line => line.shown_original_id))
  expect([originals.size, originals.has(returned)]).toEqual([2, true])
  return { merchant, moved }
}
/** The id of a transfer at its bank: ours, or the end-to-end id where the bank takes none of ours. Inter names its own. */
function idAtBank(dialect: ProviderApi, uuid: string, line: ApiResource): string {
  if (dialect === 'inter') return line.id
  return dialect === 'sicoob' ? line.end_to_end : referenceOf(uuid)
}
const RANK: Record<string, number> = { transfer: 0, refund: 1 }

describe.each(Object.keys(ANSWERS) as ProviderApi[])(
  'money moves once at a provider that speaks %s',
  dialect => {
    const moves: Awaited<ReturnType<typeof movesOnce>>[] = []
    test.concurrent.each(ANSWERS[dialect])(
      'and carries the order out, then answers: %s',
      async (_what, answer) => {
        moves.push(await movesOnce(dialect, answer))
      },
    )

    test('and nothing more has moved after every possible follow-up', async () => {
      const connections = moves.flatMap(({ merchant }) => merchant.connections)
      const moved = await movedInTheEnd({ connections })
      expect(moves).toHaveLength(ANSWERS[dialect].length)
      expect(new Set(moved.map(line => line.end_to_end))).toEqual(
        new Set(moves.flatMap(move => move.moved.map(line => line.end_to_end))),
      )
      expect(moved).toHaveLength(3 * moves.length)
    })
  },
)

describe('an order that seems absent or refused but exists', () => {
  test.each(Object.keys(ANSWERS) as ProviderApi[])(
    'an answer of an unknown route proves no absence at a provider that speaks %s',
    async dialect => {
      const merchant = await createMerchantAtTwoProviders(dialect, false)
      await payouts.injectFault(first(merchant), 'sendTransfer', 'timeout_then_done', { delay_ms: 50 })
      await payouts.injectFault(first(merchant), 'findTransfer', 'unknown_route', { times: 3 })
      const transfer = await transferred(merchant)
      const paid = await payouts.waitForStatus(merchant, transfer.uuid, 'PAID')
      expect(paid.provider.uuid).toBe(first(merchant).uuid)
      const lines = await movedInTheEnd(merchant)
      expect(lines.map(({ id }) => id)).toEqual(lines.map(line => idAtBank(dialect, transfer.uuid, line)))
      expect(lines).toHaveLength(1)
    },
  )

  type End = [end: string, act: TestStack['simulator']['approveOrder'], paidBy: number]
  test.each<End>([
    ['a person approves it', id => stage.simulator.approveOrder(id), 0],
    ['a person removes it', id => stage.simulator.removeOrder(id), 1],
  ])(
    'an order that waits at the first provider is not sent to another one before %s',
    async (_, act, paidBy) => {
      const merchant = await createMerchantAtTwoProviders('woovi')
      await payouts.injectFault(first(merchant), 'sendTransfer', 'order_left')
      const answered = transferred(merchant)
      const { account } = first(merchant)
      const [order] = await pollUntil(
        async () => (await stage.simulator.listOrders()).filter(one => one.account === account),
        orders => orders.length === 1,
      )
      expect(await movedInTheEnd(merchant)).toEqual([])

      // The caller is answered after the last of the closely spaced polls.
      await act(order!.id)
      const transfer = await answered
      expect(order!.id).toBe(referenceOf(transfer.uuid))
      const paid = await payouts.waitForStatus(merchant, transfer.uuid, 'PAID')
      expect(paid.provider.uuid).toBe(merchant.connections[paidBy]!.uuid)
      expect(await movedInTheEnd(merchant)).toMatchObject([
        { id: referenceOf(transfer.uuid), account: merchant.connections[paidBy]!.account },
      ])
    },
  )

  type Removal = [what: string, fault: FaultBody['fault'], paidBy: number]
  test.each<Removal>([
    ['and pays it all the same', 'accepted_then_reported_removed', 0],
    ['and has removed it', 'order_removed', 1],
  ])(
    'the first provider notifies that an order was removed %s: only its look-up counts',
    async (_, fault, paidBy) => {
      const merchant = await createMerchantAtTwoProviders('woovi')
      await payouts.injectFault(first(merchant), 'sendTransfer', fault, { delay_ms: 3_000 })
      const transfer = await transferred(merchant)
      const paid = await payouts.waitForStatus(merchant, transfer.uuid, 'PAID')
      expect(paid.provider.uuid).toBe(merchant.connections[paidBy]!.uuid)
      expect(await movedInTheEnd(merchant)).toMatchObject([
        { id: referenceOf(transfer.uuid), account: merchant.connections[paidBy]!.account },
      ])
    },
  )
})
