import type { FindPayoutOutcome, NoAnswerResult, PayoutHandle } from '../../domain/providers/provider.ts'
import { MINUTE } from '../../domain/shared/intervals.ts'
import { rejectForThisProvider, reportPaymentNotListed, toPayoutRejection } from '../adapter/outcomes.ts'
import { encodePath } from '../http/client.ts'
import type { PaymentCalls } from '../port.ts'
import type { StarkClient } from './client.ts'
import { describeStarkList } from './lists.ts'
import { parseReceivedName, type ReceivedEntity, toTransactionName } from './mapping.ts'
import { readTransactions, type StarkSubject } from './payments.ts'
import {
  oneStarkEntity,
  type StarkDeposit,
  type StarkInvoice,
  starkDepositSchema,
  starkInvoiceSchema,
  starkReceivedLogSchema,
  starkReversalRequestSchema,
} from './schemas.ts'

/** How long a prepared refund is sent: its amounts are those of the received PIX when it was read. */
const REFUND_VALIDITY_MS = 5 * MINUTE
/**
 * How long a reversal without a documented end counts as in process since the last change of the PIX. Then the look-up has no
 * answer, so that operators see the refund.
 */
const REVERSAL_WAIT_MS = 10 * MINUTE

/** Type of the log that "will be created" when a deposit or an invoice "is successfully reversed". */
const REVERSED = 'reversed'

/**
 * Creates the calls about refunds. A refund sets what is to be left of a deposit or of a paid invoice, so that repeating it changes
 * nothing more. The engine prepares and sends the refunds of one PIX strictly one after another.
 */
export function createStarkRefunds(
  client: StarkClient,
  now: () => number,
): Pick<PaymentCalls, 'prepareRefund' | 'refund' | 'findRefund'> {
  return {
    async prepareRefund({ id, endToEnd, cents }) {
      const entity = parseReceivedName(endToEnd)
      if (!entity) return paymentNotFound
      const outcome = await findReceived({ call: 'prepareRefund', reference: id }, entity)
      if (outcome.kind === 'no_answer') return outcome
      if (outcome.kind === 'not_found') return paymentNotFound
      const { received } = outcome
      // The amount of an unpaid invoice is what it asks for.
      if (!isPaid(received)) return reportPaymentNotListed('Stark Bank')
      const { amount, transactionIds } = received
      if (cents > amount) return tooLittleLeft
      const ref = formatReversal({ entity, from: amount, to: amount - cents, known: transactionIds.length })
      return {
        kind: 'prepared',
        handle: { ref, expiresAt: new Date(now() + REFUND_VALIDITY_MS).toISOString() },
      }
    },

    async refund({ id, cents, description }, handle) {
      const reversal = parseReversal(handle)
      if (!reversal || reversal.from - reversal.to !== cents) return notPrepared
      const { entity, to } = reversal
      const json = starkReversalRequestSchema.parse({
        amount: to,
        ...(entity.kind === 'deposit' && { reversalDisplayDescription: description?.slice(0, 140) }),
      })
      const call = { call: 'refund', reference: id, method: 'PATCH', hasOwnConnection: true } as const
      const request = { ...call, path: buildPath(entity), json }
      return client.send(request, oneStarkEntity(entity.kind, RECEIVED_SCHEMAS[entity.kind]), received => {
        const isOrdered = received.id === entity.id && received.amount === to && isPaid(received)
        return isOrdered ? { payout: { status: 'in_process', cents, endToEnd: '', at: null } } : undefined
      })
    },

    /**
     * Looks a refund up. A PIX that is unchanged has not been refunded; one with the reversal in its log has; one whose reversal was
     * charged back has not.
     */
    async findRefund({ id, handle }): Promise<FindPayoutOutcome> {
      const reversal = parseReversal(handle)
      if (!reversal) return notPreparedHere
      const subject = { call: 'findRefund', reference: id } as const
      const { entity, from, to } = reversal
      const outcome = await findReceived(subject, entity)
      if (outcome.kind === 'not_found') return paymentChanged
      if (outcome.kind === 'no_answer') return outcome
      const { received } = outcome
      const changeIds = received.transactionIds.slice(Math.max(1, reversal.known))
      if (received.amount === from && changeIds.length === 0) return { kind: 'not_found' }
      if (received.amount <= to) {
        const settled = await findSettled(subject, reversal)
        if (settled) return settled
      }
      if (received.amount === from || received.amount === to) {
        const failed = await findFailed(subject, reversal, changeIds)
        if (failed) return failed
      }
      // More than the target: something else has changed the PIX since it was read.
      if (received.amount > to) return paymentChanged
      const changedAt = Date.parse(received.updated ?? received.created)
      if (now() - changedAt > REVERSAL_WAIT_MS) return reversalUndecided
      return { kind: 'found', payout: { status: 'in_process', cents: from - to, endToEnd: '', at: null } }
    },
  }

  /** Finds the log of the reversal and its transaction; undefined while Stark Bank does not list both. */
  async function findSettled(
    subject: StarkSubject & { call: 'findRefund' },
    { entity, to }: Reversal,
  ): Promise<FindPayoutOutcome | undefined> {
    const { kind, id } = entity
    const logs = await client.readAllPages({
      ...subject,
      ...describeStarkList(`/v2/${kind}/log`, 'logs', starkReceivedLogSchema(kind, RECEIVED_SCHEMAS[kind])),
      filter: { [`${kind}Ids`]: id, types: REVERSED },
    })
    if (logs.kind === 'no_answer') return logs
    const log = logs.items.find(
      one => one.type === REVERSED && one.entity.id === id && one.entity.amount === to,
    )
    // The first transaction is the credit.
    const transactionId = log?.entity.transactionIds.slice(1).at(-1)
    if (!log || !transactionId) return undefined
    const transactions = await readTransactions(client, subject, [transactionId])
    if (transactions.kind === 'no_answer') return transactions
    const transaction = transactions.byId.get(transactionId)
    if (!transaction || transaction.amount >= 0) return undefined
    const payout = {
      status: 'settled' as const,
      cents: -transaction.amount,
      endToEnd: toTransactionName(transactionId),
      at: log.created,
    }
    return { kind: 'found', payout }
  }

  /**
   * Finds a reversal that has failed: since it was prepared, the PIX has got its debit and the "failed reversal chargeback" of the
   * same value, and no other transaction. Undefined where that is not so.
   */
  async function findFailed(
    subject: StarkSubject,
    { from, to }: Reversal,
    changeIds: string[],
  ): Promise<FindPayoutOutcome | undefined> {
    const [debitId, chargebackId, thirdId] = changeIds
    if (debitId === undefined || chargebackId === undefined || thirdId !== undefined) return undefined
    const transactions = await readTransactions(client, subject, [debitId, chargebackId])
    if (transactions.kind === 'no_answer') return transactions
    const cents = from - to
    const isFailed =
      transactions.byId.get(debitId)?.amount === -cents &&
      transactions.byId.get(chargebackId)?.amount === cents
    if (!isFailed) return undefined
    const { created } = transactions.byId.get(chargebackId)!
    return {
      kind: 'found',
      payout: { status: 'rejected', cents, endToEnd: '', at: created, ...toPayoutRejection() },
    }
  }

  function findReceived(subject: StarkSubject, entity: ReceivedEntity) {
    const schema = oneStarkEntity(entity.kind, RECEIVED_SCHEMAS[entity.kind])
    return client.lookUp({ ...subject, path: buildPath(entity) }, schema, received =>
      received.id === entity.id ? { received } : undefined,
    )
  }
}

