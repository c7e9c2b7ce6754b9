import type {
  FindPayoutOutcome,
  IncomingPix,
  NoAnswerResult,
  PayoutHandle,
} from '../../domain/providers/provider.ts'
import { MINUTE } from '../../domain/shared/intervals.ts'
import { rejectForThisProvider, reportPaymentNotListed } from '../adapter/outcomes.ts'
import type { ProviderCall } from '../adapter/provider-calls.ts'
import { encodePath } from '../http/client.ts'
import type { PaymentCalls } from '../port.ts'
import type { StarkCall } from './answers.ts'
import type { StarkClient } from './client.ts'
import { getDepositId, mapStarkDeposit, toTransactionName } from './mapping.ts'
import {
  oneStarkEntity,
  type StarkDeposit,
  type StarkTransaction,
  starkDepositLogSchema,
  starkDepositSchema,
  starkReversalRequestSchema,
  starkTransactionSchema,
} from './schemas.ts'

/** How long a prepared refund is sent: its amounts are those of the deposit when it was read. */
const REFUND_VALIDITY_MS = 5 * MINUTE

/**
 * Creates the calls about deposits and their refunds. A refund sets what is to be left of its deposit, so that repeating it
 * changes nothing more. The engine prepares and sends the refunds of one deposit strictly one after another.
 */
export function createStarkPayments(client: StarkClient, now: () => number): PaymentCalls {
  return {
    async findPayment(endToEnd) {
      const call = { call: 'findPayment', reference: endToEnd } as const
      const outcome = await findDeposit(call, endToEnd)
      if (outcome.kind !== 'found') return outcome
      if (outcome.deposit.type !== 'pix') return { kind: 'not_found' }
      const payments = await mapStarkPayments(client, call, [outcome.deposit])
      if (payments.kind === 'no_answer') return payments
      return { kind: 'found', payment: payments.payments[0]! }
    },

    async prepareRefund({ id, endToEnd, cents }) {
      const outcome = await findDeposit({ call: 'prepareRefund', reference: id }, endToEnd)
      if (outcome.kind === 'no_answer') return outcome
      if (outcome.kind === 'not_found') return depositNotFound
      const { amount } = outcome.deposit
      if (cents > amount) return tooLittleLeft
      const ref = formatReversal({ depositId: outcome.deposit.id, from: amount, to: amount - cents })
      return {
        kind: 'prepared',
        handle: { ref, expiresAt: new Date(now() + REFUND_VALIDITY_MS).toISOString() },
      }
    },

    async refund({ id, cents, description }, handle) {
      const reversal = parseReversal(handle)
      if (!reversal || reversal.from - reversal.to !== cents) return notPrepared
      const { depositId, to } = reversal
      const json = starkReversalRequestSchema.parse({
        amount: to,
        reversalDisplayDescription: description?.slice(0, 140),
      })
      const call = { call: 'refund', reference: id, method: 'PATCH', hasOwnConnection: true } as const
      const request = { ...call, path: encodePath`/v2/deposit/${depositId}`, json }
      return client.send(request, oneStarkEntity('deposit', starkDepositSchema), deposit => {
        const isOrdered = deposit.id === depositId && deposit.amount === to
        return isOrdered
          ? { payout: { status: 'in_process' as const, cents, endToEnd: '', at: null } }
          : undefined
      })
    },

    /** Looks a refund up: a deposit that is unchanged has not been refunded, one with the reversal in its log has. */
    async findRefund({ id, handle }): Promise<FindPayoutOutcome> {
      const reversal = parseReversal(handle)
      if (!reversal) return notPreparedHere
      const call = { call: 'findRefund', reference: id } as const
      const { depositId, from, to } = reversal
      const outcome = await findDepositById(call, depositId)
      if (outcome.kind === 'not_found') return depositChanged
      if (outcome.kind === 'no_answer') return outcome
      const { amount } = outcome.deposit
      if (amount === from) return { kind: 'not_found' }
      // More than the target: something else has changed the deposit since it was read.
      if (amount > to) return depositChanged
      const logs = await client.readAllPages({
        ...call,
        path: '/v2/deposit/log',
        filter: { depositIds: depositId, types: REVERSED },
        field: 'logs',
        row: starkDepositLogSchema,
        toItem: log => log,
        keyOf: log => log.id,
      })
      if (logs.kind === 'no_answer') return logs
      const log = logs.items.find(
        ({ type, deposit }) => type === REVERSED && deposit.id === depositId && deposit.amount === to,
      )
      const inProcess = { status: 'in_process' as const, cents: from - to, endToEnd: '', at: null }
      // The first transaction is the credit.
      const transactionId = log?.deposit.transactionIds.slice(1).at(-1)
      if (!log || !transactionId) return { kind: 'found', payout: inProcess }
      const transactions = await readTransactions(client, call, [transactionId])
      if (transactions.kind === 'no_answer') return transactions
      const transaction = transactions.byId.get(transactionId)
      if (!transaction || transaction.amount >= 0) return { kind: 'found', payout: inProcess }
      const payout = {
        status: 'settled' as const,
        cents: -transaction.amount,
        endToEnd: toTransactionName(transactionId),
        at: log.created,
      }
      return { kind: 'found', payout }
    },
  }

  function findDeposit(call: Pick<ProviderCall<StarkCall>, 'call' | 'reference'>, endToEnd: string) {
    const depositId = getDepositId(endToEnd)
    return depositId === undefined ? Promise.resolve(noDepositName) : findDepositById(call, depositId)
  }

  function findDepositById(call: Pick<ProviderCall<StarkCall>, 'call' | 'reference'>, depositId: string) {
    const path = encodePath`/v2/deposit/${depositId}`
    return client.lookUp({ ...call, path }, oneStarkEntity('deposit', starkDepositSchema), deposit =>
      deposit.id === depositId ? { deposit } : undefined,
    )
  }
}

