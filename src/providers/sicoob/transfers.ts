import { timeOfRailId } from '../../domain/pix/identifiers.ts'
import { isRailCode } from '../../domain/pix/rail-codes.ts'
import type {
  NoAnswerResult,
  PayoutHandle,
  PreparePayoutOutcome,
  ProviderPayout,
} from '../../domain/providers/provider.ts'
import { MINUTE } from '../../domain/shared/intervals.ts'
import { checkKeyOwner } from '../adapter/key-owner.ts'
import {
  rejectFailedAcceptance,
  rejectForThisProvider,
  toPayoutRejection,
  toUnprovenRefusal,
} from '../adapter/outcomes.ts'
import { toParty } from '../adapter/party.ts'
import { encodePath } from '../http/client.ts'
import type { TransferCalls } from '../port.ts'
import { SICOOB_PAYMENTS_PATH, type SicoobClient } from './client.ts'
import {
  NOT_CARRIED_OUT,
  type SicoobInitiatedPayment,
  type SicoobPayment,
  sicoobConfirmationRequestSchema,
  sicoobInitiatedPaymentSchema,
  sicoobInitiationRequestSchema,
  sicoobPaymentSchema,
} from './schemas.ts'

/**
 * Creates the calls about payments. A payment is initiated first: Sicoob looks the key up and names the end-to-end id of the
 * PIX, and no money moves until the payment is confirmed by it. Sicoob takes no id of ours: a payment is known by its
 * end-to-end id alone, so without a handle its absence is never proved. `now`: wall clock in milliseconds.
 */
export function createSicoobTransfers(client: SicoobClient, now: () => number): TransferCalls {
  return {
    async prepareTransfer(order) {
      const json = sicoobInitiationRequestSchema.parse({ chave: order.pixKey })
      const call = { call: 'prepareTransfer', reference: order.id, path: SICOOB_PAYMENTS_PATH } as const
      const outcome = await client.send(
        { ...call, method: 'POST', json },
        sicoobInitiatedPaymentSchema,
        payment => ((payment.chave ?? order.pixKey) === order.pixKey ? { payment } : undefined),
      )
      if (outcome.kind === 'accepted') return toPreparation(outcome.payment, order.document, now())
      // Nothing has moved, whatever the answer.
      if (outcome.kind === 'unknown')
        return { kind: 'no_answer', code: outcome.code, message: outcome.message }
      return outcome
    },

    async sendTransfer(order, handle) {
      if (!handle) return notPrepared
      const json = sicoobConfirmationRequestSchema.parse({
        endToEndId: handle.ref,
        valor: order.cents,
        meioIniciacao: 'CHAVE',
        descricao: order.message?.slice(0, 140),
      })
      const path = `${SICOOB_PAYMENTS_PATH}/confirmacao`
      const call = { call: 'sendTransfer', reference: order.id, path, json } as const
      const request = { ...call, method: 'POST', hasOwnConnection: true } as const
      const outcome = await client.send(request, sicoobPaymentSchema, payment => {
        const isOrdered = payment.endToEndId === handle.ref && payment.valor === order.cents
        if (!isOrdered || isWithoutOutcome(payment)) return undefined
        return { payout: mapPayment(payment), isCarriedOut: payment.estado !== NOT_CARRIED_OUT }
      })
      // A repeated confirmation may be refused as well: the refusal counts once the absence of the payment is proved.
      if (outcome.kind === 'rejected') return toUnprovenRefusal(outcome)
      if (outcome.kind !== 'accepted') return outcome
      const { payout, isCarriedOut } = outcome
      // What Sicoob itself did not carry out, another provider may; what the receiver's side rejected, none.
      return rejectFailedAcceptance(
        { kind: 'accepted', payout },
        isCarriedOut ? undefined : () => 'other_may_help',
      )
    },

    /**
     * Looks a payment up by its end-to-end id. One that was not carried out and has no reason of a refusal is as one that is
     * not found: it was initiated, and has not been confirmed.
     */
    async findTransfer({ id, handle }) {
      if (!handle) return notLookedUp
      const path = SICOOB_PAYMENTS_PATH + encodePath`/${handle.ref}`
      const call = { call: 'findTransfer', reference: id, path } as const
      const outcome = await client.lookUp(call, sicoobPaymentSchema, payment =>
        payment.endToEndId === handle.ref ? { payment } : undefined,
      )
      if (outcome.kind !== 'found') return outcome
      const { payment } = outcome
      if (isWithoutOutcome(payment)) return { kind: 'not_found' }
      return { kind: 'found', payout: mapPayment(payment) }
    },
  }
}

const PAYMENT_STATUSES = {
  EM_PROCESSAMENTO: 'in_process',
  FINALIZADO: 'settled',
  REJEITADO: 'rejected',
  [NOT_CARRIED_OUT]: 'rejected',
} as const

/** Tells whether a payment is not carried out and Sicoob names no reason of a refusal, so that it may be still to be confirmed. */
function isWithoutOutcome({ estado, detalheRejeicao }: SicoobPayment): boolean {
  return estado === NOT_CARRIED_OUT && !detalheRejeicao
}

/** How long an initiated payment is confirmed: the rail checks the minute in which its end-to-end id says that it was made. */
const CONFIRMATION_PERIOD_MS = 15 * MINUTE

/** Converts an initiated payment to a preparation, or to a refusal where the key is not of the document that the order names. */
function toPreparation(
  { endToEndId: endToEnd, proprietario }: SicoobInitiatedPayment,
  document: string | null,
  nowMs: number,
): PreparePayoutOutcome {
  const refusal = checkKeyOwner({ document }, proprietario?.identificador)
  if (refusal) return refusal
  const initiatedAtMs = Math.min(timeOfRailId(endToEnd) ?? nowMs, nowMs)
  const handle: PayoutHandle = {
    ref: endToEnd,
    endToEnd,
    expiresAt: new Date(initiatedAtMs + CONFIRMATION_PERIOD_MS).toISOString(),
    ...(proprietario && {
      receiver: toParty({ name: proprietario.nome, document: proprietario.identificador }),
    }),
  }
  return { kind: 'prepared', handle }
}

const notPrepared = rejectForThisProvider('preparation_expired', 'The payment was not prepared')
const notLookedUp: NoAnswerResult = {
  kind: 'no_answer',
  code: 'no_handle',
  message: 'The provider looks a payment up by its end-to-end id only',
}

function mapPayment({
  estado,
  valor: cents,
  endToEndId: endToEnd,
  horario,
  detalheRejeicao: detail,
  destino,
}: SicoobPayment): ProviderPayout {
  const status = PAYMENT_STATUSES[estado]
  const railCode = detail && isRailCode(detail) ? detail : undefined
  const receiver = destino && {
    name: destino.nome,
    document: destino.cpfCnpj,
    account: destino.conta,
    agency: destino.agencia,
    ispb: destino.ispb,
  }
  return {
    status,
    cents,
    endToEnd,
    at: horario ?? null,
    ...(status === 'rejected' && toPayoutRejection(railCode, detail)),
    receiver: receiver ? toParty(receiver) : null,
    // No call lists what a recipient gave back: there is nothing to poll for.
    returns: [],
  }
}