type StarkReceived = StarkDeposit | StarkInvoice

const RECEIVED_SCHEMAS = { deposit: starkDepositSchema, invoice: starkInvoiceSchema }

const buildPath = ({ kind, id }: ReceivedEntity) => encodePath`/v2/${kind}/${id}`

function isPaid(received: StarkReceived): boolean {
  return !('status' in received) || received.status === 'paid'
}

/**
 * What a refund changes: the amount of a received PIX before and after it, in centavos. `known`: how many transactions the PIX had
 * before it.
 */
type Reversal = { entity: ReceivedEntity; from: number; to: number; known: number }

function formatReversal({ entity: { kind, id }, from, to, known }: Reversal): string {
  return [kind, id, from, to, known].join('/')
}

function parseReversal(handle: PayoutHandle | undefined): Reversal | undefined {
  const [, name, from, to, known] =
    /^(\w+\/\d+)\/(\d{1,15})\/(\d{1,15})\/(\d{1,5})$/.exec(handle?.ref ?? '') ?? []
  const entity = parseReceivedName(name ?? '')
  return entity && { entity, from: Number(from), to: Number(to), known: Number(known) }
}

const paymentNotFound = rejectForThisProvider(
  'payment_not_found',
  'Stark Bank does not find the received PIX',
)
const tooLittleLeft = rejectForThisProvider(
  'refund_above_remainder',
  'Less than the refund is left of the received PIX at Stark Bank',
)
const notPrepared = rejectForThisProvider('preparation_expired', 'The refund was not prepared')
const notPreparedHere: NoAnswerResult = {
  kind: 'no_answer',
  code: 'no_handle',
  message: 'Stark Bank looks refunds up by what their preparation has read only',
  isLasting: true,
}
const paymentChanged: NoAnswerResult = {
  kind: 'no_answer',
  code: 'payment_changed',
  message: 'Something other than this refund has changed the received PIX at Stark Bank',
  isLasting: true,
}
const reversalUndecided: NoAnswerResult = {
  kind: 'no_answer',
  code: 'reversal_undecided',
  message: 'Stark Bank shows neither that the refund was carried out nor that it has failed',
  isLasting: true,
}