/** Type of the log that "will be created" when a deposit "is successfully reversed". */
const REVERSED = 'reversed'

/** What a refund changes: the deposit's amount before and after it, in centavos. */
type Reversal = { depositId: string; from: number; to: number }

function formatReversal({ depositId, from, to }: Reversal): string {
  return `${depositId}/${from}/${to}`
}

function parseReversal(handle: PayoutHandle | undefined): Reversal | undefined {
  const [, depositId, from, to] = /^(\d+)\/(\d{1,15})\/(\d{1,15})$/.exec(handle?.ref ?? '') ?? []
  return depositId && from && to ? { depositId, from: Number(from), to: Number(to) } : undefined
}

type CallOfPayments = { call: StarkCall; reference?: string }

/**
 * Maps deposits to payments. A deposit's own amount falls with each refund, so that the value of a payment is that of its first
 * transaction; `no_answer` while Stark Bank does not list one that the deposit names.
 */
export async function mapStarkPayments(
  client: StarkClient,
  call: CallOfPayments,
  deposits: StarkDeposit[],
): Promise<{ kind: 'found'; payments: IncomingPix[] } | NoAnswerResult> {
  const creditIds = deposits.flatMap(({ transactionIds }) => transactionIds.slice(0, 1))
  const credits = await readTransactions(client, call, creditIds)
  if (credits.kind === 'no_answer') return credits
  const payments: IncomingPix[] = []
  for (const deposit of deposits) {
    const [creditId] = deposit.transactionIds
    const credit = creditId === undefined ? undefined : credits.byId.get(creditId)
    if (creditId !== undefined && !(credit && credit.amount > 0)) return reportPaymentNotListed('Stark Bank')
    payments.push(mapStarkDeposit(deposit, credit))
  }
  return { kind: 'found', payments }
}

async function readTransactions(client: StarkClient, call: CallOfPayments, ids: string[]) {
  const list = {
    ...call,
    path: '/v2/transaction',
    field: 'transactions',
    row: starkTransactionSchema,
    toItem: (transaction: StarkTransaction) => transaction,
    keyOf: (transaction: StarkTransaction) => transaction.id,
  }
  const outcome = await client.readByIds(list, ids)
  if (outcome.kind === 'no_answer') return outcome
  return { kind: 'found' as const, byId: new Map(outcome.items.map(one => [one.id, one])) }
}

const depositNotFound = rejectForThisProvider('payment_not_found', 'Stark Bank does not find the deposit')
const tooLittleLeft = rejectForThisProvider(
  'refund_above_remainder',
  'Less than the refund is left of the deposit at Stark Bank',
)
const notPrepared = rejectForThisProvider('preparation_expired', 'The refund was not prepared')
const notPreparedHere: NoAnswerResult = {
  kind: 'no_answer',
  code: 'no_handle',
  message: 'Stark Bank looks refunds up by what their preparation has read only',
}
const depositChanged: NoAnswerResult = {
  kind: 'no_answer',
  code: 'deposit_changed',
  message: 'Something other than this refund has changed the deposit at Stark Bank',
}
const noDepositName: NoAnswerResult = {
  kind: 'no_answer',
  code: 'not_found',
  message: 'Stark Bank looks payments up by the id of their deposit only',
}
